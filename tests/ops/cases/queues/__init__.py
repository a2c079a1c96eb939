"""Rows for queues and accumulators."""
