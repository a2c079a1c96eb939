"""Tools that rewrite GraphDefs for use after training; TensorFlow has them in `tools`."""
