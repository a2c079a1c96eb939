"""What a soak runs, in which processes, and what it does to them."""
