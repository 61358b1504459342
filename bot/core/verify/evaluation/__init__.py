"""How well the verifier does: golden cases, whose defects are known, and defects seeded into clean plans."""
