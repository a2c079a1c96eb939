"""Kernels that check values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel


@kernel("CheckNumerics", "CheckNumericsV2")
def check_numerics(node: KernelNode, xp: Any) -> Callable[..., Any]:
    message = node.attr("message").decode(errors="replace")
    with_sign = node.op == "CheckNumericsV2"

    def run(tensor: Any) -> Any:
        if xp.isfinite(tensor).all():
            return tensor
        infinite = xp.isinf(tensor)
        found = []
        if with_sign:
            found += ["-Inf"] * bool((infinite & (tensor < 0)).any())
            found += ["+Inf"] * bool((infinite & (tensor > 0)).any())
        else:
            found += ["Inf"] * bool(infinite.any())
        found += ["NaN"] * bool(xp.isnan(tensor).any())
        raise invalid(f"{message} : Tensor had {_listed(found)} values")

    return run


def _listed(names: list[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"
