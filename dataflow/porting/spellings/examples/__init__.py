"""tensorflow.examples: what the tutorials import of it."""
