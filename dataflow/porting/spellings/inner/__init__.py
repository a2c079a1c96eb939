"""What programs take out of modules of TensorFlow's that have no public face."""
