"""The ops, one file per family: schema, shape function, gradient and docstring together."""
