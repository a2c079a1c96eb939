"""Tests of optimizers, moving averages, learning rates and clipping."""
