"""The back end: masters, workers and devices that run the partitions of a graph.

Knows the front end's values, op definitions and passes, never its graph or its sessions. Its rooms,
each of which may import those before it: wire, threads, nodes, control_flow, step, transfers,
devices, code, fusion, plan, run, cores, and beside each other `direct` (target "") and ray.
"""

from __future__ import annotations

if __name__ != "dataflow.actors":
    raise ImportError(
        f"this package was imported as {__name__!r} but its name is 'dataflow.actors'; "
        "use `import dataflow.actors`, and take the checkout's root off sys.path "
        "if a package of your own has the name 'actors'"
    )
