"""tensorflow.python.ops.parallel_for.test_util: what tests of `pfor` are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.graph.sparse_tensor import is_sparse
from dataflow.porting.spellings.ops.parallel import for_loop, pfor
from dataflow.testing.graph_test_case import TestCase
from dataflow.values import nest
from dataflow.variables.variable import global_variables_initializer

_SPARSE_PARTS = ("indices", "values", "dense_shape")


class PForTestCase(TestCase):
    """A test that compares what loops give."""

    def _run_targets(self, targets1: Any, targets2: Any = None, run_init: bool = True) -> Any:
        """The values of two structures of tensors, one behind the other."""
        first, second = nest.flatten(targets1), [] if targets2 is None else nest.flatten(targets2)
        if second:
            self.assertEqual(len(first), len(second))
        if run_init:
            self.evaluate(global_variables_initializer())
        return self.evaluate(first + second)

    def run_and_assert_equal(
        self, targets1: Any, targets2: Any, rtol: float = 1e-4, atol: float = 1e-5
    ) -> None:
        """Two structures of tensors have the same values, but for rounding."""
        found = self._run_targets(targets1, targets2)
        count = len(found) // 2
        for first, second in zip(found[:count], found[count:], strict=True):
            pairs = [(first, second)]
            if is_sparse(first):
                pairs = [(getattr(first, part), getattr(second, part)) for part in _SPARSE_PARTS]
            for expected, actual in pairs:
                if np.asarray(actual).dtype.kind == "O":
                    self.assertAllEqual(actual, expected)
                else:
                    self.assertAllClose(actual, expected, rtol=rtol, atol=atol)

    def _test_loop_fn(
        self,
        loop_fn: Callable[..., Any],
        iters: Any,
        loop_fn_dtypes: Any = None,
        parallel_iterations: int | None = None,
        fallback_to_while_loop: bool = False,
        rtol: float = 1e-4,
        atol: float = 1e-5,
    ) -> None:
        """`pfor` and `for_loop` of a function give the same.

        Args:
          loop_fn: The function.
          iters: How often it is called.
          loop_fn_dtypes: The types of its results; those that `pfor` finds by default.
          parallel_iterations: Of both.
          fallback_to_while_loop: Of `pfor`.
          rtol: How far results may differ, relative to them,
          atol: and beside that.
        """
        first = pfor(
            loop_fn,
            iters=iters,
            parallel_iterations=parallel_iterations,
            fallback_to_while_loop=fallback_to_while_loop,
        )
        if loop_fn_dtypes is None:
            loop_fn_dtypes = nest.map_structure(lambda each: each.dtype, first)
        second = for_loop(loop_fn, loop_fn_dtypes, iters, parallel_iterations)
        self.run_and_assert_equal(first, second, rtol, atol)
