"""tf.signal: windows, frames, and transforms made of several ops."""
