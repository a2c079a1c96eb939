"""dataset_serialization_test_base and checkpoint_test_base: iterators saved on their way."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dataflow import errors
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.sparse_tensor import SparseTensor, is_sparse
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets import element_nest
from dataflow.library.datasets.dataset import make_initializable_iterator
from dataflow.library.table_initializers import tables_initializer
from dataflow.saving.import_meta_graph import import_meta_graph
from dataflow.saving.iterator_state import make_saveable_from_iterator
from dataflow.saving.saver import Saver
from dataflow.saving.state import latest_checkpoint
from dataflow.testing.graph_test_case import TestCase
from dataflow.values import dtypes
from dataflow.variables.variable import global_variables_initializer

_KEPT = "iterator_ops"
"""The collection by which imported graphs find the initializer and the element's tensors."""


def remove_variants(get_next_op: Any) -> Any:
    """The structure of an element, with an empty tuple in the place of what cannot be fetched."""
    kept = [
        () if isinstance(part, Tensor) and part.dtype == dtypes.variant else part
        for part in element_nest.flatten(get_next_op)
    ]
    return element_nest.pack(get_next_op, kept)


class DatasetSerializationTestBase(TestCase):
    """A test that saves iterators, and goes on with them in other graphs and sessions.

    In all methods `ds_fn` makes the dataset in the default graph, which has `num_outputs` elements;
    `sparse_tensors` tells that these are the parts of one sparse tensor; `verify_exhausted` that
    no more elements may come; `assert_items_equal` that they may come in any order.
    """

    def tearDown(self) -> None:
        """Deletes the checkpoints."""
        self._delete_ckpt()
        super().tearDown()

    def run_core_tests(
        self, ds_fn: Callable[[], Any], num_outputs: int, sparse_tensors: bool = False
    ) -> None:
        """Saves an iterator unused, used, at its end, and at many places between."""
        for verify in (
            self.verify_unused_iterator,
            self.verify_fully_used_iterator,
            self.verify_exhausted_iterator,
            self.verify_multiple_breaks,
            self.verify_reset_restored_iterator,
        ):
            verify(ds_fn, num_outputs, sparse_tensors=sparse_tensors)

    def verify_unused_iterator(
        self,
        ds_fn: Callable[[], Any],
        num_outputs: int,
        sparse_tensors: bool = False,
        verify_exhausted: bool = True,
        assert_items_equal: bool = False,
    ) -> None:
        """An iterator that was saved before its first element gives all."""
        self.verify_run_with_breaks(
            ds_fn, [0], num_outputs, sparse_tensors, verify_exhausted, assert_items_equal
        )

    def verify_fully_used_iterator(
        self,
        ds_fn: Callable[[], Any],
        num_outputs: int,
        sparse_tensors: bool = False,
        assert_items_equal: bool = False,
    ) -> None:
        """One that was saved behind its last element gives no more."""
        self.verify_run_with_breaks(
            ds_fn,
            [num_outputs],
            num_outputs,
            sparse_tensors,
            assert_items_equal=assert_items_equal,
        )

    def verify_exhausted_iterator(
        self,
        ds_fn: Callable[[], Any],
        num_outputs: int,
        sparse_tensors: bool = False,
        assert_items_equal: bool = False,
    ) -> None:
        """One that was saved after it said that there are no more stays at its end."""
        self.gen_outputs(ds_fn, [], num_outputs, sparse_tensors=sparse_tensors)
        self.assertEmpty(
            self.gen_outputs(ds_fn, [], 0, ckpt_saved=True, sparse_tensors=sparse_tensors)
        )

    def verify_multiple_breaks(
        self,
        ds_fn: Callable[[], Any],
        num_outputs: int,
        num_breaks: int = 10,
        sparse_tensors: bool = False,
        verify_exhausted: bool = True,
        assert_items_equal: bool = False,
    ) -> None:
        """One that is saved and restored so often on its way gives what it gives without."""
        places = self.gen_break_points(num_outputs, num_breaks)
        self.verify_run_with_breaks(
            ds_fn, places, num_outputs, sparse_tensors, verify_exhausted, assert_items_equal
        )

    def verify_reset_restored_iterator(
        self,
        ds_fn: Callable[[], Any],
        num_outputs: int,
        break_point: int | None = None,
        sparse_tensors: bool = False,
        verify_exhausted: bool = True,
        assert_items_equal: bool = False,
    ) -> None:
        """One that is initialized after it was restored begins anew."""
        options: dict[str, Any] = {"sparse_tensors": sparse_tensors}
        expected = self.gen_outputs(
            ds_fn, [], num_outputs, verify_exhausted=verify_exhausted, **options
        )
        middle = break_point or num_outputs // 2
        self.gen_outputs(ds_fn, [], middle, verify_exhausted=False, **options)
        with Graph().as_default() as graph:
            saver = self._import_meta_graph()
            init_op, element = self._get_iterator_ops_from_collection(ds_fn, sparse_tensors)
            with self.session(graph=graph) as session:
                self._initialize(init_op, session)
                self._restore(saver, session)
                self._initialize(init_op, session)
                actual = self._taken(session, element, num_outputs, verify_exhausted)
        self.match(expected, actual, assert_items_equal)

    def verify_error_on_save(
        self,
        ds_fn: Callable[[], Any],
        num_outputs: int,
        error: type[Exception],
        break_point: int | None = None,
        sparse_tensors: bool = False,
        assert_items_equal: bool = False,
    ) -> None:
        """One cannot be saved on its way."""
        with Graph().as_default() as graph:
            init_op, element, saver = self._build_graph(ds_fn, sparse_tensors)
            with self.session(graph=graph) as session:
                self._initialize(init_op, session)
                self._taken(session, element, break_point or num_outputs // 2, False)
                with self.assertRaises(error):
                    self._save(session, saver)

    def verify_run_with_breaks(
        self,
        ds_fn: Callable[[], Any],
        break_points: Sequence[int],
        num_outputs: int,
        sparse_tensors: bool = False,
        verify_exhausted: bool = True,
        assert_items_equal: bool = False,
    ) -> None:
        """One gives the same elements whether or not it is saved and restored at these places."""
        options = {"sparse_tensors": sparse_tensors, "verify_exhausted": verify_exhausted}
        expected = self.gen_outputs(ds_fn, [], num_outputs, **options)
        actual = self.gen_outputs(ds_fn, break_points, num_outputs, **options)
        self.match(expected, actual, assert_items_equal)

    def gen_outputs(
        self,
        ds_fn: Callable[[], Any],
        break_points: Sequence[int],
        num_outputs: int,
        ckpt_saved: bool = False,
        sparse_tensors: bool = False,
        verify_exhausted: bool = True,
        save_checkpoint_at_end: bool = True,
    ) -> list[Any]:
        """The elements of an iterator, with another graph and session from each place on.

        Args:
          ds_fn: Makes the dataset.
          break_points: Behind how many elements it is saved and restored.
          num_outputs: How many elements are taken.
          ckpt_saved: Whether it begins where it was saved before.
          sparse_tensors: See above.
          verify_exhausted: See above.
          save_checkpoint_at_end: Whether it is saved behind the last element, too.
        """
        outputs: list[Any] = []
        ends = [*break_points, num_outputs]
        for start, end in zip([0, *break_points], ends, strict=True):
            is_last = len(outputs) + end - start == num_outputs and end is ends[-1]
            with Graph().as_default() as graph:
                if ckpt_saved:
                    saver = self._import_meta_graph()
                    init_op, element = self._get_iterator_ops_from_collection(ds_fn, sparse_tensors)
                else:
                    init_op, element, saver = self._build_graph(ds_fn, sparse_tensors)
                with self.session(graph=graph) as session:
                    self._initialize(init_op, session)
                    if ckpt_saved:
                        self._restore(saver, session)
                    ends_here = is_last and verify_exhausted
                    outputs += self._taken(session, element, end - start, ends_here)
                    if save_checkpoint_at_end or not is_last:
                        self._save(session, saver)
                        ckpt_saved = True
        return outputs

    def _taken(self, session: Any, element: Any, count: int, is_all: bool) -> list[Any]:
        fetched = remove_variants(element)
        found = [session.run(fetched) for _ in range(count)]
        if is_all:
            with self.assertRaises(errors.OutOfRangeError):
                session.run(fetched)
        return found

    def match(self, expected: Any, actual: Any, assert_items_equal: bool = False) -> None:
        """Two structures have the same types and values."""
        if isinstance(expected, np.ndarray | np.generic):
            expected = expected.tolist()
        if isinstance(actual, np.ndarray | np.generic):
            actual = actual.tolist()
        self.assertEqual(type(expected), type(actual))
        if isinstance(expected, dict):
            self.assertEqual(sorted(expected), sorted(actual))
            for key, value in expected.items():
                self.match(value, actual[key])
        elif isinstance(expected, list | tuple):
            self.assertLen(actual, len(expected))
            if assert_items_equal:
                expected, actual = sorted(expected), sorted(actual)
            for first, second in zip(expected, actual, strict=True):
                self.match(first, second)
        elif hasattr(expected, "row_splits"):
            self.match(expected.to_list(), actual.to_list())
        else:
            self.assertEqual(expected, actual)

    def does_not_match(self, expected: Any, actual: Any) -> None:
        """Two structures differ."""
        with self.assertRaises(AssertionError):
            self.match(expected, actual)

    def gen_break_points(self, num_outputs: int, num_samples: int = 10) -> Any:
        """So many places, evenly from the first element to the last."""
        return np.linspace(0, num_outputs, num_samples, dtype=int)

    def _build_graph(
        self, ds_fn: Callable[[], Any], sparse_tensors: bool = False
    ) -> tuple[Any, Any, Saver]:
        iterator = make_initializable_iterator(ds_fn())
        saveable = make_saveable_from_iterator(iterator)
        scopes.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)
        element = iterator.get_next()
        if sparse_tensors:
            element = SparseTensor(*element)
        scopes.add_to_collection(_KEPT, iterator.initializer)
        for part in [element] if sparse_tensors else element_nest.flatten(element):
            for tensor in _parts(part) if is_sparse(part) else [part]:
                scopes.add_to_collection(_KEPT, tensor)
        return iterator.initializer, element, Saver(allow_empty=True)

    def _get_iterator_ops_from_collection(
        self, ds_fn: Callable[[], Any], sparse_tensors: bool = False
    ) -> tuple[Any, Any]:
        init_op, *tensors = scopes.get_collection(_KEPT)
        if sparse_tensors:
            return init_op, SparseTensor(*tensors)
        rest = iter(tensors)
        classes = element_nest.flatten(self._get_output_classes(ds_fn))
        found = [
            SparseTensor(next(rest), next(rest), next(rest)) if kind is SparseTensor else next(rest)
            for kind in classes
        ]
        return init_op, element_nest.pack(self._get_output_types(ds_fn), found)

    def _get_output_types(self, ds_fn: Callable[[], Any]) -> Any:
        with Graph().as_default():
            return ds_fn().output_types

    def _get_output_shapes(self, ds_fn: Callable[[], Any]) -> Any:
        with Graph().as_default():
            return ds_fn().output_shapes

    def _get_output_classes(self, ds_fn: Callable[[], Any]) -> Any:
        with Graph().as_default():
            return ds_fn().output_classes

    def _ckpt_path(self) -> str:
        return os.path.join(self.get_temp_dir(), "iterator")

    def _latest_ckpt(self) -> str | None:
        return latest_checkpoint(self.get_temp_dir())

    def _save(self, sess: Any, saver: Saver) -> None:
        saver.save(sess, self._ckpt_path())

    def _restore(self, saver: Any, sess: Any) -> None:
        sess.run(tables_initializer())
        saver.restore(sess, self._latest_ckpt())

    def _initialize(self, init_op: Any, sess: Any) -> None:
        sess.run(global_variables_initializer())
        sess.run(tables_initializer())
        sess.run(init_op)

    def _import_meta_graph(self) -> Any:
        return import_meta_graph(self._ckpt_path() + ".meta")

    def _delete_ckpt(self) -> None:
        for file in Path(self.get_temp_dir()).glob("iterator*"):
            file.unlink()


def _parts(sparse: Any) -> tuple[Any, Any, Any]:
    return sparse.indices, sparse.values, sparse.dense_shape
