"""Functions on tensors whose values are at hand, as operations of a graph: `tf.py_function`."""
