"""What a step is to dump, said in its RunOptions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from dataflow.graph.graph import Graph
from dataflow.proto.config_pb2 import RunOptions
from dataflow.records.dumps import DEBUG_OP

Texts = str | Iterable[str]


def add_debug_tensor_watch(
    run_options: RunOptions,
    node_name: str,
    output_slot: int = 0,
    debug_ops: Texts = DEBUG_OP,
    debug_urls: Texts | None = None,
    tolerate_debug_op_creation_failures: bool = False,
    global_step: int = -1,
) -> None:
    """Watches one tensor.

    Args:
      run_options: Changed.
      node_name: Name of the node; "*" for all nodes.
      output_slot: Which of its outputs; -1 for all.
      debug_ops: "DebugIdentity".
      debug_urls: Where it is dumped: "file://" and a folder.
      tolerate_debug_op_creation_failures: Kept in the options.
      global_step: A number that the dumps tell.
    """
    run_options.debug_options.global_step = global_step
    run_options.debug_options.debug_tensor_watch_opts.add(
        node_name=node_name,
        output_slot=output_slot,
        debug_ops=_listed(debug_ops),
        debug_urls=_listed(debug_urls or ()),
        tolerate_debug_op_creation_failures=tolerate_debug_op_creation_failures,
    )


def watch_graph(
    run_options: RunOptions,
    graph: Graph,
    debug_ops: Texts = DEBUG_OP,
    debug_urls: Texts | None = None,
    node_name_regex_allowlist: str | None = None,
    op_type_regex_allowlist: str | None = None,
    tensor_dtype_regex_allowlist: str | None = None,
    tolerate_debug_op_creation_failures: bool = False,
    global_step: int = -1,
    reset_disk_byte_usage: bool = False,
) -> None:
    """Watches the tensors of a graph that all given patterns fit, from their beginning.

    Args:
      run_options: Changed.
      graph: The graph.
      debug_ops: "DebugIdentity".
      debug_urls: Where they are dumped: "file://" and a folder.
      node_name_regex_allowlist: What names of nodes begin with.
      op_type_regex_allowlist: What op types begin with.
      tensor_dtype_regex_allowlist: What names of element types begin with.
      tolerate_debug_op_creation_failures: Kept in the options.
      global_step: A number that the dumps tell.
      reset_disk_byte_usage: Kept in the options.

    Raises:
      ValueError: There are no ops or no URLs.
    """
    if not debug_ops:
        raise ValueError("debug_ops must not be empty or None.")
    if not debug_urls:
        raise ValueError("debug_urls must not be empty or None.")
    patterns = node_name_regex_allowlist, op_type_regex_allowlist, tensor_dtype_regex_allowlist
    kept = [
        (name, slot)
        for name, slot, texts in _tensors(graph)
        if all(not p or re.match(p, text) for p, text in zip(patterns, texts, strict=True))
    ]
    if not any(patterns):
        kept.append(("*", -1))
    how = tolerate_debug_op_creation_failures, global_step
    for name, slot in kept:
        add_debug_tensor_watch(run_options, name, slot, debug_ops, debug_urls, *how)
    run_options.debug_options.reset_disk_byte_usage = reset_disk_byte_usage


def watch_graph_with_denylists(
    run_options: RunOptions,
    graph: Graph,
    debug_ops: Texts = DEBUG_OP,
    debug_urls: Texts | None = None,
    node_name_regex_denylist: str | None = None,
    op_type_regex_denylist: str | None = None,
    tensor_dtype_regex_denylist: str | None = None,
    tolerate_debug_op_creation_failures: bool = False,
    global_step: int = -1,
    reset_disk_byte_usage: bool = False,
) -> None:
    """Watches the tensors of a graph that none of the given patterns fits.

    Args:
      run_options: Changed.
      graph: The graph.
      debug_ops: As for `watch_graph`, as all below.
      debug_urls: Where they are dumped.
      node_name_regex_denylist: What names of nodes may not begin with.
      op_type_regex_denylist: What op types may not begin with.
      tensor_dtype_regex_denylist: What names of element types may not begin with.
      tolerate_debug_op_creation_failures: Kept in the options.
      global_step: A number that the dumps tell.
      reset_disk_byte_usage: Kept in the options.
    """
    patterns = node_name_regex_denylist, op_type_regex_denylist, tensor_dtype_regex_denylist
    how = tolerate_debug_op_creation_failures, global_step
    for name, slot, texts in _tensors(graph):
        if not any(p and re.match(p, text) for p, text in zip(patterns, texts, strict=True)):
            add_debug_tensor_watch(run_options, name, slot, debug_ops, debug_urls, *how)
    run_options.debug_options.reset_disk_byte_usage = reset_disk_byte_usage


def _tensors(graph: Graph) -> Iterator[tuple[str, int, tuple[str, str, str]]]:
    """The tensors of a graph: the node's name, the output, and what patterns look at."""
    for op in graph.get_operations():
        for slot, tensor in enumerate(op.outputs):
            yield op.name, slot, (op.name, op.type, tensor.dtype.name)


def _listed(texts: Texts) -> list[Any]:
    return [texts] if isinstance(texts, str) else list(texts)
