"""tensorflow.python.framework: what its modules offer and no public name does."""
