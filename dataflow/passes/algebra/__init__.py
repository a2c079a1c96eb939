"""Rewrites that compute the same with less: folding, merging, simplifying; knows no device."""
