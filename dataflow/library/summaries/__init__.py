"""Summaries as functions: what each adds to the graph, and the collection it puts itself in."""
