"""Recurrent layers: loops over the steps of sequences, and the cells that make a step."""
