"""What TensorFlow's own tests of graphs, functions and variables ask of its internal modules."""

from __future__ import annotations

import collections
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.control_flow.version import disable_control_flow_v2, enable_control_flow_v2
from dataflow.library.concrete.defun import defun, defun_with_attributes
from dataflow.porting.modules import TensorflowModule
from dataflow.porting.spellings.eager import mode
from dataflow.porting.spellings.framework import (
    defined_functions,
    defining_lines,
    graphs,
    subscriptions,
)
from dataflow.porting.spellings.ops import functional, gradient_checks, gradients, variables
from dataflow.proto.function_pb2 import FunctionDefLibrary, GradientDef
from dataflow.proto.node_def_pb2 import NodeDef


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    """A graph of the test's own."""
    with tf.Graph().as_default() as made:
        yield made


def _run(fetches: Any) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def _noting(seen: list[Any]) -> Any:
    def note(value: Any) -> Any:
        seen.append(np.copy(value))
        return value

    return lambda tensor: [tf.py_func(note, [tensor], tensor.dtype)]


def test_defun_makes_variables_where_it_is_called() -> None:
    @defun
    def make(name: str) -> Any:
        with tf.init_scope():
            tf.get_variable(name, [])
        return tf.Variable(2.0, use_resource=True) + tf.get_variable("w", [])

    for name in ("a", "a", "b"):
        with tf.variable_scope("scope", reuse=tf.AUTO_REUSE):
            made = make(name)
    assert len(tf.global_variables()) == 5
    assert np.isfinite(_run(made))


def test_defun_with_attributes(graph: tf.Graph) -> None:
    class Adder:
        @defun_with_attributes(attributes={"api_implements": "sum"}, autograph=False)
        def add(self, x: Any) -> Any:
            return x + 1.0

    assert _run(Adder().add(tf.constant(1.0))) == 2.0
    (function,) = graph.as_graph_def().library.function
    assert function.attr["api_implements"].s == b"sum"


def test_side_effects_run_when_a_tensor_is_used() -> None:
    seen: list[Any] = []
    total = tf.constant(1) + tf.constant(1)
    negative = -total
    with tf.control_dependencies([total]):
        late = tf.constant(42)
    moved = subscriptions.subscribe(total, _noting(seen))
    assert negative.op.inputs[0] is moved and late.op.control_inputs == [moved.op]
    assert subscriptions._is_subscribed_identity(moved)
    assert not subscriptions._is_subscribed_identity(total)
    assert _run([negative, late]) == [-2, 42] and seen == [2]
    for again in (total, moved):
        assert subscriptions.subscribe(again, [_noting(seen)]) is moved
    _run(negative)
    assert seen == [2, 2, 2, 2]


def test_side_effects_of_structures_and_variables() -> None:
    pair_type = collections.namedtuple("pair_type", "a b")
    seen: list[Any] = []
    variable = tf.Variable(3.0)
    double = variable * 2.0
    with tf.device("/cpu:0"):
        a, b = tf.split(tf.constant([1, 2]), 2)
    with tf.control_dependencies([a, b]):
        late = tf.constant(0)
    given = {"pair": pair_type(a, b), "v": variable}
    found = subscriptions.subscribe(given, _noting(seen))
    assert isinstance(found["pair"], pair_type) and found["pair"].a.device == a.device
    _run([double, late])
    assert sorted(float(np.squeeze(each)) for each in seen) == [1.0, 2.0, 3.0]
    handle = tf.get_variable("h", [], use_resource=True).handle
    assert subscriptions.subscribe(handle, []) is handle
    with pytest.raises(TypeError, match="has invalid type str"):
        subscriptions.subscribe("a:0", [])


def test_side_effects_in_a_branch(graph: tf.Graph) -> None:
    seen: list[Any] = []
    x = tf.constant(2.0)
    y = tf.cond(x < 3.0, lambda: tf.add(x, x, name="then"), lambda: x)
    inner = graph.get_tensor_by_name("cond/then:0")
    moved = subscriptions.subscribe(inner, _noting(seen))
    assert moved.op._get_control_flow_context() is inner.op._get_control_flow_context()
    assert _run(y) == 4.0 and seen == [4.0]


