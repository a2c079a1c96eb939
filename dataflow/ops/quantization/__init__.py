"""Ops that imitate, or do, arithmetic of few bits."""
