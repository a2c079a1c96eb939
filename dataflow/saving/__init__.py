"""Saver, and what finds and reads checkpoints; runs sessions, knows no training."""
