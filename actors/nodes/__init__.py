"""The nodes of a plan: bound callables, slots, guards, costs; knows no graph, no code and no step.

A node has been bound to its kernel once (`binding`), reads and fills slots, and runs where its
guard holds: a conjunction of predicates and outcomes. A loop is a node that holds those of an
iteration. What a node costs, and what its values look like, is noted in the first runs of a plan;
that decides how it is cut and what is merged.
"""
