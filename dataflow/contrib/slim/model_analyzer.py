"""slim.model_analyzer: how large variables and the outputs of operations are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_RULE = "---------"


def tensor_description(var: Any) -> str:
    """The type and shape of a tensor or variable: "(float32 1x8x8x1024)"."""
    sizes = var.get_shape()
    shape = "x".join(str(size) for size in sizes.as_list()) if sizes.rank is not None else "?"
    return f"({var.dtype.base_dtype.name} {shape})"


def analyze_ops(graph: Any, print_info: bool = False) -> int:
    """How many elements the outputs of all operations have; those of unknown shape are left out.

    Args:
      graph: The graph.
      print_info: Whether each operation is printed.
    """
    if print_info:
        print(_RULE)
        print("Operations: name -> (type shapes) [size]")
        print(_RULE)
    total = 0
    for op in graph.get_operations():
        sizes = [each.get_shape().num_elements() or 0 for each in op.outputs]
        shown = [tensor_description(each) for each in op.outputs if each.get_shape().rank]
        if print_info:
            print(op.name, "\t->", ", ".join(shown), f"[{sum(sizes)}]")
        total += sum(sizes)
    return total


def analyze_vars(variables: Sequence[Any], print_info: bool = False) -> tuple[int, int]:
    """How many elements variables have, and how many bytes.

    Args:
      variables: The variables.
      print_info: Whether each is printed.
    """
    if print_info:
        print(_RULE)
        print("Variables: name (type shape) [size]")
        print(_RULE)
    total = total_bytes = 0
    for var in variables:
        size = var.get_shape().num_elements() or 0
        in_bytes = size * var.dtype.size
        total += size
        total_bytes += in_bytes
        if print_info:
            print(var.name, tensor_description(var), f"[{size}, bytes: {in_bytes}]")
    if print_info:
        print(f"Total size of variables: {total}")
        print(f"Total bytes of variables: {total_bytes}")
    return total, total_bytes
