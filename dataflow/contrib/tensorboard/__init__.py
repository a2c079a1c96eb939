"""tf.contrib.tensorboard: what tells TensorBoard's plugins what to show."""
