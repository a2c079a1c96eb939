"""Random forests that grow online: trees, what their leaves count, splits of leaves."""
