"""Ops that write and read checkpoints, and those that make names of files."""
