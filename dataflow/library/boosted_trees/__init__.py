"""Boosted trees: ensembles of trees, and quantiles of features, as resources of a graph."""
