"""Kernels of neural networks: images, activations, losses, normalisation, ranking."""
