"""Internal modules of TensorFlow's that libraries for reinforcement learning and hubs use."""

from __future__ import annotations

import io
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from keras.src.utils import python_utils
from tensorflow.python.distribute import summary_op_util as their_summaries
from tensorflow.python.feature_column import feature_column as their_older_columns
from tensorflow.python.feature_column import feature_column_v2 as their_columns
from tensorflow.python.feature_column.feature_column_v2_types import FeatureColumn
from tensorflow.python.framework import tensor_spec
from tensorflow.python.ops import resources as their_resources
from tensorflow.python.saved_model import nested_structure_coder

import dataflow as tf
from dataflow.library.concrete.bounds import BoundedTensorSpec
from dataflow.library.layers.untracked import (
    NoDependency,
    no_automatic_dependency_tracking,
    no_automatic_dependency_tracking_scope,
)
from dataflow.porting.spellings import (
    monitoring,
    structure_messages,
    trackables,
)
from dataflow.porting.spellings.columns import names
from dataflow.porting.spellings.framework.c_interface import TF_TryEvaluateConstant_wrapper
from dataflow.porting.spellings.keras import codes
from dataflow.porting.spellings.keras.convolutions import Convolution
from dataflow.porting.spellings.ops import flow, summaries
from dataflow.saving.checkpoint.trackables import children
from dataflow.variables import resources

Pair = namedtuple("Pair", ["first", "second"])


def structure(tf: Any, bounded: Any) -> Any:
    return {
        "pair": Pair(tf.TensorSpec([2, None], tf.float32, "x"), (1, 2.5, True, None, "text")),
        "shapes": [tf.TensorShape([3]), tf.int64],
        "bounded": bounded([2], tf.float32, -1.0, 1.0, "b"),
        "sparse": tf.SparseTensorSpec([None, 2], tf.float32),
        "ragged": tf.RaggedTensorSpec([None, None], tf.int32, 1, tf.int64),
    }


def test_structures_as_messages() -> None:
    value = structure(tf, BoundedTensorSpec)
    coder = structure_messages.StructureCoder()
    message = coder.encode_structure(value)
    theirs = nested_structure_coder.encode_structure(
        structure(oracle, tensor_spec.BoundedTensorSpec)
    )
    assert message.SerializeToString(deterministic=True) == theirs.SerializeToString(
        deterministic=True
    )
    again = coder.decode_proto(message)
    assert again["bounded"] == value["bounded"] and again["sparse"] == value["sparse"]
    assert again["ragged"] == value["ragged"] and again["pair"][1] == value["pair"][1]
    assert coder.can_encode([1]) and not coder.can_encode([object()])
    with pytest.raises(structure_messages.NotEncodableError):
        coder.encode_structure(object())
    with pytest.raises(structure_messages.NotEncodableError):
        coder.decode_proto(type(message)())


def test_numbers_that_programs_count() -> None:
    counter = monitoring.Counter("/a", "about", "method")
    counter.get_cell("x").increase_by(2)
    counter.get_cell("x").increase_by(3)
    assert (counter.get_cell("x").value(), counter.get_cell("y").value()) == (5, 0)
    gauge = monitoring.BoolGauge("/b", "about")
    gauge.get_cell().set(1)
    assert gauge.get_cell().value() is True
    sampler = monitoring.Sampler("/c", monitoring.ExponentialBuckets(1.0, 2.0, 3), "about")
    for value in (0.5, 1.0, 3.0, 9.0):
        sampler.get_cell().add(value)
    assert sampler.get_cell().value() == [1, 1, 1, 1]
    with pytest.raises(ValueError, match="expects taking 1 labels"):
        counter.get_cell()


