"""tf.contrib.tensorboard.plugins: by plugin."""
