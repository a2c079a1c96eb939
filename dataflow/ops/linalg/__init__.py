"""Products and norms of vectors and matrices; imports up to `reductions`, knows no neural nets."""