def test_an_operation_by_its_constructor(graph: tf.Graph) -> None:
    one = tf.Operation(NodeDef(op="NoOp", name="one", device="/device:CPU:0"), graph)
    node = NodeDef(op="Identity", name="two")
    x = tf.constant([1, 2])
    two = tf.Operation(node, graph, [x], [tf.int32], control_inputs=[one], original_op=one)
    assert graph.get_operation_by_name("two") is two and two.outputs[0].shape == [2]
    assert one.device == "/device:CPU:0" and two.control_inputs == [one]
    assert two._original_op is one and x.consumers() == [two]
    assert list(_run(two.outputs[0])) == [1, 2]
    for name in ("", "_a", "/a", "a:0", "two"):
        with pytest.raises(ValueError, match=r"not a valid node name|Duplicate node name"):
            tf.Operation(NodeDef(op="NoOp", name=name), graph)
    with pytest.raises(TypeError, match="node_def needs to be a NodeDef"):
        tf.Operation("NoOp", graph)


def test_attrs_by_their_inner_setters(graph: tf.Graph) -> None:
    op = tf.identity(tf.constant(1)).op
    op._set_type_list_attr("types", [tf.float32, tf.int64])
    op._set_shape_list_attr("shapes", [[1, None], tf.TensorShape(None)])
    op._set_func_attr("body", "f")
    op._set_func_list_attr("branches", ["g", "h"])
    attrs = op.node_def.attr
    assert list(attrs["types"].list.type) == [1, 9]
    first, second = attrs["shapes"].list.shape
    assert tf.TensorShape(first).as_list() == [1, None] and second.unknown_rank
    assert attrs["body"].func.name == "f"
    assert [each.name for each in attrs["branches"].list.func] == ["g", "h"]
    assert op._get_attr_type("T") is tf.int32
    assert op._input_dtypes == op._input_types == [tf.int32]
    assert op._op_def is op.op_def and op._id_value == op._id
    places = [[(each.filename, each.lineno) for each in f] for f in (op._traceback, op.traceback)]
    assert places[0] == places[1] != []
    assert op.mark_used() is None
    assert tf.TensorArray(tf.int32, 1).write(0, 3).mark_used() is None


def test_what_an_operation_waits_for_that_is_made_now(graph: tf.Graph) -> None:
    one, two = tf.no_op(), tf.no_op()
    assert graph._current_control_dependencies() == set() == {*graph._control_dependencies_stack}
    with graph.control_dependencies([one]), graph.control_dependencies([two]):
        assert graph._current_control_dependencies() == {one, two}
        assert len(graph._control_dependencies_stack) == 2
        with graph.control_dependencies(None):
            assert graph._current_control_dependencies() == set()
    with graph.gradient_override_map({"Sin": "Mine"}), graph._kernel_label_map({"Cos": "b"}):
        assert graph._gradient_override_map == {"Sin": "Mine"}
        assert graph._op_to_kernel_label_map == {"Cos": "b"}
    made = graph._create_op_internal("Identity", [tf.constant(2)], [tf.int32], name="made")
    assert made.name == "made" and _run(made.outputs[0]) == 2
    ops: Any = TensorflowModule("tensorflow.python.framework.ops")
    assert ops.tensor_id(made.outputs[0]) != ops.tensor_id(made.inputs[0])
    assert ops.peek_default_graph() is graph
    with tf.Session() as session:
        assert ops._eval_using_default_session(made.outputs[0], None, graph) == 2
        assert ops._run_using_default_session(made, None, graph, session) is None


def test_variables_behind_handles_by_their_inner_names(graph: tf.Graph) -> None:
    variable: Any = tf.Variable(tf.zeros([2, 3]), use_resource=True, name="v")
    assert variable._in_graph_mode and variable._unique_id == "v"
    assert variable._shape_tuple() == (2, 3) and variable._shape_as_list() == [2, 3]
    assert variable._read_variable_op().op.type == "ReadVariableOp"
    module: Any = TensorflowModule("tensorflow.python.ops.resource_variable_ops")
    handle = module.eager_safe_variable_handle(tf.zeros([4]), None, None, "name", "node", True)
    assert tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32).shape == [4]
    assert module.get_resource_handle_data(handle) is handle.handle_data
    for use_resource in (False, True):
        made = tf.get_variable(f"made{use_resource}", [2], use_resource=use_resource)
        again = module._from_proto_fn(module._to_proto_fn(made))
        assert type(again) is type(made) and again.name == made.name
    assert module._to_proto_fn(made, export_scope="elsewhere") is None
    scopes: Any = TensorflowModule("tensorflow.python.ops.variable_scope")
    assert scopes._DEFAULT_USE_RESOURCE is tf.resource_variables_enabled() is False
    tf.enable_resource_variables()
    try:
        assert scopes._DEFAULT_USE_RESOURCE is True
    finally:
        tf.disable_resource_variables()


