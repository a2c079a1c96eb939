"""Rows for ops that write and read checkpoints."""
