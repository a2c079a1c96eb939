"""Random numbers, each op with seeds of the graph's; imports up to `linalg`, holds no state."""
