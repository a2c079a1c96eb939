"""What a program sees of a variable: its attributes, operators, printing, and what it refuses."""

from __future__ import annotations

import inspect
import operator
import threading
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.differentiation.both import oracle

KINDS = pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])


@KINDS
def test_attributes(use_resource: bool) -> None:
    def described(lib: Any) -> list[str]:
        with lib.Graph().as_default() as graph, lib.device("/cpu:0"):
            w = lib.Variable(
                np.ones([2, 3], np.float32),
                name="w",
                trainable=False,
                constraint=abs,
                use_resource=use_resource,
                aggregation=lib.VariableAggregation.SUM,
            )
            assert w.graph is graph
            assert w.constraint is abs
            shown: list[Any] = [w, repr(w), w.name, w.op.name, w.dtype, w.dtype.base_dtype, w.shape]
            shown += [w.get_shape(), w.device, w.initializer.name, w.initial_value.name]
            shown += [w.trainable, w.synchronization.name, w.aggregation.name, w.initializer.type]
            return [str(item).replace("<dtype: ", "").replace(">", "") for item in shown]

    ours, theirs = described(tf), described(oracle)
    assert [text.replace("tf.", "") for text in ours] == [t.replace("tf.", "") for t in theirs]


FUNCTIONS = (
    "Variable VariableScope assign assign_add assign_sub assert_variables_initialized "
    "batch_scatter_update count_up_to create_partitioned_variables fixed_size_partitioner "
    "get_local_variable get_variable global_variables is_variable_initialized make_template "
    "min_max_variable_partitioner report_uninitialized_variables scatter_add scatter_div "
    "scatter_max scatter_min scatter_mul scatter_nd_add scatter_nd_sub scatter_nd_update "
    "scatter_sub scatter_update variable_axis_size_partitioner variable_creator_scope "
    "variable_op_scope variable_scope variables_initializer constant_initializer "
    "glorot_normal_initializer glorot_uniform_initializer ones_initializer orthogonal_initializer "
    "random_normal_initializer random_uniform_initializer truncated_normal_initializer "
    "uniform_unit_scaling_initializer variance_scaling_initializer zeros_initializer"
)


@pytest.mark.parametrize("name", FUNCTIONS.split())
def test_arguments(name: str) -> None:
    def described(lib: Any) -> list[tuple[str, str]]:
        function = getattr(lib, name)
        target = function.__init__ if inspect.isclass(function) else function
        parameters = inspect.signature(target).parameters.values()
        return [(p.name, _plain(p.default)) for p in parameters]

    assert described(tf) == described(oracle)


def _plain(default: Any) -> str:
    return getattr(default, "name", None) or repr(default)


@KINDS
def test_is_a_variable(use_resource: bool) -> None:
    with tf.Graph().as_default():
        w = tf.Variable([1.0], use_resource=use_resource)
        assert isinstance(w, tf.Variable)
        assert issubclass(type(w), tf.Variable)
        assert not isinstance(w.value(), tf.Variable)
        assert not isinstance(w, tf.Tensor)


@KINDS
def test_identity_and_hash(use_resource: bool) -> None:
    with tf.Graph().as_default():
        w, v = (tf.Variable([1.0], use_resource=use_resource) for _ in range(2))
        assert w == w
        assert w != v
        assert {w: 1, v: 2}[w] == 1
        assert w.ref() == w.ref() == w.experimental_ref()
        assert w.ref() != v.ref()
        assert w.ref().deref() is w
        assert len({w.ref(), w.ref(), v.ref()}) == 2


@KINDS
def test_iterating_is_refused(use_resource: bool) -> None:
    with tf.Graph().as_default():
        w = tf.Variable([1.0, 2.0], use_resource=use_resource)
        said = "iterating over `tf.Tensor`" if use_resource else "'Variable' object is not iterable"
        with pytest.raises(TypeError, match=said):
            list(w)


@KINDS
def test_operators(use_resource: bool) -> None:
    array = np.array([3.0, 4.0], np.float32)

    def values(lib: Any) -> list[Any]:
        with lib.Graph().as_default(), lib.Session() as session:
            w = lib.Variable([1.5, -2.0], use_resource=use_resource)
            n = lib.Variable([5, 6], use_resource=use_resource)
            b = lib.Variable([True, False], use_resource=use_resource)
            binary = (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv)
            binary += (
                operator.mod,
                operator.pow,
                operator.lt,
                operator.le,
                operator.gt,
                operator.ge,
            )
            made = [f(w, other) for f in binary for other in (2.0, array, lib.constant(array), w)]
            made += [f(2.0, w) for f in binary] + [f(array, w) for f in binary[:7]]
            made += [
                -w,
                abs(w),
                n // 2,
                n % 4,
                b & True,
                b | b,
                b ^ True,
                ~b,
                w[0],
                w[::-1],
                w[None],
            ]
            made += [
                lib.reshape(w, [1, 2]) @ lib.reshape(w, [2, 1]),
                lib.expand_dims(w, 0) @ [[1.0], [2.0]],
            ]
            session.run(lib.global_variables_initializer())
            return session.run(made)

    for have, want in zip(values(tf), values(oracle), strict=True):
        assert np.asarray(have).dtype == np.asarray(want).dtype
        np.testing.assert_allclose(have, want, rtol=1e-6)


