"""Supervisor: sessions whose checkpoints and summaries are written by threads beside the loop."""
