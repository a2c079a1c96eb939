"""Ragged tensors: rows of different lengths, and what functions of tensors make of them."""
