"""Columns of features: what they are, and how they are crossed."""
