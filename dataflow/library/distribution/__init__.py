"""tf.distribute of one replica: the strategy that holds where a program has set none, and scopes."""
