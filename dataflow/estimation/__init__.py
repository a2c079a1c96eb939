"""Estimators: a model function trained, evaluated, asked and exported, each in a graph anew."""
