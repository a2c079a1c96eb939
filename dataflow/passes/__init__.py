"""The compiler: pure functions over NodeGraph; knows neither the front end's graph nor a kernel.

Whether a device can run a node, and what a node gives, is asked through functions handed in. The
order, and the option of ConfigProto that switches a pass off:

* `graphs.import_graph` validates every node against its schema.
* `control_flow.lower` puts functions in the place of calls; If, Case and While become Switch,
  Merge, Enter ... under their own names, which stay fetchable. Only functions that call
  themselves remain calls. A node with inputs from different frames, or a loop that could never
  count its inputs, is refused (`control_flow.check`).
* `placement.place` gives every node of the whole graph a device: its request, colocation, the
  kernels that exist. Stateful nodes stay where they were put for the session's life.
  `place_pruned_graph` places what a step needs only.
* `prune` keeps what the fetches and targets need, given the feeds; equal constants become one.
* `collectives` puts one node in the place of what the members of a collective do together.
* `optimize`: `algebra.control_only` drops the computing of what others only wait for
  (`dependency_optimization`); `fold` computes constants once, `cse` merges equal nodes, neither
  touches state or randomness; `simplify` does algebra that keeps every bit (NaN, -0.0)
  and what follows from static shapes (`arithmetic_optimization`, `shape_optimization`);
  `channel_factors` puts a frozen batch normalisation into constant filters and a bias
  (`remapping`); `constant_chains` makes (x * a) * b into x * (a * b) (`constant_folding`).
* `placement.split` and `partition` cut by worker, then by device, and put Send and Recv where edges
  cross. A loop over several devices gets on each of them a small control loop, driven by the
  condition that its owner sends every iteration (`control_flow.control_loop`). A Recv whose value
  may be dead is marked, since only the sender's part shows it.
"""
