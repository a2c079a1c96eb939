"""The heads of tf.estimator, whose metrics are objects of tf.keras."""
