"""Checkpoint files: sorted tables, V2 bundles of tensors both ways, V1 files read; no graph here."""
