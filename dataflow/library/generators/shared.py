"""The generator that programs share."""

from __future__ import annotations

from dataflow.library.generators.generator import Generator

_shared: list[Generator] = []


def get_global_generator() -> Generator:
    """The generator that programs share, made when it is first asked for."""
    if not _shared:
        _shared.append(Generator.from_non_deterministic_state())
    return _shared[0]


def set_global_generator(generator: Generator) -> None:
    """Puts another generator in the place of the one that programs share.

    Args:
      generator: The other one.
    """
    _shared[:] = [generator]
