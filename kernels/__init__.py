"""The kernels: array code that knows no graph and no actor."""

from __future__ import annotations

if __name__ != "dataflow.kernels":
    raise ImportError(
        f"this package was imported as {__name__!r} but its name is 'dataflow.kernels'; "
        "use `import dataflow.kernels`, and take the checkout's root off sys.path "
        "if a package of your own has the name 'kernels'"
    )
