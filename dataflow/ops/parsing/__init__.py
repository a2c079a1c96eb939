"""Records: examples, CSV, raw bytes and tensors as messages, and sparse tensors as strings."""
