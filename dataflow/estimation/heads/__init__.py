"""Heads: what a model predicts from its logits, its loss, its metrics and what it exports."""
