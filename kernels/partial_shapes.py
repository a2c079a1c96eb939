"""Shapes as far as known: of the elements of tensor arrays and tensor lists."""

from __future__ import annotations

Dims = tuple[int | None, ...]


def fits(dims: Dims | None, shape: Dims) -> bool:
    """Whether what is known of two shapes does not contradict each other."""
    if dims is None or dims == shape:
        return True
    return len(dims) == len(shape) and all(
        a is None or b is None or a == b for a, b in zip(dims, shape, strict=True)
    )


def dims_text(dims: Dims | None) -> str:
    """`[2,?]`, or `<unknown>` where even the rank is."""
    if dims is None:
        return "<unknown>"
    return "[" + ",".join("?" if size is None else str(size) for size in dims) + "]"
