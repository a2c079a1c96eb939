"""A sweep over all that takes another way by size or layout: axes of 0 and 1 on both sides of every
threshold, operands that lie in memory in every way that numpy knows, compared with TensorFlow."""
