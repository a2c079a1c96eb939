"""What a pass is told: the graph's inputs and outputs, and its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dataflow.errors import InvalidArgumentError
from dataflow.transforms.views import node_name_from_input


@dataclass(frozen=True)
class Context:
    """The surroundings of a pass."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    parameters: Mapping[str, list[str]]
    """Each may be given several times."""

    @property
    def ends(self) -> frozenset[str]:
        """The nodes that are fed or fetched, which keep their names."""
        return frozenset(node_name_from_input(name) for name in (*self.inputs, *self.outputs))

    def one(self, key: str, default: str | None = None) -> str:
        """The value of a parameter.

        Raises:
          InvalidArgumentError: It is not given, though it has no default, or several times.
        """
        values = self.parameters.get(key, [])
        if len(values) > 1 or (not values and default is None):
            raise InvalidArgumentError(
                None, None, f"Expected exactly one value for parameter '{key}', got {len(values)}"
            )
        return values[0] if values else str(default)

    def number(self, key: str, default: int) -> int:
        """The value of a parameter that is a whole number.

        Raises:
          InvalidArgumentError: It is no number.
        """
        text = self.one(key, str(default))
        try:
            return int(text)
        except ValueError:
            raise InvalidArgumentError(
                None, None, f"Couldn't interpret the {key} argument as a number: {text}"
            ) from None
