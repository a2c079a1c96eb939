"""What crosses between processes, as dataclasses and as bytes; knows no step, node or kernel.

Messages are msgpack with arrays as extension types, and what stands behind it is raw: nothing in
these bytes can run code, and no pickle is read. Anyone may have written them, so counts, depths
and sizes are checked before memory is taken for what they claim. Errors cross as code, message
and names.
"""
