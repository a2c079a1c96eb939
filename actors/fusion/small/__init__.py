"""Elementwise nodes over small arrays as one program of numexpr's virtual machine; knows no plan.

A call of numpy on 32 floats takes 0.2 us, an instruction of the machine 0.02 us: a chain of 1,000
is 8.9 times as fast. Programs are assembled from opcodes, never from text. An instruction is used
only if it gave numpy's bits for special values (`machine`); what a node does is told by the formula
of its kernel. Nodes that lead to one value are a cluster if that is estimated to pay; values of
other shapes get a program of their own, and what fits none runs one by one. Without numexpr all
nodes stay apart.
"""
