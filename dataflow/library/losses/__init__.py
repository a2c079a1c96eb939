"""tf.losses: weighted losses, and the collection of them; knows no session and no file."""
