"""Lists and dictionaries whose elements checkpoints hold by their places and keys."""
