"""Tests of kernels/parsing/."""
