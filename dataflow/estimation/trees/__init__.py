"""Estimators of boosted trees: the model function, what grows trees, and what explains them."""
