"""Pooling over any number of axes, and its gradients; knows no op."""
