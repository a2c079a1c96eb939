"""Checkpoints of objects: what is saved is named by the way to it from a root, not by its node."""
