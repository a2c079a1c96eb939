"""Queues and accumulators as objects: what each method adds to the graph."""
