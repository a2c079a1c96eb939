"""Kernels of control flow's primitives and of assertions: what is alive is the executor's to say."""
