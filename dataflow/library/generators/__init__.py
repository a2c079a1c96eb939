"""tf.random.Generator: random numbers whose state is a variable."""
