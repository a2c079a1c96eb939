"""Shapes as far as known: of the elements of tensor arrays and tensor lists."""

from __future__ import annotations

from dataflow.kernels.contract.invalid import invalid

Dims = tuple[int | None, ...]


def agree(a: Dims | None, b: Dims | None) -> bool:
    """Whether what is known of two shapes does not contradict each other."""
    if a is None or b is None or a == b:
        return True
    return len(a) == len(b) and all(
        m is None or n is None or m == n for m, n in zip(a, b, strict=True)
    )


def merged_dims(a: Dims | None, b: Dims | None) -> Dims | None:
    """What is known of a shape that is both.

    Raises:
      InvalidArgumentError: They contradict each other.
    """
    if a is None or a == b:
        return b
    if b is None:
        return a
    if len(a) != len(b):
        raise invalid(f"PartialTensorShape: Incompatible ranks during merge: {len(a)} vs. {len(b)}")
    if any(m is not None and n is not None and m != n for m, n in zip(a, b, strict=True)):
        raise invalid(
            "PartialTensorShape: Incompatible shapes during merge: "
            f"{dims_text(a)} vs. {dims_text(b)}"
        )
    return tuple(n if m is None else m for m, n in zip(a, b, strict=True))


def dims_text(dims: Dims | None) -> str:
    """`[2,?]`, or `<unknown>` where even the rank is."""
    if dims is None:
        return "<unknown>"
    return "[" + ",".join("?" if size is None else str(size) for size in dims) + "]"
