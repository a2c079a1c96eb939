"""Names that Python, numpy, scipy and others had when programs for TensorFlow 1 were written.

A program of that time stops at them before it reaches TensorFlow's. They come back where they are
missing, in the process that asks for them; nothing of the library uses them."""
