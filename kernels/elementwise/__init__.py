"""Elementwise arithmetic in few passes over memory, with numpy's bits; knows no graph to fuse."""
