"""tensorflow.python.util: what its modules offer and no public name does."""