def test_defined_functions_by_their_inner_names(graph: tf.Graph) -> None:
    module: Any = TensorflowModule("tensorflow.python.framework.function")
    inside = []

    @module.Defun(tf.float32)
    def f(x: Any) -> Any:
        inside.append(isinstance(tf.get_default_graph(), module._FuncGraph))
        return x + 1.0

    f(tf.constant(1.0))
    assert inside == [True] and not isinstance(graph, module._FuncGraph)
    assert isinstance(module.Defun()(lambda x: x), module._OverloadedFunction)
    declared = module.Declare("Later", [("x", tf.float32)], [("y", tf.float32)])
    called = declared(tf.constant(2.0))

    @module.Defun(tf.float32, func_name="Later", out_names=["y"])
    def later(x: Any) -> Any:
        return x * 3.0

    later.add_to_graph(graph)
    assert _run(called) == 6.0


def test_functions_of_a_library(graph: tf.Graph) -> None:
    @tf.Defun(tf.float32, tf.float32)
    def slope(x: Any, dy: Any) -> Any:
        return x * dy

    @tf.Defun(tf.float32, grad_func=slope)
    def curve(x: Any) -> Any:
        return tf.exp(x)

    tf.gradients(curve(tf.constant(1.0)), tf.constant(0.0))
    library = graph.as_graph_def().library
    found = {each.name: each for each in defined_functions.from_library(library)}
    assert set(found) == {slope.name, curve.name}
    known = found[curve.name]
    assert known.definition == curve.definition and known.grad_func_name == slope.name
    assert known.declared_input_types == (tf.float32,) and known.captured_inputs == []
    with tf.Graph().as_default():
        x = tf.constant(3.0)
        assert _run(tf.gradients(known(x), x)[0]) == 3.0
    assert known._signature.name == curve.name


def test_functions_of_a_broken_library() -> None:
    @tf.Defun(tf.float32)
    def one(x: Any) -> Any:
        return x

    library = FunctionDefLibrary(function=[one.definition])
    library.gradient.append(GradientDef(function_name=one.name, gradient_func="other"))
    with pytest.raises(ValueError, match="missing 'other' FunctionDef"):
        defined_functions.from_library(library)
    library.gradient[0].gradient_func = one.name
    with pytest.raises(ValueError, match="cyclic gradient functions"):
        defined_functions.from_library(library)


@pytest.mark.parametrize(
    ("numbers", "total"), [((1, 21, 1), 210.0), ((100, 0, -1), 5050.0), ((7, 0, -3), 12.0)]
)
def test_a_for_loop_of_functions(numbers: tuple[int, int, int], total: float) -> None:
    one = tf.constant(1.0)

    @tf.Defun(tf.int32, tf.float32)
    def add(n: Any, x: Any) -> Any:
        return x + tf.cast(n, tf.float32) * one

    for rewritten, kind in ((None, "For"), (True, "While")):
        (end,) = functional.For(*numbers, [0.0], add, hostmem=[0], rewrite_with_while=rewritten)
        assert end.op.type == kind
        assert _run(end) == total
        assert end.op.get_attr("_output_hostmem") == [0 if kind == "For" else 4]
        assert end.op.get_attr("_input_hostmem") == [3 if kind == "For" else 4]


def test_a_for_loop_that_gives_its_last_number() -> None:
    # TensorFlow's own counts on in the tensor that the body has given, and returns 5.
    @tf.Defun(tf.int32, tf.int32)
    def latest(n: Any, before: Any) -> Any:
        return n

    assert _run(functional.For(0, 5, 1, [-1], latest)) == [4]
    assert _run(functional.For(5, 5, 1, [-1], latest)) == [-1]


def test_calls_and_loops_of_functions_without_results() -> None:
    @tf.Defun(tf.int32)
    def nothing(n: Any) -> None:
        tf.cast(n, tf.float32)

    @tf.Defun(tf.float32, tf.float32)
    def both(x: Any, y: Any) -> Any:
        return x + y, x * y

    assert functional.For(1, 3, 1, [], nothing, rewrite_with_while=True) == []
    assert _run(functional.For(1, 3, 1, [], nothing)) is None
    assert _run(functional.partitioned_call([3.0, 2.0], both)) == [5.0, 6.0]


