"""Runs a recipe on drawn operands in both libraries, and says where they differ."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow.compat.v1 as oracle

import dataflow
from tests.kernels.sweep.layouts import LAYOUTS, VIEWS
from tests.kernels.sweep.recipe import Operand, Recipe
from tests.kernels.sweep.sizes import draw
from tests.oracle import open_session

oracle.disable_v2_behavior()

_WIDE = {"float32": "float64", "complex64": "complex128"}
_RUNS = 3
"""Runs of a step at most: from the third one on it is compiled."""
_THREADS = (1, 3)


@dataclass(frozen=True)
class Trial:
    """One call of a recipe."""

    recipe: Recipe
    dtype: str
    view: str
    layouts: tuple[str, ...]
    sizes: dict[str, int]
    operands: tuple[np.ndarray, ...]
    runs: int
    threads: int

    def __str__(self) -> str:
        ways = ", ".join(
            f"{list(array.shape)} {layout}"
            for array, layout in zip(self.operands, self.layouts, strict=True)
        )
        return f"{self.recipe.name} {self.dtype} ({ways}), {self.view}, {self.threads} threads"


def make_trial(recipe: Recipe, limit: int, random: np.random.Generator) -> Trial:
    """Draws one.

    Args:
      recipe: Of what.
      limit: Of the product of the sizes of all axes.
      random: Draws.
    """
    dtype = str(random.choice(recipe.dtypes))
    view = str(random.choice(list(VIEWS), p=[0.7, 0.1, 0.1, 0.1]))
    sizes = draw(recipe.letters, recipe.most, limit, random)
    while not recipe.takes(sizes, limit):
        sizes = draw(recipe.letters, recipe.most, limit, random)
    layouts, operands = [], []
    for operand in recipe.operands:
        element = np.dtype(operand.dtype or dtype)
        shape = operand.shape(sizes)
        is_moved = operand.is_moved and view == "fed"
        layout = str(random.choice(list(LAYOUTS))) if is_moved else "plain"
        fill = functools.partial(_fill, operand, element, sizes, random)
        layouts.append(layout)
        operands.append(LAYOUTS[layout](fill, shape, random))
    runs = int(random.integers(1, _RUNS + 1))
    threads = int(random.choice(_THREADS))
    return Trial(recipe, dtype, view, tuple(layouts), sizes, tuple(operands), runs, threads)


def _fill(
    operand: Operand,
    dtype: np.dtype[Any],
    sizes: dict[str, int],
    random: np.random.Generator,
    shape: tuple[int, ...],
) -> np.ndarray:
    return np.ascontiguousarray(operand.values(random, shape, dtype, sizes)).reshape(shape)


class _Program:
    """A recipe in a graph of one of the libraries, whose session stays open."""

    def __init__(self, library: Any, recipe: Recipe, dtype: str, **options: Any) -> None:
        self._outputs: dict[str, list[Any]] = {}
        self._fed: dict[str, list[Any]] = {}
        views = list(VIEWS) if library is dataflow else ["fed"]
        with library.Graph().as_default() as graph:
            for view in views:
                fed, operands = [], []
                for operand in recipe.operands:
                    rank = len(operand.axes)
                    element = library.as_dtype(operand.dtype or dtype)
                    fed.append(library.placeholder(element, [None] * rank))
                    change = VIEWS[view][1] if operand.is_moved else VIEWS["fed"][1]
                    operands.append(change(library, fed[-1], rank))
                self._fed[view] = fed
                self._outputs[view] = list(recipe.build(library, *operands))
        self.graph = graph
        self._session = open_session(library, graph, **options)

    def run(self, view: str, operands: Sequence[np.ndarray]) -> list[Any]:
        """The outputs."""
        feeds = dict(zip(self._fed[view], operands, strict=True))
        found: list[Any] = self._session.run(self._outputs[view], feeds)
        return found


class Sweep:
    """Sessions of both libraries for all recipes that were tried."""

    def __init__(self) -> None:
        self._program = functools.cache(self._make)

    @staticmethod
    def _make(is_oracle: bool, recipe: Recipe, dtype: str, threads: int) -> _Program:
        if is_oracle:
            return _Program(oracle, recipe, dtype)
        return _Program(
            dataflow,
            recipe,
            dtype,
            intra_op_parallelism_threads=threads,
            use_per_session_threads=True,
        )

    def ops(self, recipe: Recipe) -> set[str]:
        """The op types in the graph of a recipe."""
        program = self._program(False, recipe, recipe.dtypes[0], _THREADS[0])
        return {node.op for node in program.graph.as_graph_def().node}

    def differences(self, trial: Trial) -> str:
        """What differs from TensorFlow; empty if nothing does."""
        recipe = trial.recipe
        wide = _WIDE.get(trial.dtype, trial.dtype) if recipe.is_wide else trial.dtype
        theirs = self._program(True, recipe, wide, 0)
        plain = [np.array(array, order="C") for array in trial.operands]
        given = [
            array.astype(operand.dtype or wide)
            for array, operand in zip(plain, recipe.operands, strict=True)
        ]
        try:
            wanted: Any = theirs.run("fed", given)
        except oracle.errors.OpError as error:
            # The stack of the node's maker stands before what is wrong.
            said = error.message.split("[[{{node")[0].strip().splitlines()
            wanted = f"{type(error).__name__}: {said[-1]}"
        ours = self._program(False, recipe, trial.dtype, trial.threads)
        fed = [
            VIEWS[trial.view][0](array) if operand.is_moved else array
            for array, operand in zip(trial.operands, recipe.operands, strict=True)
        ]
        for _ in range(trial.runs):
            try:
                found: Any = ours.run(trial.view, fed)
            except Exception as error:
                found = type(error).__name__
                text = str(error).splitlines()[0]
                if type(wanted) is not str or not wanted.startswith(found):
                    said = wanted if type(wanted) is str else "no error"
                    return f"{found}: {text}; TensorFlow: {said}"
                continue
            if type(wanted) is str:
                return f"no error; TensorFlow: {wanted}"
            for place, (want, have) in enumerate(zip(wanted, found, strict=True)):
                said = _difference(np.asarray(want), np.asarray(have), trial, wide)
                if said:
                    return f"output {place}: {said}"
        return "" if all(map(_equal, plain, trial.operands)) else "an operand was written to"


def _equal(before: np.ndarray, after: np.ndarray) -> bool:
    return np.array_equal(before, after, equal_nan=before.dtype.kind in "fc")


def _difference(want: np.ndarray, have: np.ndarray, trial: Trial, wide: str) -> str:
    if have.shape != want.shape:
        return f"shape {have.shape} instead of {want.shape}"
    dtype = trial.dtype if want.dtype.name == wide else want.dtype.name
    if have.dtype.name != dtype:
        return f"type {have.dtype} instead of {dtype}"
    rtol = trial.recipe.rtol if want.dtype.kind in "fcV" else 0.0
    want, have = (_comparable(array) for array in (want, have))
    are_close = (
        np.isclose(have, want, rtol, rtol, equal_nan=True)
        if want.dtype.kind in "fc"
        else have == want
    )
    if are_close.all():
        return ""
    at = tuple(int(i) for i in np.argwhere(~are_close)[0])
    return (
        f"{np.count_nonzero(~are_close)} of {have.size}: {have[at]} instead of {want[at]} at {at}"
    )


def _comparable(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64) if array.dtype.kind == "V" else array
