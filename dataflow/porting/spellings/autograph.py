"""tensorflow.python.autograph: modules of TensorFlow's own that convert functions."""

from __future__ import annotations

from typing import Final

from dataflow.contrib.absent import Absent, AbsentPart
from dataflow.library.autograph.marks import do_not_convert

INTERNALS: Final = "tensorflow.python.autograph."
"""Begins the paths of what converts functions, which programs may import."""


class _Internal(Absent):
    """A name in what converts functions; what would leave one as it is does so wherever it lies."""

    do_not_convert = staticmethod(do_not_convert)


class Internals(AbsentPart):
    """A module of what converts functions: its names are there, and fail when they are used."""

    do_not_convert = staticmethod(do_not_convert)

    def __init__(self, name: str) -> None:
        """Stands for the module of a name."""
        about = "of AutoGraph, only what tf.autograph has is here"
        super().__init__(name, about, _Internal)
