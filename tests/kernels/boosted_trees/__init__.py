"""What the kernels of boosted trees compute."""
