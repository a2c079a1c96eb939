"""Rows of tensors as sets: sizes, unions, differences; imports `basic` only."""
