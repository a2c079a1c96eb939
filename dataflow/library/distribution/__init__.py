"""tf.distribute of one replica: the strategy that holds where none is set, and scopes."""
