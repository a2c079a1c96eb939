"""tf.linalg.LinearOperator: matrices as objects that know their structure."""
