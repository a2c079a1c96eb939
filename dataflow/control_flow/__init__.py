"""Conditionals and loops: the contexts that new operations are put in, and what opens them."""
