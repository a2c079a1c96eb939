"""Tests of the kernels of images."""