def test_resources_are_initialised_by_a_scaffold() -> None:
    def program(tf: Any, module: Any) -> Any:
        with tf.Graph().as_default():
            for name, shared in (("shared", True), ("own", False)):
                variable = tf.get_variable(name, [], use_resource=True, collections=[])
                state = (variable.handle, variable.initializer, variable.is_initialized())
                module.register_resource(*state, is_shared=shared)
            everything = module.report_uninitialized_resources()
            scaffold = tf.train.Scaffold().finalize()
            with tf.Session() as session:
                before = session.run([everything, scaffold.ready_for_local_init_op])
                session.run(scaffold.init_op)
                between = session.run([everything, scaffold.ready_for_local_init_op])
                session.run(scaffold.local_init_op)
                found = (*before, *between, session.run(scaffold.ready_op))
        return [each.tolist() for each in found]

    ours = program(tf, resources)
    assert ours == program(oracle, their_resources)
    assert ours == [[b"shared:0", b"own:0"], [b"shared:0"], [b"own:0"], [], []]


class Kept(tf.train.experimental.PythonState):
    def __init__(self, array: Any) -> None:
        self.array = array

    def serialize(self) -> bytes:
        file = io.BytesIO()
        np.save(file, self.array, allow_pickle=False)
        return file.getvalue()

    def deserialize(self, string_value: bytes) -> None:
        self.array = np.load(io.BytesIO(string_value), allow_pickle=False)


