"""What an op is: arguments, attrs, shape function and gradient; knows no graph that holds nodes.

`opdef.define_op` declares one. Functions of a GraphDef's library are ops too. `node_validation`
holds a NodeDef to its schema, for the importer of the front end and that of the passes alike.
"""
