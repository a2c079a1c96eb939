"""Readers: the records of files whose names come out of a queue."""
