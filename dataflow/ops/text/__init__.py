"""Strings, formatting and printing; imports up to `state`, nothing of neural nets."""
