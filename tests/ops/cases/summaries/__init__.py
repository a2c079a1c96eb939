"""Rows for ops that make summaries and write event files."""
