"""Record files: framing with checksums, compression, and the event files made of such records.

Kernels and the front end write and read them; what a record holds is theirs to know, but for the
messages of event files.
"""
