"""Pydantic models of all that enters or leaves Planproof, and their exported JSON schemas."""
