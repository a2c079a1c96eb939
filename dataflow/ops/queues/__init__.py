"""Ops on state that steps wait for: queues, and accumulators of gradients."""