def test_variables_of_the_second_version() -> None:
    variable = variables.Variable([1.0], name="v", trainable=False, shape=tf.TensorShape(None))
    assert isinstance(variable, tf.Variable) and isinstance(variable, variables.Variable)
    assert not variable.trainable and variable.handle.dtype == tf.resource
    assert _run(variable.assign([2.0, 3.0])).tolist() == [2.0, 3.0]
    assert issubclass(type(tf.Variable(1.0)), variables.Variable)
    assert not isinstance(tf.constant(1.0), variables.Variable)
    kept = [tf.GraphKeys.LOCAL_VARIABLES]
    local = variables.Variable(tf.zeros([0]), trainable=False, collections=kept)
    assert tf.local_variables() == [local] and isinstance(local, variables.Variable)
    guarded = variables._try_guard_against_uninitialized_dependencies
    constant = tf.constant(1.0)
    assert guarded("x", constant) is constant


def test_what_tests_of_gradients_look_at() -> None:
    x, v = tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])
    (product,) = gradients._hessian_vector_product(tf.reduce_sum(x**3), [x], [v])
    assert _run(product).tolist() == [18.0, 60.0]
    with pytest.raises(ValueError, match="same length"):
        gradients._hessian_vector_product(x, [x], [])
    used, unused = tf.Variable(1.0), tf.Variable(1.0)
    assert gradients.get_dependent_variables([x], {"y": x * used}) == [used]
    given = x * unused
    assert gradients.get_dependent_variables(given, given + used) == [used]
    assert gradients._GetGradSource(tf.constant(0, name="foo/gradients_1/x")) == "foo/gradients_1"
    handle = tf.get_variable("h", [2], use_resource=True).handle
    (copy,) = tf.identity_n([handle])
    gradients.copy_handle_data(handle, copy)
    assert tf.raw_ops.ReadVariableOp(resource=copy, dtype=tf.float32).shape == [2]
    slices = tf.IndexedSlicesValue(np.ones((2, 2)), np.array([1, 1]), np.array([3, 2]))
    assert gradient_checks._to_numpy(slices).tolist() == [[0, 0], [2, 2], [0, 0]]
    assert gradient_checks._to_numpy(3) == 3


def test_flags_of_modules_are_asked_for_each_time() -> None:
    module: Any = TensorflowModule("tensorflow.python.ops.control_flow_util")
    assert module.ENABLE_CONTROL_FLOW_V2 is False
    enable_control_flow_v2()
    try:
        assert module.ENABLE_CONTROL_FLOW_V2 is True
    finally:
        disable_control_flow_v2()
    assert mode.context().executing_eagerly() is False
    assert mode.context().num_gpus() == mode.num_gpus()
    assert graphs.uid() < graphs.uid()


class _Sessions(tf.test.TestCase):
    __test__ = False

    def runTest(self) -> None:
        config = tf.ConfigProto()
        with self.test_session(config=config) as session:
            with self.cached_session(config=config) as same:
                assert same is session
            for other in ({"graph": tf.Graph()}, {"config": tf.ConfigProto()}):
                with pytest.raises(ValueError, match="used to get the cached session is different"):
                    self.cached_session(**{"config": config, **other}).__enter__()
        assert self._NDArrayNear(np.ones(2), np.ones(2), 1e-5)
        assert not self._NDArrayNear(np.ones(2), np.zeros(2), 1e-5)


def test_cached_sessions_of_a_test() -> None:
    result = _Sessions().run()
    assert result is not None and result.testsRun == 1
    assert not result.failures and not result.errors, result.failures + result.errors


def test_the_types_of_inputs_as_the_schema_has_them() -> None:
    reference = tf.Variable(1, use_resource=False)
    assert reference.assign(2).op._input_types == [tf.int32._as_ref, tf.int32]


@pytest.mark.parametrize(
    ("module", "name", "public"),
    [
        ("framework.tensor_util", "constant_value", "get_static_value"),
        ("ops.array_ops", "quantize_and_dequantize", "quantization.quantize_and_dequantize"),
        (
            "ops.image_ops_impl",
            "non_max_suppression_with_overlaps",
            "image.non_max_suppression_overlaps",
        ),
        ("ops.linalg.linalg_impl", "matrix_exponential", "linalg.expm"),
        ("ops.logging_ops", "print_v2", "print"),
        ("ops.sparse_ops", "sparse_cross", "sparse.cross"),
        ("ops.stateless_random_ops", "stateless_random_normal", "random.stateless_normal"),
        ("ops.string_ops", "string_format", "strings.format"),
        ("ops.string_ops", "string_length", "strings.length"),
        ("ops.array_ops", "pad_v2", "compat.v2.pad"),
    ],
)
def test_functions_are_not_the_generated_ones_of_that_name(
    module: str, name: str, public: str
) -> None:
    of_version_2 = public.startswith("compat.v2.")
    own: Any = TensorflowModule("tensorflow.compat.v2") if of_version_2 else tf
    for part in public.removeprefix("compat.v2.").split("."):
        own = getattr(own, part)
    assert getattr(TensorflowModule(f"tensorflow.python.{module}"), name) is own


