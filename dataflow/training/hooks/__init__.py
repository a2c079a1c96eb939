"""Hooks: what is done before and after each step of a monitored session."""
