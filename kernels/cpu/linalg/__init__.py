"""Kernels of linear algebra for CPU devices: matrix products by BLAS and by several threads."""
