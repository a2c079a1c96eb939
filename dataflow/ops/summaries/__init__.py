"""Summaries: ops that make them of values, and ops on writers of event files."""
