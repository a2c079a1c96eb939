"""Optimizers and what surrounds them: slots, rates, averages, the global step; above sessions."""
