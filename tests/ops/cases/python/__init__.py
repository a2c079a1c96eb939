"""Rows for ops that call Python functions."""
