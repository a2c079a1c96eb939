"""tf.data: datasets, iterators over them, and the specs that say what their elements are."""
