"""tensorflow.python.data.kernel_tests.test_base: what tests of datasets are made of."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dataflow import errors
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import is_sparse
from dataflow.library.datasets import dataset as datasets
from dataflow.library.datasets import element_nest
from dataflow.library.datasets.dataset import Dataset
from dataflow.library.datasets.experimental.tables import DatasetInitializer
from dataflow.library.lookup.initializers import (
    KeyValueTensorInitializer,
    TextFileIndex,
    TextFileInitializer,
)
from dataflow.ops.array.fill import zeros
from dataflow.porting.spellings.framework.combinations import combine
from dataflow.testing.graph_test_case import TestCase
from dataflow.values import dtypes


def default_test_combinations() -> list[dict[str, Any]]:
    """The versions and modes that tests of datasets run in."""
    return combine(tf_api_version=[1, 2], mode=["eager", "graph"])


def eager_only_combinations() -> list[dict[str, Any]]:
    """Those of tests that need eager execution."""
    return combine(tf_api_version=[1, 2], mode="eager")


def graph_only_combinations() -> list[dict[str, Any]]:
    """Those of tests that need graphs."""
    return combine(tf_api_version=[1, 2], mode="graph")


def v1_only_combinations() -> list[dict[str, Any]]:
    """Those of tests of what version 2 has not."""
    return combine(tf_api_version=1, mode=["eager", "graph"])


def v2_only_combinations() -> list[dict[str, Any]]:
    """Those of tests of what version 1 has not."""
    return combine(tf_api_version=2, mode=["eager", "graph"])


def v2_eager_only_combinations() -> list[dict[str, Any]]:
    """Those of tests of what only eager execution in version 2 has."""
    return combine(tf_api_version=2, mode="eager")


class DatasetTestBase(TestCase):
    """A test that runs datasets and compares their elements."""

    def assert_op_cancelled(self, op: Any) -> None:
        """An operation ends since it is cancelled."""
        with self.assertRaises(errors.CancelledError):
            self.evaluate(op)

    def assertValuesEqual(self, expected: Any, actual: Any) -> None:
        """Two values, dense or sparse ones, are equal."""
        if not is_sparse(expected):
            self.assertAllEqual(expected, actual)
            return
        for part in ("indices", "values", "dense_shape"):
            self.assertAllEqual(getattr(expected, part), getattr(actual, part))

    def getNext(
        self, dataset: Any, requires_initialization: bool = False, shared_name: str | None = None
    ) -> Callable[[], Any]:
        """A function whose result is the next element, when it is evaluated.

        Args:
          dataset: Has the elements.
          requires_initialization: Whether it has state, so that its iterator has an initializer.
          shared_name: Of that iterator.
        """
        if requires_initialization:
            iterator = datasets.make_initializable_iterator(dataset, shared_name)
            self.evaluate(iterator.initializer)
        else:
            iterator = datasets.make_one_shot_iterator(dataset)
        element = iterator.get_next()
        return lambda: element.stack() if hasattr(element, "stack") else element

    def getDatasetOutput(self, dataset: Any, requires_initialization: bool = False) -> list[Any]:
        """All elements of a dataset."""
        return self.getIteratorOutput(self.getNext(dataset, requires_initialization))

    def getIteratorOutput(self, get_next: Callable[[], Any]) -> list[Any]:
        """All elements that are still to come by what `getNext` gave."""
        found: list[Any] = []
        with contextlib.suppress(errors.OutOfRangeError):
            while True:
                found.append(self.evaluate(get_next()))
        return found

    def checkDeterminism(
        self,
        dataset_fn: Callable[[int], Any],
        expect_determinism: bool,
        expected_elements: Sequence[Any],
    ) -> None:
        """Elements come in this order, though the first one is late; or, by chance, in another.

        Args:
          dataset_fn: Makes the dataset, whose first element takes so many milliseconds.
          expect_determinism: Whether only this order is right.
          expected_elements: The elements.
        """
        if expect_determinism:
            self.assertAllEqual(expected_elements, self.getDatasetOutput(dataset_fn(100)))
            return
        for delay in (10, 100, 1000, 20000, 100000):
            found = self.getDatasetOutput(dataset_fn(delay))
            self.assertCountEqual(expected_elements, found)
            if found != list(expected_elements):
                return
        self.fail("Failed to observe nondeterministic ordering")

    def textFileInitializer(self, vals: Sequence[Any]) -> TextFileInitializer:
        """Of a table from the numbers of a file's lines to the numbers in them."""
        path = os.path.join(self.get_temp_dir(), "text_file_initializer")
        Path(path).write_text("".join(f"{value}\n" for value in vals))
        key, value = TextFileIndex.LINE_NUMBER, TextFileIndex.WHOLE_LINE
        return TextFileInitializer(path, dtypes.int64, key, dtypes.int64, value)

    def keyValueTensorInitializer(self, vals: Sequence[Any]) -> KeyValueTensorInitializer:
        """Of a table from 0, 1, ... to values."""
        keys = convert_to_tensor(list(range(len(vals))), dtypes.int64)
        return KeyValueTensorInitializer(keys, convert_to_tensor(vals))

    def datasetInitializer(self, vals: Sequence[Any]) -> DatasetInitializer:
        """Of a table from 0, 1, ... to values that a dataset has."""
        values = Dataset.from_tensor_slices(vals)
        return DatasetInitializer(Dataset.zip((Dataset.range(len(vals)), values)))

    def lookupTableInitializer(self, init_source: str, vals: Sequence[Any]) -> Any:
        """Of a table from 0, 1, ... to values: of a "textfile", a "keyvaluetensor", a "dataset".

        Raises:
          ValueError: There is no such source.
        """
        made = {
            "textfile": self.textFileInitializer,
            "keyvaluetensor": self.keyValueTensorInitializer,
            "dataset": self.datasetInitializer,
        }.get(init_source)
        if made is None:
            raise ValueError(f"Unrecognized init_source: {init_source}")
        return made(vals)

    def assertDatasetProduces(
        self,
        dataset: Any,
        expected_output: Sequence[Any] | None = None,
        expected_shapes: Any = None,
        expected_error: tuple[type[Exception], Any] | None = None,
        requires_initialization: bool = False,
        num_test_iterations: int = 1,
        assert_items_equal: bool = False,
        expected_error_iter: int = 1,
    ) -> None:
        """A dataset has these elements and no more, or fails in this way.

        Args:
          dataset: The dataset.
          expected_output: Its elements.
          expected_shapes: Its `output_shapes`.
          expected_error: A type, and what `assertRaisesWithPredicateMatch` takes.
          requires_initialization: Whether it has state.
          num_test_iterations: How often it is gone through.
          assert_items_equal: Whether the order of the elements does not matter.
          expected_error_iter: With how many elements it fails at the latest.
        """
        if expected_error:
            self.assertIsNone(expected_output, "An error and elements are expected.")
            with self.assertRaisesWithPredicateMatch(*expected_error):
                get_next = self.getNext(dataset, requires_initialization)
                for _ in range(expected_error_iter):
                    self.evaluate(get_next())
            return
        assert expected_output is not None, "Neither an error nor elements are expected."
        if expected_shapes:
            self.assertEqual(expected_shapes, dataset.output_shapes)
        self.assertGreater(num_test_iterations, 0)
        for _ in range(num_test_iterations):
            get_next = self.getNext(dataset, requires_initialization)
            found = [self.evaluate(get_next()) for _ in expected_output]
            self._compareOutputToExpected(found, expected_output, assert_items_equal)
            for _ in range(2):
                with self.assertRaises(errors.OutOfRangeError):
                    self.evaluate(get_next())

    def _compareOutputToExpected(
        self, result_values: Sequence[Any], expected_values: Sequence[Any], assert_items_equal: bool
    ) -> None:
        if assert_items_equal:
            self.assertCountEqual(result_values, expected_values)
            return
        for actual, wanted in zip(result_values, expected_values, strict=True):
            first, second = element_nest.flatten(actual), element_nest.flatten(wanted)
            self.assertEqual(len(first), len(second))
            for value, other in zip(first, second, strict=True):
                self.assertValuesEqual(other, value)

    def assertDatasetsEqual(self, dataset1: Any, dataset2: Any) -> None:
        """Two datasets have elements of one structure, and equal ones."""
        for part in ("output_types", "output_classes"):
            self.assertEqual(getattr(dataset1, part), getattr(dataset2, part))
        types = element_nest.flatten(dataset1.output_types)
        next1, next2 = self.getNext(dataset1), self.getNext(dataset2)
        while True:
            try:
                first = self.evaluate(next1())
            except errors.OutOfRangeError:
                with self.assertRaises(errors.OutOfRangeError):
                    self.evaluate(next2())
                return
            second = self.evaluate(next2())
            pairs = zip(element_nest.flatten(first), element_nest.flatten(second), strict=True)
            for dtype, (value, other) in zip(types, pairs, strict=True):
                if is_sparse(value) or hasattr(value, "row_splits") or dtype == dtypes.string:
                    self.assertValuesEqual(value, other)
                else:
                    self.assertAllClose(value, other)

    def assertDatasetsRaiseSameError(
        self,
        dataset1: Any,
        dataset2: Any,
        exception_class: type[Exception],
        replacements: Sequence[tuple[str, str, int]] | None = None,
    ) -> None:
        """The first elements of two datasets fail with one message.

        Args:
          dataset1: Its message is changed by `replacements`, which are arguments of `str.replace`,
          dataset2: and the one of this holds that.
          exception_class: Of both errors.
          replacements: By default none.
        """
        next1, next2 = self.getNext(dataset1), self.getNext(dataset2)
        with self.assertRaises(exception_class) as caught:
            self.evaluate(next1())
        message = str(getattr(caught.exception, "message", caught.exception))
        for old, new, count in replacements or ():
            message = message.replace(old, new, count)
        with self.assertRaisesRegex(exception_class, re.escape(message)):
            self.evaluate(next2())

    def structuredDataset(
        self, dataset_structure: Any, shape: Any = None, dtype: Any = dtypes.int64
    ) -> Any:
        """A dataset of one element: zeros, or a structure of them where the argument is one."""
        if dataset_structure is None:
            return Dataset.from_tensors(zeros(shape or [], dtype))
        return Dataset.zip(
            tuple(self.structuredDataset(each, shape, dtype) for each in dataset_structure)
        )

    def structuredElement(
        self, element_structure: Any, shape: Any = None, dtype: Any = dtypes.int64
    ) -> Any:
        """Zeros, or a structure of them where the argument is one."""
        if element_structure is None:
            return zeros(shape or [], dtype)
        return tuple(self.structuredElement(each, shape, dtype) for each in element_structure)
