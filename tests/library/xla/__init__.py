"""What programs say to XLA."""
