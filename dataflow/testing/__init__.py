"""What `tf.test` is made of: test cases, comparisons, gradient checks; nothing else imports it."""
