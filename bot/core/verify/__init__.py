"""The static verifier: is a plan true of the tree it was written against? `report.verify` is the entry.

Nothing is imported here: the server needs the table of outcomes only, and the checks with their patterns take half a
second to load.
"""
