"""Datasets of examples and of lists, tables from datasets, datasets in files."""
