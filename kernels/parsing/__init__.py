"""Serialized records to arrays: messages of `tf.Example` and its kin, read as bytes, and CSV."""
