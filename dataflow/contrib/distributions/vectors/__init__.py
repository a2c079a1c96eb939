"""Distributions of vectors and matrices whose parts depend on each other."""
