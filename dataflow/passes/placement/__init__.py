"""Which device runs a node, and the cuts between workers and devices; rewrites no arithmetic."""