def test_states_of_python_in_checkpoints(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        root = tf.train.Checkpoint(kept=Kept(np.array([1.0])), number=tf.Variable(3.0))
        session.run(tf.global_variables_initializer())
        manager = tf.train.CheckpointManager(root, str(tmp_path), max_to_keep=2)
        first = manager.save(checkpoint_number=np.int64(7))
        root.kept.array = np.array([2.0])
        second = root.save(bytes(tmp_path / "more"))
        assert first == str(tmp_path / "ckpt-7")
        assert ("kept/.ATTRIBUTES/py_state", []) in tf.train.list_variables(first)
        for path, value in ((first, 1.0), (second, 2.0)):
            status = root.restore(path)
            assert root.kept.array.tolist() == [value]
            root.kept.array = np.array([3.0])
            status.assert_consumed().run_restore_ops()
            assert root.kept.array.tolist() == [3.0]
        late = tf.train.Checkpoint()
        status = late.restore(first)
        late.kept = Kept(np.array([0.0]))
        status.run_restore_ops()
        assert late.kept.array.tolist() == [1.0]


def test_trackables(tmp_path: Path) -> None:
    class Owner(trackables.AutoTrackable):
        pass

    class Layer(tf.keras.layers.Layer):
        @no_automatic_dependency_tracking
        def hold(self, value: Any) -> None:
            self.held = value

    class Model(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self._layers.append(tf.keras.layers.Dense(2))

        def call(self, inputs: Any) -> Any:
            return self._layers[0](inputs)

    with tf.Graph().as_default():
        owner = Owner()
        owner.value = tf.Variable(1.0)
        owner.other = trackables.NoDependency(tf.Variable(2.0))
        assert [each.name for each in owner._checkpoint_dependencies] == ["value"]
        del owner.value
        assert owner._lookup_dependency("value") is None
        with pytest.raises(TypeError, match="not a Trackable"):
            owner._track_trackable(3, "three")
        owner._track_trackable(owner.other, "three")
        with pytest.raises(ValueError, match="already declared as a dependency"):
            owner._track_trackable(tf.Variable(3.0), "three")
        layer, inner = Layer(), tf.keras.layers.Dense(1)
        layer.hold(inner)
        layer.wrapped = NoDependency([inner])
        with no_automatic_dependency_tracking_scope(layer):
            layer.inside = tf.Variable(4.0)
        assert layer.submodules == () and layer.weights == [] and layer.wrapped == [inner]
        layer.inside = layer.inside
        assert len(layer.weights) == 1
        module = tf.Module()
        module.names, module.apart = NoDependency([]), NoDependency(tf.Variable(5.0))
        module.names.append("a")
        assert module.names == ["a"] and module.variables == (module.apart,)
        assert not children(module)
        module.apart = module.apart
        assert children(module) == {"apart": module.apart}
        model = Model()
        model(tf.zeros([1, 3]))
        assert [weight.shape.as_list() for weight in model.weights] == [[3, 2], [2]]


def test_paths_in_bytes(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("v", [], initializer=tf.ones_initializer())
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        path = saver.save(session, bytes(tmp_path / "model"), global_step=3)
        assert path == str(tmp_path / "model-3")
        saver.restore(session, path.encode())
        assert tf.train.checkpoint_exists(path.encode())
        assert tf.train.load_checkpoint(path.encode()).get_tensor("v") == 1.0
        assert tf.train.latest_checkpoint(bytes(tmp_path)) == path


@pytest.mark.parametrize(
    ("shape", "filters", "options"),
    [
        ((2, 5, 6, 3), (2, 2, 3, 4), {"padding": "SAME", "strides": (1, 2)}),
        ((2, 7, 3), (3, 3, 2), {"padding": "VALID", "dilation_rate": (2,)}),
        ((1, 4, 4, 4, 2), (2, 2, 2, 2, 1), {"padding": "VALID", "data_format": "NDHWC"}),
    ],
)
def test_convolutions_that_are_kept(shape: Any, filters: Any, options: Any) -> None:
    draws = np.random.default_rng(0)
    x, taps = draws.normal(size=shape), draws.normal(size=filters)
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = tf.placeholder(tf.float64, [None, *shape[1:]])
        kept = Convolution(inputs.shape, tf.TensorShape(filters), name="c", **options)
        got = kept(inputs, tf.constant(taps))
        assert got.op.name.startswith("c")
        found = session.run(got, {inputs: x})
    with oracle.Graph().as_default(), oracle.Session() as theirs:
        expected = theirs.run(oracle.nn.convolution(x, taps, **options))
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_convolutions_whose_shapes_misfit() -> None:
    for shapes, options, message in (
        ((None, None), {}, "rank of input or filter must be known"),
        (([None, 5, 3], [1, 1, 3, 2]), {}, "input tensor must have rank 4"),
        (([1, 5, 5, 2], [1, 1, 3, 2]), {}, "does not match corresponding dimension of filter, 2 !"),
        (([1, 2, 5, 5], [1, 1, 3, 2]), {"data_format": "NCHW"}, "of filter, 2 != 3"),
    ):
        with pytest.raises(ValueError, match=message):
            Convolution(*map(tf.TensorShape, shapes), "SAME", **options)
    Convolution(tf.TensorShape(None), tf.TensorShape([1, 1, 3, 2]), "SAME")


def test_codes_of_functions_go_one_way() -> None:
    held = 3
    code, defaults, closure = codes.func_dump(lambda x, y=2: x + y + held)
    assert (defaults, closure) == ((2,), (3,)) and isinstance(code, str)
    again = python_utils.func_load(code, defaults, closure)
    assert again(1) == 6 and codes.func_dump(len_of)[2] is None
    with pytest.raises(ValueError, match="nothing that is loaded may run code"):
        codes.func_load((code, defaults, closure))


def len_of(x: Any) -> int:
    return len(x)


def test_constants_are_evaluated() -> None:
    with tf.Graph().as_default():
        for tensor, value in (
            (tf.equal(tf.size(tf.zeros([2, 3])), 6), True),
            (tf.placeholder(tf.bool, []), None),
        ):
            found = TF_TryEvaluateConstant_wrapper(tensor.graph._c_graph, tensor._as_tf_output())
            assert found == value


def test_a_property_may_be_set_to_what_it_is() -> None:
    class Held(tf.Module):
        value = property(lambda self: self.held)

    with tf.Graph().as_default():
        module = Held()
        module.held = tf.zeros([2]).shape
        module.value = module.held
        with pytest.raises(AttributeError):
            module.value = 3


def test_columns_by_their_kind() -> None:
    class Old(names._DenseColumn):
        name = "old"
        _parse_example_spec = _variable_shape = None
        _transform_feature = _get_dense_tensor = len_of

    new = [tf.feature_column.numeric_column("a")]
    assert names.is_feature_column_v2(new)
    assert not names.is_feature_column_v2([*new, Old()])
    assert not names.is_feature_column_v2(["a"])


@pytest.mark.parametrize("of", ["DenseColumn", "CategoricalColumn", "SequenceDenseColumn"])
def test_a_column_of_both_generations(of: str) -> None:
    def kinds(tf: Any, new: Any, old: Any, newest: type) -> list[list[bool]]:
        bases = (getattr(new, of), getattr(old, f"_{of}"))
        own = [type("Own", each, {}) for each in (bases, bases[::-1], bases[:1], bases[1:])]
        ids = tf.feature_column.categorical_column_with_identity("a", 3)
        made = [*own, type(ids), type(tf.feature_column.indicator_column(ids))]
        asked = [*bases, newest, old._FeatureColumn]
        return [[issubclass(each, kind) for kind in asked] for each in made]

    theirs = kinds(oracle, their_columns, their_older_columns, FeatureColumn)
    assert kinds(tf, names, names, names.FeatureColumn) == theirs


def test_a_column_of_both_generations_is_used() -> None:
    class Doubled(names._DenseColumn, names.DenseColumn):
        name, parents = "doubled", ("a",)
        variable_shape = _variable_shape = tf.TensorShape([1])
        parse_example_spec = _parse_example_spec = None

        def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
            return 2 * transformation_cache.get("a", state_manager)

        def _transform_feature(self, inputs: Any) -> Any:
            return 2 * inputs.get("a")

        def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
            return transformation_cache.get(self, state_manager)

        def _get_dense_tensor(self, inputs: Any, **options: Any) -> Any:
            return inputs.get(self)

    assert names.is_feature_column_v2([Doubled()])
    with tf.Graph().as_default(), tf.Session("") as session:
        made = tf.feature_column.input_layer({"a": [[1.0], [4.0]]}, [Doubled()])
        assert session.run(made).tolist() == [[2.0], [8.0]]
        made = tf.keras.layers.DenseFeatures([Doubled()])({"a": tf.constant([[1.0], [4.0]])})
        assert session.run(made).tolist() == [[2.0], [8.0]]


def test_parts_of_a_decomposition_have_names() -> None:
    with tf.Graph().as_default():
        made = tf.linalg.qr(tf.ones([3, 2]))
    with oracle.Graph().as_default():
        theirs = oracle.linalg.qr(oracle.ones([3, 2]))
    assert made._fields == theirs._fields and type(made).__name__ == type(theirs).__name__
    assert made.q.shape.as_list() == [3, 2] and made.r.shape.as_list() == [2, 2]


def test_cases_by_another_cond() -> None:
    def cond(pred: Any, true_fn: Any, false_fn: Any, twice: bool) -> Any:
        return true_fn() * (2 if twice else 1) if pred else false_fn()

    pairs = [(False, lambda: 1), (True, lambda: 5)]
    assert flow._case_helper(cond, pairs, lambda: 7, False, "c", True, twice=True) == 10


def test_summaries_are_those_of_the_first_replica() -> None:
    def skipped(tf: Any, skip_summary: Any) -> list[bool]:
        with tf.Graph().as_default():
            strategy, found = tf.distribute.get_strategy(), [skip_summary()]
            with strategy.scope():
                found.append(skip_summary())
            for replica in (0, 1, tf.constant(2)):
                with tf.distribute.ReplicaContext(strategy, replica):
                    found.append(skip_summary())
        return [bool(skip) for skip in found]

    expected = skipped(oracle, their_summaries.skip_summary)
    assert skipped(tf, summaries.skip_summary) == expected == [False, False, False, True, True]
