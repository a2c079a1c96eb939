"""Sparse tensors: reshaping, ordering, joining, products and sums; imports up to `linalg`."""
