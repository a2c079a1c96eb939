"""Master, worker and device without a process: what they do, whoever brings them requests.

Knows no Ray: thin actors (`ray/`) and the runtime of target "" (`direct`) are shells around
these. The master keeps the graph of each session and compiles it once per (feeds, fetches,
targets): the passes run, the graph is split by worker. A worker splits its partition by device,
with Send/Recv where edges cross, and has each device make one plan of its part; nothing after
that looks at a graph. Sessions call the devices directly, `run(plan, step, feeds)`: the master is
on the control path, never on the path of a step.

A device keeps its plans, its state and the steps in flight, and forgets what belongs to a session
with it. Functions that call themselves get their plan when the first call runs.
"""
