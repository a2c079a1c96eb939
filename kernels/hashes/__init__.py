"""Hashes of texts; knows no node.

What a hash computes is told once, as functions of 64-bit words (`formulas`). numpy calls them for
all texts of one length at a time; machine code (`loops`) takes texts of any lengths one after the
other, some hundred times as fast. `texts` chooses.
"""
