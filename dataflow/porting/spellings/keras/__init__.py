"""tensorflow.python.keras: what of its inner modules stands nowhere else."""
