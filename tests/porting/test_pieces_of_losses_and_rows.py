"""What TensorFlow's modules make of losses, rows and options of data, against TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.data.util import options as their_options
from tensorflow.python.ops import resource_variable_ops as their_variables
from tensorflow.python.ops import template as their_template
from tensorflow.python.ops.losses import util as their_losses
from tensorflow.python.ops.ragged import ragged_tensor as their_tensors
from tensorflow.python.ops.ragged import ragged_util as their_rows

import dataflow as tf
from dataflow.library.rnn.cell import ASSERT_LIKE_RNNCELL_ERROR_REGEXP
from dataflow.porting.spellings.data import joined_options
from dataflow.porting.spellings.keras import sample_weights
from dataflow.porting.spellings.ops import resource_variables as our_variables
from dataflow.porting.spellings.util import ragged_rows, stacks
from dataflow.porting.spellings.util.ragged_tests import RaggedTensorTestCase
from tests.oracle import open_session

LOSSES = [(tf, sample_weights), (oracle, their_losses)]
SHAPES = [
    ((2, 3), (2, 3), ()),
    ((2, 3), (2, 3), (2,)),
    ((2, 3), (2, 3), (2, 3, 1)),
    ((2, 3, 1), (2, 3), (2, 1)),
    ((2, 3), (2, 3, 1), (2, 3)),
    ((2, 3), (2,), (2, 1)),
    ((2, 1), None, (2, 1, 1)),
]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("shapes", SHAPES)
def test_labels_and_weights_fit_predictions(shapes: Any, known: bool) -> None:
    values = [None if shape is None else np.ones(shape, np.float32) for shape in shapes]
    found = []
    for lib, losses in LOSSES:
        with lib.Graph().as_default(), open_session(lib) as session:
            made = [
                None
                if value is None
                else lib.placeholder_with_default(value, value.shape if known else None)
                for value in values
            ]
            both = losses.squeeze_or_expand_dimensions(*made[:2])
            all_three = losses.squeeze_or_expand_dimensions(*made)
            fetched = [session.run(each) for each in (*both, *all_three) if each is not None]
            found.append([value.shape for value in fetched])
    assert found[0] == found[1]


def test_losses_times_weights() -> None:
    found = []
    for lib, losses in LOSSES:
        with lib.Graph().as_default(), open_session(lib) as session:
            scaled = losses.scale_losses_by_sample_weight(
                lib.constant([[1.0, 2.0], [3.0, 4.0]], lib.float64), lib.constant([[2], [3]])
            )
            with losses.check_per_example_loss_rank(lib.placeholder_with_default([1.0], None)):
                checked = lib.identity(scaled)
            found.append(session.run(checked))
    assert found[0].dtype == found[1].dtype
    assert found[0].tolist() == found[1].tolist() == [[2.0, 4.0], [9.0, 12.0]]


def test_a_loss_is_no_scalar() -> None:
    for lib, losses in LOSSES:
        with (
            lib.Graph().as_default(),
            pytest.raises(ValueError, match="at least rank 1"),
            losses.check_per_example_loss_rank(lib.constant(1.0)),
        ):
            pass
        with lib.Graph().as_default(), open_session(lib) as session:
            with losses.check_per_example_loss_rank(lib.placeholder_with_default(1.0, None)):
                checked = lib.constant(1)
            with pytest.raises(lib.errors.InvalidArgumentError, match="with at least rank 1"):
                session.run(checked)


ROWS: dict[str, Callable[[Any, Any], Any]] = {
    "lengths": lambda lib, rows: rows.lengths_to_splits(lib.constant([2, 0, 3])),
    "ranges": lambda lib, rows: [
        rows.repeat_ranges(
            lib.constant(list("abcd")),
            lib.constant([0, 2, 3, 4], lib.int64),
            lib.constant(count, lib.int64),
        )
        for count in (3, [1, 0, 2])
    ],
    "matching": lambda lib, rows: rows.assert_splits_match(
        [[lib.constant([0, 2])], [lib.constant([0, 2])]]
    ),
}


@pytest.mark.parametrize("program", ROWS.values(), ids=list(ROWS))
def test_rows(program: Any) -> None:
    found = []
    for lib, rows in ((tf, ragged_rows), (oracle, their_rows)):
        with lib.Graph().as_default(), open_session(lib) as session:
            made = program(lib, rows)
            found.append(session.run(made))
    np.testing.assert_equal(*found)


def test_splits_that_differ() -> None:
    for lib, rows in ((tf, ragged_rows), (oracle, their_rows)):
        with lib.Graph().as_default(), open_session(lib) as session:
            splits = [lib.constant([0, 2]), lib.placeholder_with_default([0, 1], None)]
            with pytest.raises(ValueError, match="Inputs must have identical ragged splits"):
                rows.assert_splits_match([splits, splits[:1]])
            (check,) = rows.assert_splits_match([splits[:1], splits[1:]])
            with pytest.raises(lib.errors.InvalidArgumentError, match="identical ragged splits"):
                session.run(check)


def test_splits_have_one_type() -> None:
    for lib, tensors in ((tf, ragged_rows), (oracle, their_tensors)):
        with lib.Graph().as_default():
            one, other = (
                lib.ragged.constant([[1]], row_splits_dtype=kind) for kind in (lib.int32, lib.int64)
            )
            dense = lib.constant([1])
            match = tensors.match_row_splits_dtypes
            assert match(one, dense, return_dtype=True)[0] == lib.int32
            assert match(dense, return_dtype=True)[0] == lib.int64
            assert match(one, one)[0] is one
            with pytest.raises(ValueError, match="mismatched row_splits dtypes"):
                match(one, other)
    assert not ragged_rows.auto_cast_partition_dtype()


class _Rows(RaggedTensorTestCase):
    def runTest(self) -> None:
        rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
        self.assertRaggedEqual(rows, [[1.0], [2.0, 3.0]])
        self.assertRaggedEqual(rows, rows * 1.0)
        self.assertRaggedEqual(tf.constant([b"a"]), np.array([b"a"]))
        self.assertRaggedAlmostEqual(rows, [[1.0], [2.0, 3.00000001]])
        self.assertEqual(self.eval_to_list(rows), [[1.0], [2.0, 3.0]])
        square = tf.constant([[1.0]])
        for a, b in [(rows, [[1.0], [2.0]]), (square, tf.RaggedTensor.from_tensor(square))]:
            for compare in (self.assertRaggedEqual, self.assertRaggedAlmostEqual):
                with self.assertRaises(AssertionError):
                    compare(a, b)


def test_what_tests_of_rows_are_made_of() -> None:
    outcome = _Rows().run()
    assert outcome is not None
    assert outcome.wasSuccessful(), outcome.errors + outcome.failures


def test_a_stack_without_what_another_has() -> None:
    for skip in (stacks._skip_common_stack_elements, their_template._skip_common_stack_elements):
        assert skip(list("abc"), list("abx")) == ["c"]
        assert skip(list("abc"), list("abc")) == ["c"]
        assert skip(list("abc"), list("x")) == list("abc")


def test_a_copy_of_a_variable_has_no_initializer() -> None:
    found = []
    for lib, module in ((tf, our_variables), (oracle, their_variables)):
        with lib.Graph().as_default(), lib.variable_scope("s"):
            given = lib.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
        with lib.Graph().as_default() as graph, open_session(lib) as session:
            copied = module.copy_to_graph_uninitialized(given)
            assert copied.initializer is None
            with pytest.raises(lib.errors.FailedPreconditionError):
                session.run(copied)
            read = session.run([copied.assign([3.0, 4.0]), copied.is_initialized()])
            assert read[0].tolist() == [3.0, 4.0]
            assert session.run(copied).tolist() == [3.0, 4.0]
            nodes = [op.name for op in graph.get_operations()][:3]
            found.append((copied.name, copied.trainable, copied.shape.as_list(), nodes))
    assert found[0] == found[1]


def _options(module: Any, base: Any) -> Any:
    class Inner(base):  # type: ignore[misc]
        depth = module.create_option("depth", int, "How deep.", lambda: 1)

    class Outer(base):  # type: ignore[misc]
        name = module.create_option("name", str, "A name.")
        inner = module.create_option("inner", Inner, "Others.", Inner)

    first, second = Outer(), Outer()
    first.name = "a"
    second.inner.depth = 3
    merged = module.merge_options(first, second)
    again = Outer()
    again.name = "a"
    assert module.merge_options(first, again).name == "a"
    said = []
    for call in (
        lambda: module.merge_options(),
        lambda: module.merge_options(first, Inner()),
        lambda: module.merge_options(1, 2),
        lambda: setattr(first, "name", 3),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        said.append(caught.type)
    return merged.name, merged.inner.depth, Outer().inner.depth, Outer.name.__doc__, said


def test_options_of_ones_own() -> None:
    ours = _options(joined_options, joined_options.OptionsBase)
    assert ours == _options(their_options, their_options.OptionsBase)


def test_options_that_contradict_are_refused_as_by_1_15() -> None:
    first, second = tf.data.Options(), tf.data.Options()
    first.deterministic, second.deterministic = True, False
    with pytest.raises(ValueError, match="Cannot merge incompatible values"):
        joined_options.merge_options(first, second)


def test_what_is_no_cell_is_told_so() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match=ASSERT_LIKE_RNNCELL_ERROR_REGEXP):
        tf.nn.dynamic_rnn(None, tf.ones([1, 2, 3]), dtype=tf.float32)
