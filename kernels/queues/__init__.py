"""What steps wait for: queues of elements, and accumulators of gradients."""
