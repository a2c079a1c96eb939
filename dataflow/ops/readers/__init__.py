"""Ops that read files: readers, which keep their place, and files as a whole."""
