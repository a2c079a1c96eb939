"""Conditionals and loops, in both forms TensorFlow 1 has; knows nothing of gradients and variables.

`cond` and `while_loop` open a context that each operation made inside joins; its inputs from
outside are led in through Switch or Enter. After `enable_control_flow_v2()` they trace functions
and make If and While (`cond_v2`, `while_v2`).
"""
