"""from_generator: a dataset of what a Python generator yields."""

from __future__ import annotations

from typing import Any


def from_generator(
    plain: Any,
    generator: Any,
    output_types: Any,
    output_shapes: Any,
    args: Any,
    output_signature: Any,
    name: str | None,
) -> Any:
    """See `Dataset.from_generator`."""
    raise NotImplementedError("Dataset.from_generator")
