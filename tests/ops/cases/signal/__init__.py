"""Rows for the ops on signals."""
