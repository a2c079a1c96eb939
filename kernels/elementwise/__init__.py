"""Elementwise arithmetic in few passes over memory, and quick functions; knows no graph to fuse."""
