"""What the kernels of forests compute."""
