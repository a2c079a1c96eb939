"""Checkpoint files: sorted tables, V2 bundles both ways, V1 files read; no graph here."""
