"""What every family builds on: constants, placeholders, casts, ranges; imports no other family.

`single` and `apply_op` build ops by type, `shape_parts` and `handle_shapes` have the pieces that
shape functions are made of, `grouping` orders operations without data.
"""
