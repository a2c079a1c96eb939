"""Puts one node in the place of several, once they were measured; knows no plan.

Each kind of merge finds groups that depend on the same predicates and that no way leads out of
and back, and makes a node that runs them faster. Whatever does not fit it (other shapes, an
error) is run one by one by the nodes it was made of, so that values and errors are those of the
nodes. `rewrite_options.remapping = OFF` leaves all nodes apart. What is sent to another device
waits for nothing that comes from one unless it needs it (`waiting`).

What is computed from shapes and constants alone is computed once for each combination of shapes
(`shape_arithmetic`): 1.3 times as fast where XOR is learned.
"""
