"""What layers and models of tf.keras are made of."""
