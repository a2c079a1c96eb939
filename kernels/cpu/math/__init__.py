"""Elementwise kernels for CPU devices: of special functions, and that refuse bad numbers."""
