"""A program as a whole: its start, its flags, and the files that lie beside its modules."""
