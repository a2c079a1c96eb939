"""The names of `tf` itself, by theme; `dataflow/__init__.py` shows them all as its own."""
