"""The nodes of control flow and assertions; imports up to `random`, opens no conditions or loops.

The constructs that put these nodes into graphs are in `dataflow.control_flow`.
"""
