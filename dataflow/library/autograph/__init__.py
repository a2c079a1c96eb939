"""Python's control flow on tensors as operations: what converted functions call, and conversion."""
