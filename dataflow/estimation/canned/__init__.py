"""Estimators that come with their models: linear ones, nets, both together, and baselines."""
