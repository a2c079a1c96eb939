"""The graph under construction: operations, tensors, scopes; knows no op by name and no session.

`apply_op` turns a call with Python values into an operation: it converts, infers attrs and shapes,
and reads the scopes that are open on the thread. Creating one takes about 7 us: no message is
made, the creation site is one look at a frame, and constants stay arrays until a GraphDef is asked
for.
"""
