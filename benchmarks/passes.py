"""CPU time of each compiler pass for graphs of 1,000, 10,000 and 100,000 nodes.

Run as `python -m benchmarks.passes [--json FILE] [--repeat N]`. The graph is eight chains of
additions of constants that cross between two devices; every other node is a constant.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import dataflow  # noqa: F401  (defines the ops)
from dataflow.passes.algebra.channel_factors import fold_channel_factors
from dataflow.passes.algebra.constant_chains import join_constants
from dataflow.passes.algebra.control_only import drop_control_only
from dataflow.passes.algebra.cse import equal_constants, merge_common
from dataflow.passes.algebra.fold import fold
from dataflow.passes.algebra.simplify import simplify
from dataflow.passes.graphs.export_graph import to_graph_def
from dataflow.passes.graphs.import_graph import import_graph
from dataflow.passes.graphs.node_graph import Node
from dataflow.passes.placement.place import place
from dataflow.passes.placement.split import split_by_device
from dataflow.passes.prune import prune
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.runtime.signature import StepSignature
from dataflow.values import attrs, dtypes
from dataflow.values.device_info import DeviceInfo
from dataflow.values.versions import GRAPH_DEF_VERSION

SIZES = (1_000, 10_000, 100_000)
CHAINS = 8
_TASK = "/job:localhost/replica:0/task:0"
DEVICES = [DeviceInfo(f"{_TASK}/device:CPU:{index}", "CPU", 50) for index in range(2)]


def build(size: int) -> tuple[GraphDef, StepSignature]:
    """A graph of about `size` nodes, and the step that fetches the ends of its chains."""
    graph_def = GraphDef()
    graph_def.versions.producer = GRAPH_DEF_VERSION

    def add(op: str, name: str, inputs: Sequence[str], device: str, **values: Any) -> str:
        node = graph_def.node.add(name=name, op=op, input=inputs, device=device)
        for key, value in values.items():
            attrs.encode_inferred(value, node.attr[key])
        return name

    ends = [add("Placeholder", "x", (), "", dtype=dtypes.float32)] * CHAINS
    for index in range((size - 1 - CHAINS) // 2):
        value = np.array(index, np.float32)
        constant = add("Const", f"layer_{index}/c", (), "", dtype=dtypes.float32, value=value)
        device = f"/device:CPU:{index % 2}" if index % 16 < 4 else ""
        chain = index % CHAINS
        ends[chain] = add(
            "AddV2", f"layer_{index}/add", (ends[chain], constant), device, T=dtypes.float32
        )
    return graph_def, StepSignature(("x:0",), tuple(f"{name}:0" for name in ends), ())


def measure(size: int) -> dict[str, float]:
    """Seconds of CPU time each pass takes, once; a busy machine hardly changes them."""
    graph_def, signature = build(size)
    seconds: dict[str, float] = {}

    def timed(name: str, run: Callable[[], Any]) -> Any:
        gc.collect()
        started = time.process_time()
        result = run()
        seconds[name] = time.process_time() - started
        return result

    graph = timed("import", lambda: import_graph(graph_def))
    placed = timed("place", lambda: place(graph, DEVICES, _everywhere, lambda op: []))
    graph.assign(placed)
    pruned = timed("prune", lambda: prune(graph, signature, equal_constants))
    wanted = timed("control_only", lambda: drop_control_only(pruned, ()))
    folded = timed("fold", lambda: fold(wanted, _evaluate))
    simple = timed("simplify", lambda: simplify(folded)).graph
    merged = timed("cse", lambda: merge_common(simple))
    timed("channel_factors", lambda: fold_channel_factors(merged))
    # What joins the chains of constants leaves nothing to split: its result is not used.
    timed("constant_chains", lambda: join_constants(merged))
    parts = timed("split", lambda: split_by_device(merged, DEVICES))
    timed("export", lambda: [to_graph_def(part) for part in parts.values()])
    seconds["total"] = sum(seconds.values())
    return seconds


def _everywhere(op: str, device_type: str, attrs: Mapping[str, Any]) -> bool:
    return True


def _evaluate(node: Node, inputs: Sequence[Any]) -> list[Any]:
    return [sum(inputs)]


def run(sizes: Sequence[int], repeat: int) -> dict[int, dict[str, float]]:
    """The least of `repeat` times for each size and pass."""
    results = {}
    for size in sizes:
        runs = [measure(size) for _ in range(repeat)]
        results[size] = {name: min(run[name] for run in runs) for name in runs[0]}
    return results


def main() -> None:
    """Prints a table, and writes the seconds as JSON if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="file for the seconds by size and pass")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    results = run(SIZES, options.repeat)
    table = Table(title="Compiler passes: CPU ms, and in brackets us a node")
    table.add_column("nodes", justify="right")
    for name in next(iter(results.values())):
        table.add_column(name, justify="right")
    for size, seconds in results.items():
        cells = [f"{s * 1e3:,.1f} ({s * 1e6 / size:.1f})" for s in seconds.values()]
        table.add_row(f"{size:,}", *cells)
    Console(width=200).print(table)
    content = json.dumps({"benchmark": "passes", "seconds": results}, indent=2)
    if options.json:
        options.json.write_text(content + "\n")
    else:
        print(content)


if __name__ == "__main__":
    main()
