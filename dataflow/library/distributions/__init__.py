"""tf.distributions: probability distributions as objects."""
