"""What accumulates a feature's statistics and offers its splits."""
