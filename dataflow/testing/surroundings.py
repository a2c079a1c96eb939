"""What a unit test asks of its surroundings: a start, a folder, the devices; and equal graphs."""

from __future__ import annotations

import sys
import tempfile
import unittest
from typing import Any

from google.protobuf import text_format

from dataflow.session.session import Session


def main(argv: list[str] | None = None) -> None:
    """Runs the tests of the script that was started.

    Args:
      argv: The program's name and its arguments; by default those of the process.

    Raises:
      SystemExit: Always, with 0 if all tests passed.
    """
    unittest.main(argv=list(sys.argv if argv is None else argv))


def get_temp_dir() -> str:
    """A directory for temporary files; nothing deletes it."""
    return tempfile.mkdtemp()


def gpu_device_name() -> str:
    """The name of the first GPU that a session here has, or an empty text."""
    with Session() as session:
        names = [d.name for d in session.list_devices() if d.device_type == "GPU"]
    return f"/device:GPU:{names[0].rpartition(':')[2]}" if names else ""


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """True if a session here has a GPU."""
    return bool(gpu_device_name())


def is_built_with_cuda() -> bool:
    """True: kernels for CUDA come with the package, and need cupy to run."""
    return True


def is_built_with_gpu_support() -> bool:
    """True: kernels for GPUs come with the package, and need cupy to run."""
    return True


def assert_equal_graph_def(actual: Any, expected: Any) -> None:
    """Two GraphDefs have the same nodes, in any order; versions do not count.

    Raises:
      AssertionError: They differ.
      TypeError: One is no GraphDef.
    """
    nodes = []
    for graph_def in (actual, expected):
        if not hasattr(graph_def, "node"):
            raise TypeError(f"Expected a GraphDef, got {type(graph_def).__name__}")
        nodes.append({node.name: node for node in graph_def.node})
    for name in sorted({*nodes[0], *nodes[1]}):
        first, second = (each.get(name) for each in nodes)
        if first is None or second is None:
            where = "expected" if first is None else "actual"
            raise AssertionError(f"Node {name!r} is only in the {where} graph.")
        if first != second:
            texts = [text_format.MessageToString(node) for node in (first, second)]
            raise AssertionError(f"Node {name!r} is\n{texts[0]}and not\n{texts[1]}")
