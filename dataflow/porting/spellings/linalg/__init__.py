"""tensorflow.python.ops.linalg: what tests of linear operators are made of."""
