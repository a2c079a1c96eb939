"""Runs nodes one after the other on slots: one by one, or as a generated function; knows no plan.

The first two runs of a plan are interpreted and measured. Then the nodes of each segment become
Python functions, whose source is made of our own indices only, never of text from a graph:
kernels are constants of the function, values that stay inside are local variables and are dropped
after their last use, branches are `if` and loops `while`. Functions are cut into parts of 400
lines, for the compiler's time grows faster than their length. A loop that turns out to be long is
taken up by generated code in the middle of its first run.

An exception is traced back to the node by the line of the function that raised it. Frames are
cleared, so that who keeps the exception does not keep the step's values.

What a node makes for another process, if it is large, is made in shared memory (`leaving`), so
that it can be shown there and need not be copied.
"""
