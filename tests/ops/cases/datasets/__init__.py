"""Rows for datasets and iterators."""
