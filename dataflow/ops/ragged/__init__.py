"""Rows of different lengths, as ops see them: row splits and values; imports up to `sparse`."""
