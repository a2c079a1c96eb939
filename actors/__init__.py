"""The back end: masters, workers and devices that run the partitions of a graph."""

from __future__ import annotations

if __name__ != "dataflow.actors":
    raise ImportError(
        f"this package was imported as {__name__!r} but its name is 'dataflow.actors'; "
        "use `import dataflow.actors`, and take the checkout's root off sys.path "
        "if a package of your own has the name 'actors'"
    )
