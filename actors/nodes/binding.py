"""What a node is bound to: a callable, how it is called, and what is done to its inputs."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Final, NamedTuple

Adapter = Callable[[Any], Any]
"""Turns a value as it was produced into the value a kernel is called with."""


class CallKind(Enum):
    """How the callable of a node is called."""

    PLAIN = "plain"
    """`call(*inputs)`"""
    STEP = "step"
    """`call(step, *inputs)`"""
    BLOCKING = "blocking"
    """`call(step, done, *inputs)`, and then once `done(outputs)` or `done(error=error)`."""
    NOTHING = "nothing"
    """Not at all: the node only orders others."""
    MOVE = "move"
    """Not at all: the outputs are the inputs, all of them moved at once."""
    REPEAT = "repeat"
    """A move at the end of an iteration that another one follows."""
    LEAVE = "leave"
    """A move at the end of the last iteration."""
    LOOP = "loop"
    """Not at all: the node is a loop of others."""


ENDS: Final = frozenset({CallKind.REPEAT, CallKind.LEAVE})
"""What stands at the end of an iteration."""
MOVES: Final = frozenset({CallKind.MOVE, *ENDS})
"""What only moves values."""


class Binding(NamedTuple):
    """A node bound to its kernel."""

    call: Callable[..., Any]
    kind: CallKind
    adapters: tuple[Adapter | None, ...] = ()
    """One for each input; None passes the value as it is."""
    host_outputs: tuple[bool, ...] = ()
    """For each output whether it is in host memory."""
    cost: float | None = None
    elementwise: bool = False
    """Each output element depends on the input elements at its place only; numpy computes it."""
    broadcasts: bool = False
    """It broadcasts any of its inputs, as numpy's functions do."""
    takes_out: bool = False
    """The callable takes `out=`, an array to fill that is none of the inputs."""
