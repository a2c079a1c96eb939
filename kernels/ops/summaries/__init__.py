"""Kernels that make summaries, and those of writers of event files."""
