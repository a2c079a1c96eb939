"""tensorflow.python.ops: what its modules offer and no public name does."""
