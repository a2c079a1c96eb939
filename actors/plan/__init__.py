"""From a partition of one device to its plan; knows the device as a view, and no step runs here.

`make_plan` finds the structure of control flow, binds each node to a callable once (attrs
resolved, kernel looked up, `bind_node`), gives each value a slot, and gets a frozen `BoundGraph`
(`builder`, `structured_builder`), from which the `Plan` is made. Edges to other devices are bound
to a transport (`edges`). A function that calls itself is a plan of its own that each call runs in
the caller's step (`calls`); a structured loop among other control flow is one, too
(`loop_calls`).

A plan is cut into segments (`segments`). Inside of one, nodes are straight-line calls and a value
is dropped after its last use; between segments stand in-degree counters and a ready queue that
fires whatever has become ready. Nodes that wait (Recv, dequeue) stand alone and hold no thread. A
segment starts when all it depends on has run, and then does not wait: a Send behind a Recv that
it does not need could have two devices wait for each other.

The first two runs are measured node by node; then the plan is cut anew with these costs, nodes
are merged, and code is generated (`layout`). Nodes are put into several segments if several
threads, with one node each, should end sooner than all threads together at one node after the
other, as far as these let others help. Else a plan is one segment on the caller's thread. Whether
that is so is then tried: both layouts run six times, in turns, and the times decide, for what
threads lose by waiting for Python's lock, and by sharing caches, is not known beforehand.
"""
