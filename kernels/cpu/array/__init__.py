"""Kernels that arrange elements, for CPU devices: refusing bad indices, and by faster ways."""
