"""Rows for ops of ragged tensors."""
