"""Boosted trees: quantiles of features, statistics of examples, splits, ensembles of trees."""
