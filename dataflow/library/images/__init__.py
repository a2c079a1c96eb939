"""tf.image: what is built of ops on images."""
