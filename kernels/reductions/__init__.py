"""Sums, means, extremes and running sums of large arrays, rows by index too; knows no product."""
