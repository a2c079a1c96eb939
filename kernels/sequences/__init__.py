"""Paths through sequences: their probabilities, the best of them, how far they differ."""
