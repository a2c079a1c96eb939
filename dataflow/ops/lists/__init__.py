"""Lists of tensors, stacks and optionals as values; imports up to `flow`, knows no loops."""
