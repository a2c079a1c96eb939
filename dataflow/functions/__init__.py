"""Graphs that are bodies of functions: tracing, capturing, calling; knows no loop or branch."""
