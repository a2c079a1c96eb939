"""CPU kernels of sparse tensors."""
