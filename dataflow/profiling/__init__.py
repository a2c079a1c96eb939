"""tf.profiler: what nodes cost, told by scope, by op, along the graph and by lines of the program.

`counting` is where an op type says how many operations on numbers it takes, `nodes` joins that with
what traced steps have told, `trees` and `groups` make the views of it, and `text` prints them.
"""
