"""Graph functions that programs hold and call: what they take, give and have captured."""
