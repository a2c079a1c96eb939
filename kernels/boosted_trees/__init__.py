"""Boosted trees as arrays: summaries of values, sums by bucket, gains of splits, and trees."""
