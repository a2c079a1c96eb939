"""tensorflow.python.ops.ragged.ragged_test_util of TensorFlow 1.13 and 1.14: comparing rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.graph.tensor import Tensor
from dataflow.library.ragged.tensor import is_ragged
from dataflow.testing.graph_test_case import TestCase


class RaggedTensorTestCase(TestCase):
    """A test that compares ragged tensors, others, and nested lists."""

    def _GetPyList(self, a: Any) -> Any:
        """The elements, as nested lists."""
        value = self.evaluate(a) if is_ragged(a) or isinstance(a, Tensor) else a
        if isinstance(value, list | tuple):
            return [self._GetPyList(each) for each in value]
        return value.to_list() if hasattr(value, "to_list") else np.array(value).tolist()

    def eval_to_list(self, tensor: Any) -> Any:
        """The elements of a tensor, as nested lists."""
        return self._GetPyList(tensor)

    def assertRaggedEqual(self, a: Any, b: Any) -> None:
        """Two have equal elements, and as many ragged dimensions unless one is a list."""
        self.assertEqual(self._GetPyList(a), self._GetPyList(b))
        self._assert_ranks(a, b)

    def assertRaggedAlmostEqual(self, a: Any, b: Any, places: int = 7) -> None:
        """As `assertRaggedEqual`, with numbers rounded to so many places."""
        self._assert_close(self._GetPyList(a), self._GetPyList(b), places)
        self._assert_ranks(a, b)

    def _assert_ranks(self, a: Any, b: Any) -> None:
        if not isinstance(a, list | tuple) and not isinstance(b, list | tuple):
            first, second = (getattr(each, "ragged_rank", 0) for each in (a, b))
            self.assertEqual(first, second)

    def _assert_close(self, a: Any, b: Any, places: int) -> None:
        self.assertEqual(type(a), type(b))
        if not isinstance(a, list):
            self.assertAlmostEqual(a, b, places)
            return
        self.assertLen(a, len(b))
        for first, second in zip(a, b, strict=True):
            self._assert_close(first, second, places)
