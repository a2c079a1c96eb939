"""Losses that are multiplied."""
