"""Kernels that call functions of the program."""
