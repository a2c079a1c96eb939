"""Kernels of which the results for parts of their inputs add up to that for the whole."""

from __future__ import annotations


class Additive:
    """The callable of such a kernel.

    For inputs that are joined, each along its own axis, it gives the sum of what it gives for the
    parts. So do all callables of one op with the same axes.
    """

    __slots__ = ()

    @property
    def axes(self) -> tuple[int, ...]:
        """The axis of each input."""
        raise NotImplementedError