def test_assignment_operators() -> None:
    with tf.Graph().as_default():
        w = tf.Variable([1.0])
        kept = w
        w += 1.0
        assert isinstance(w, tf.Tensor)
        assert kept.value() in w.op.inputs
        r = tf.Variable([1.0], use_resource=True)
        for function in (
            operator.iadd,
            operator.isub,
            operator.imul,
            operator.itruediv,
            operator.ipow,
        ):
            with pytest.raises(RuntimeError) as refused:
                function(r, 2.0)
            with oracle.Graph().as_default(), pytest.raises(RuntimeError) as theirs:
                function(oracle.Variable([1.0], use_resource=True), 2.0)
            said = str(theirs.value)
            if function is operator.isub:  # TensorFlow's advises to multiply.
                said = said.replace("variable * value", "variable - value")
            assert str(refused.value) == said


def test_a_variable_of_a_graph_has_no_value_of_its_own() -> None:
    for lib in (oracle, tf):
        with lib.Graph().as_default():
            variable = lib.Variable([1.0], use_resource=True)
            with pytest.raises(NotImplementedError, match="only available when eager execution"):
                variable.numpy()


@KINDS
def test_set_shape(use_resource: bool) -> None:
    with tf.Graph().as_default():
        start = tf.placeholder(tf.float32, None)
        w = tf.Variable(start, validate_shape=False, use_resource=use_resource)
        assert w.shape.rank is None
        w.set_shape([2, None])
        assert w.shape.as_list() == [2, None]
        with pytest.raises(ValueError, match=r"must be equal|not compatible"):
            w.set_shape([3, None])


def test_collections() -> None:
    with tf.Graph().as_default():
        a = tf.Variable(1.0, name="a")
        b = tf.Variable(1.0, name="b", trainable=False)
        c = tf.Variable(1.0, name="scope/c", collections=["mine", tf.GraphKeys.MODEL_VARIABLES])
        d = tf.Variable(1.0, name="d", collections={tf.GraphKeys.LOCAL_VARIABLES}, trainable=False)
        tf.add_to_collection(tf.GraphKeys.MOVING_AVERAGE_VARIABLES, a)
        assert tf.global_variables() == tf.all_variables() == [a, b]
        assert tf.trainable_variables() == [a, c]
        assert tf.trainable_variables("scope") == [c]
        assert tf.local_variables() == [d]
        assert tf.model_variables() == [c] == tf.get_collection("mine")
        assert tf.moving_average_variables() == [a]


def test_synchronized_on_read_is_not_trained() -> None:
    with tf.Graph().as_default():
        w = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ)
        assert not w.trainable
        assert tf.trainable_variables() == []


@KINDS
def test_use_where_tensors_are_used(use_resource: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable([[1.0, 2.0]], use_resource=use_resource)
        session.run(w.initializer)
        assert session.run(tf.matmul(w, w, transpose_b=True)).tolist() == [[5.0]]
        assert session.run({"w": w, "again": [w]})["again"][0].tolist() == [[1.0, 2.0]]
        assert session.run(tf.stack([w, w])).shape == (2, 1, 2)
        assert session.run(tf.convert_to_tensor(w)).tolist() == [[1.0, 2.0]]
        (slope,) = tf.gradients(tf.reduce_sum(w * w), w)
        assert session.run(slope).tolist() == [[2.0, 4.0]]
        with tf.control_dependencies([w]):
            assert session.run(tf.no_op()) is None
        assert tf.get_default_graph().as_graph_element(w) is not None


def test_nothing_is_added_to_a_finalized_graph() -> None:
    with tf.Graph().as_default() as graph:
        tf.Variable(1.0)
        graph.finalize()
        with pytest.raises(RuntimeError, match="finalized"):
            tf.Variable(1.0)


def test_threads_have_scopes_of_their_own() -> None:
    with tf.Graph().as_default() as graph, tf.variable_scope("main"):
        names: list[str] = []

        def work() -> None:
            with graph.as_default(), tf.variable_scope("other"):
                names.append(tf.get_variable("v", [1]).op.name)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert names == ["other/v"]
        assert tf.get_variable("v", [1]).op.name == "main/v"


def test_template_refuses_a_new_trainable_variable() -> None:
    with tf.Graph().as_default():
        template = tf.make_template("t", lambda: tf.Variable(1.0))
        template()
        with pytest.raises(ValueError, match="Trainable variable created when calling") as caught:
            template()
        assert "originally defined at" in str(caught.value)
        assert __file__ in str(caught.value)
        assert template.variables
        assert template.name == "t"


def test_failed_first_call_of_a_template_can_be_repeated() -> None:
    fails = [True]

    def body() -> Any:
        if fails.pop():
            raise KeyError("first")
        return tf.get_variable("v", [1])

    with tf.Graph().as_default():
        template = tf.make_template("t", body)
        with pytest.raises(KeyError, match="originally defined at"):
            template()
        fails.append(False)
        assert template().op.name == "t/v"


def test_nesting_of_scopes_is_checked() -> None:
    with tf.Graph().as_default():
        outer, inner = tf.variable_scope("a"), tf.variable_scope("b")
        outer.__enter__()
        inner.__enter__()
        with pytest.raises((RuntimeError, AssertionError), match=r"nesting|Nesting"):
            outer.__exit__(None, None, None)
