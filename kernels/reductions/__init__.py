"""Sums, means, extremes and running sums over axes of large arrays; knows no product."""
