"""Seeding defects into clean plans and their trees, to measure how many the verifier finds.

A mutator knows what makes a defect certain, and nothing of how the verifier looks for it: it reads the plan's lines by
plain patterns of its own and imports no check. Where the plan hedges, or the tree cannot tell, it seeds nothing.
"""
