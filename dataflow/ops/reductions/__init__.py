"""Many elements into fewer: sums, extremes, scans, segments; imports up to `math`, no `linalg`."""
