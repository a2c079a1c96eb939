"""Reading records: what is expected of an example's features, and the functions that read it."""
