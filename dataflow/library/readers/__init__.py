"""Readers as objects: what each method adds to the graph."""
