"""What tells a program its cluster."""