def test_arguments_are_read_below_decorators() -> None:
    inspected: Any = TensorflowModule("tensorflow.python.util.tf_inspect")
    wanted = inspect.getfullargspec(oracle.get_variable).args
    assert inspected.getargspec(tf.get_variable).args == wanted


def test_errors_by_their_codes() -> None:
    module: Any = TensorflowModule("tensorflow.python.framework.errors_impl")
    made = module._make_specific_exception(None, None, "gone", tf.errors.NOT_FOUND)
    assert type(made) is tf.errors.NotFoundError and made.message == "gone"
    with pytest.warns(UserWarning, match="Unknown error code: 37"):
        assert type(module._make_specific_exception(None, None, None, 37)) is tf.errors.UnknownError


def test_lines_of_a_graph_for_tools() -> None:
    with tf.Graph().as_default() as graph:
        with tf.Graph().as_default() as other:
            tf.constant(1.0, name="c")
        tf.constant(2.0, name="c")
    inner, outer = other.get_operations()[0], graph.get_operations()[0]
    info = defining_lines.create_graph_debug_info_def([("", outer), ("f/", inner)])
    assert set(info.traces) == {"c", "f/c"}
    for name, op in (("c", outer), ("f/c", inner)):
        innermost = info.traces[name].file_line_cols[0]
        assert info.files[innermost.file_index] == __file__
        assert innermost.line == op.creation_site.line
    assert len({*info.files}) == len(info.files)


def test_fetch_arguments_in_parts(graph: tf.Graph) -> None:
    path = "tensorflow.python.client.session"
    for library, session in ((tf, TensorflowModule(path)), (oracle, importlib.import_module(path))):
        with library.Graph().as_default() as here:
            x, y = library.placeholder("float", [], "x"), library.constant(2.0, name="y")
            op = library.no_op("op")
            feeds = {x.ref() if library is oracle else x: 5.0}
            handler = session._FetchHandler(here, {"a": [y, op], "b": (x, y)}, feeds)
            assert handler.fetches() == [y] and handler.targets() == [op]
            assert handler.build_results(None, [2.0]) == {"a": [2.0, None], "b": (5.0, 2.0)}
            with pytest.raises(TypeError, match="None"):
                session._FetchHandler(here, [None], {})


def test_conversions_of_shapes_by_their_inner_names() -> None:
    inner = TensorflowModule("tensorflow.python.framework.constant_op")
    made = [
        inner._tensor_shape_tensor_conversion_function(tf.TensorShape([2, 3])),
        inner._dimension_tensor_conversion_function(tf.Dimension(4)),
        inner._constant_tensor_conversion_function([1.0], name="c"),
    ]
    assert [each.tolist() for each in _run(made)] == [[2, 3], 4, [1.0]] and made[2].op.name == "c"
    with pytest.raises(ValueError, match="partially known"):
        inner._tensor_shape_tensor_conversion_function(tf.TensorShape([None]))


def test_own_gradients_by_their_inner_name() -> None:
    inner = TensorflowModule("tensorflow.python.ops.custom_gradient")
    x = tf.constant(3.0)
    made = inner._graph_mode_decorator(lambda a: (a * a, lambda grad: grad * 10.0), x)
    assert _run([made, *tf.gradients(made, x)]) == [9.0, 10.0]


def test_warnings_of_what_goes_are_turned_off(caplog: pytest.LogCaptureFixture) -> None:
    inner = TensorflowModule("tensorflow.python.util.deprecation")
    assert inner._PRINT_DEPRECATION_WARNINGS is True
    calls = [inner.deprecated(None, "Call other.")(lambda: 7) for _ in range(2)]
    logger = tf.get_logger()
    logger.propagate, kept = True, logger.propagate
    try:
        inner._PRINT_DEPRECATION_WARNINGS = False
        assert calls[0]() == 7 and not caplog.records
        del inner._PRINT_DEPRECATION_WARNINGS
        assert calls[1]() == 7 and "Call other." in caplog.text
    finally:
        logger.propagate = kept
