"""The ops, family by family; knows graphs and schemas, nothing of functions, variables or sessions.

The schema, shape function, gradient and docstring of an op stand in one block, in the module of its
family; the module's public functions follow. `load.load_ops` finds the modules by walking this
package, so a new module needs no entry in a list, and any module can be imported first. It is
called when an op is asked for that the public names have not brought in.

Families import one way, each from itself and from those before it in `tests/house/layers.py`.

`operators`, above `linalg`, gives Tensor its Python operators. A gradient needs ops of families
above its own all the same: it builds them by op type, `single("Mul", grad, y)`, which finds the op
when it is called. Functions that do more than add one node, such as `cast`, `range`, `zeros` or
`reduction`, stand below all who use them.
"""
