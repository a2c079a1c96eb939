"""Losses that are multiplied, so that gradients of float16 do not vanish; knows what optimizers do,
not their rules."""
