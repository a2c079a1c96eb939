"""Rows for readers, and for files as a whole."""
