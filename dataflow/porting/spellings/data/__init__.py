"""tensorflow.python.data: what its modules offer and no public name does."""
