"""Elements that a function gives, of a state that another one has made."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import partial

from dataflow.errors import OpError, OutOfRangeError
from dataflow.kernels.datasets.dataset import Dataset, Element, Stage
from dataflow.kernels.datasets.run import Call, Captured, Run, when_dropped
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


class GeneratorDataset(Dataset):
    """What a function gives, until it is out of range."""

    kind = "Generator"
    __slots__ = ("finalize", "following", "init")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        init: Captured,
        following: Captured,
        finalize: Captured,
    ) -> None:
        """Takes the functions.

        Args:
          types: Element types.
          shapes: Shapes.
          init: Makes the state.
          following: Makes an element of the state.
          finalize: Ends the state.
        """
        super().__init__(types, shapes)
        self.init, self.following, self.finalize = init, following, finalize

    def start(self, run: Run) -> Stage:
        return _GeneratorStage(run, self)


class _GeneratorStage(Stage):
    __slots__ = ("_call", "_end", "_init", "_state")

    def __init__(self, run: Run, dataset: GeneratorDataset) -> None:
        super().__init__(run)
        self._init: Call | None = run.function(dataset.init, dataset.kind)
        self._call: Call | None = run.function(dataset.following, dataset.kind)
        self._end = run.function(dataset.finalize, dataset.kind)
        self._state: Element = ()
        calls = (self._init, self._call, self._end)
        self.is_direct = not any(call.may_wait for call in calls)

    def next(self) -> Element | None:
        if self._init is not None:
            init, self._init = self._init, None
            self._state = tuple(init(()))
            # Whoever drops it is in no position to run it.
            end = self._end.on_behalf_of(Run())
            when_dropped(self, partial(_finalize, end, self._state))
        if self._call is None:
            return None
        try:
            return tuple(self._call(self._state))
        except OutOfRangeError:
            self._call = None
            return None


def _finalize(call: Call, state: Element) -> None:
    with contextlib.suppress(OpError):
        call(state)
