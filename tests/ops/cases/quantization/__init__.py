"""Rows for the ops of few bits."""
