"""Internal modules of TensorFlow's that programs import, against TensorFlow's own."""

from __future__ import annotations

import copy
import sys
import types
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import op_def_registry, ops, tensor_spec
from tensorflow.python.keras.utils import conv_utils
from tensorflow.python.ops import control_flow_util, inplace_ops

import dataflow as tf
from dataflow.contrib.tpu import context as tpus
from dataflow.control_flow.version import control_flow_v2_enabled
from dataflow.graph.convert import is_dense_tensor_like
from dataflow.porting.spellings import autograph, exports, lengths, sessions, versions
from dataflow.porting.spellings.framework import graph_checks, graphs, registry, testing, type_specs
from dataflow.porting.spellings.ops import contexts, inplace, summaries
from tests.porting.test_run import run

_QUESTIONS = (
    *("IsSwitch", "IsMerge", "IsLoopEnter", "IsLoopExit", "IsCondSwitch", "IsCondMerge"),
    *("IsLoopSwitch", "IsLoopMerge", "IsLoopConstantEnter", "IsInWhileLoop", "IsInCond"),
    "IsInXLAContext",
)


def _nested(tf: Any) -> None:
    def body(i: Any, x: Any) -> Any:
        return i + 1, tf.cond(i > 1, lambda: x + y, lambda: x)

    y = tf.placeholder("float32", [], name="y")
    tf.while_loop(lambda i, x: i < 3, body, [0, 1.0])


def _answers(tf: Any, util: Any) -> dict[str, list[Any]]:
    graph = tf.Graph()
    with graph.as_default():
        _nested(tf)
    found = {}
    for op in graph.get_operations():
        inner = op._get_control_flow_context()
        around = (
            util.GetOutputContext(op),
            util.GetWhileContext(op),
            util.GetContainingWhileContext(inner),
            util.GetContainingCondContext(inner),
        )
        outer = around[2] and around[2].outer_context
        found[op.name] = [
            *(bool(getattr(util, name)(op)) for name in _QUESTIONS),
            *(context and context.name for context in around),
            util.IsContainingContext(inner, outer),
            util.OpInContext(op, inner),
        ]
    return found


def test_contexts_are_tensorflows() -> None:
    oracle.disable_control_flow_v2()
    assert _answers(tf, contexts) == _answers(oracle, control_flow_util)
    assert not contexts.ENABLE_CONTROL_FLOW_V2 and not contexts.InXlaContext(tf.Graph())
    assert contexts.GetContainingXLAContext(None) is None
    with pytest.raises(AttributeError):
        getattr(contexts, "no such name")


@pytest.mark.parametrize("padding", ["same", "valid", "full"])
def test_lengths_are_tensorflows(padding: str) -> None:
    for length in (None, 1, 7, 10):
        for size in (1, 2, 3):
            for stride in (1, 2, 4):
                for dilation in (1, 2):
                    given = (length, size, padding, stride, dilation)
                    wanted = conv_utils.conv_output_length(*given)
                    assert lengths.conv_output_length(*given) == wanted
                given = (length, size, padding, stride)  # type: ignore[assignment]
                wanted = conv_utils.conv_input_length(*given)
                assert lengths.conv_input_length(*given) == wanted
                wanted = conv_utils.deconv_output_length(*given[:3], stride=stride)
                assert lengths.deconv_output_length(*given) == wanted


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("normalize_tuple", (2, 3, "strides")),
        ("normalize_tuple", ([1, 2], 2, "strides")),
        ("normalize_tuple", ([1, 2], 3, "strides")),
        ("normalize_tuple", (None, 2, "strides")),
        ("normalize_tuple", (["a", 2], 2, "strides")),
        ("normalize_padding", ("SAME",)),
        ("normalize_padding", ("none",)),
        ("normalize_data_format", ("Channels_First",)),
        ("normalize_data_format", ("NHWC",)),
        *(
            ("convert_data_format", (order, rank))
            for order in ("channels_last", "channels_first", "x")
            for rank in (3, 4, 5, 6)
        ),
    ],
)
def test_arguments_of_layers_are_tensorflows(name: str, arguments: tuple[Any, ...]) -> None:
    try:
        wanted = getattr(conv_utils, name)(*arguments)
    except ValueError:
        with pytest.raises(ValueError, match=r"argument|rank|data_format"):
            getattr(lengths, name)(*arguments)
    else:
        assert getattr(lengths, name)(*arguments) == wanted


def test_definitions_of_ops_are_messages() -> None:
    known = registry.get_registered_ops()
    assert len(known) == len(list(known)) > 900
    for name in ("MatMul", "Switch", "VariableV2"):
        theirs = op_def_registry.get(name)
        ours = registry.get(name)
        assert [a.name for a in ours.input_arg] == [a.name for a in theirs.input_arg]
        assert {a.name: a.type for a in ours.attr} == {a.name: a.type for a in theirs.attr}
    assert registry.get("NoSuchOp") is None


@pytest.mark.parametrize("name", ["inplace_update", "inplace_add", "inplace_sub"])
@pytest.mark.parametrize("index", [None, 1, [2, 0]])
def test_rows_change_as_in_tensorflow(name: str, index: Any) -> None:
    x = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    v = {None: 10 * x + 1, 1: np.float32([7, 9])}.get(
        index if index is None or index == 1 else 0, np.float32([[1, 2], [3, 4]])
    )
    with oracle.Graph().as_default(), oracle.Session() as session:
        theirs = getattr(inplace_ops, name)(oracle.constant(x), index, v)
        wanted = session.run(theirs)
    with tf.Graph().as_default(), tf.Session() as own:
        given = tf.constant(x)
        ours = getattr(inplace, name)(given, index, v)
        assert ours.op.type == theirs.op.type
        got, before = own.run([ours, given])
        np.testing.assert_array_equal(got, wanted)
        np.testing.assert_array_equal(before, x)
        assert own.run(inplace.empty_like(given, init=True)).tolist() == [[0.0, 0.0]] * 3
        assert own.run(inplace.empty([2], tf.int64)).shape == (2,)


def test_names_of_modules() -> None:
    module = types.ModuleType("some_module", "@@shown\n@@absent")
    module.__dict__.update(shown=1, kept=2, lost=3, _own=4)
    sys.modules["some_module"] = module
    try:
        assert exports.make_all("some_module") == ["shown"]
        exports.remove_undocumented("some_module", ["kept"])
        loader = exports.LazyLoader("here", found := {}, "some_module", "It is old.")
        assert not found and loader.shown == 1 and found == {"here": module}
        assert "kept" in dir(loader)
    finally:
        del sys.modules["some_module"]
    assert {name for name in vars(module) if name[:2] != "__"} == {"shown", "kept", "_own"}
    with exports.silence():
        assert not versions.enabled()
    assert autograph.do_not_convert(len)("ab") == autograph.do_not_convert()(len)("ab") == 2


def test_summary_scopes() -> None:
    with tf.Graph().as_default(), tf.name_scope("a"):
        with summaries.summary_scope("b", "f") as (tag, scope):
            assert (tag, scope) == ("f/a/f/b", "a/f/b/")
        with summaries.summary_scope("c d", values=[tf.constant(1)]) as (tag, _):
            assert tag == "a/c_d"


def test_there_is_no_tpu() -> None:
    context = tpus.get_tpu_context()
    assert context.number_of_shards is None
    with tpus.tpu_shard_context(3):
        assert context.number_of_shards == 3
        with pytest.raises(NotImplementedError, match="nested"), tpus.tpu_shard_context(2):
            pass
    assert context.number_of_shards is None
    assert tpus.on_device_training_loop(len) is len
    with pytest.raises(NotImplementedError, match="cross_replica_sum runs on TPUs"):
        tpus.cross_replica_sum(1)


def _tests(ran: list[str]) -> type[Any]:
    class Tests(testing.TensorFlowTestCase):
        @testing.run_deprecated_v1
        def test_plain(self) -> None:
            ran.append("plain")

        @testing.run_v1_only("it needs sessions")
        def test_old(self) -> None:
            ran.append("old")

        @testing.run_v2_only
        def test_new(self) -> None:
            ran.append("new")

        @testing.run_gpu_only
        def test_gpu(self) -> None:
            assert testing.is_gpu_available()

        @testing.skip_if(lambda: True)
        def test_left_out(self) -> None:
            ran.append("left out")

        @testing.run_in_graph_and_eager_modes(use_gpu=False)
        def test_modes(self) -> None:
            assert tf.get_default_session() is not None
            with testing.use_gpu(), testing.force_cpu():
                ran.append(str(tf.constant(1).eval()))

        @testing.enable_control_flow_v2
        def test_flow(self) -> None:
            ran.append(f"v2 {control_flow_v2_enabled()}")

        @testing.disable_xla("it is slow")
        def test_graph(self) -> None:
            ran.append(f"{len(tf.get_default_graph().get_operations())} ops")

    return Tests


def test_decorators_of_tests() -> None:
    ran: list[str] = []
    tests = _tests(ran)
    names = [name for name in dir(tests) if name.startswith("test_") and name != "test_session"]
    result = unittest.TestResult()
    unittest.TestSuite(map(tests, names)).run(result)
    assert result.wasSuccessful(), (result.errors, result.failures)
    assert sorted(ran) == ["0 ops", "1", "old", "plain", "v2 True"]
    assert len(result.skipped) == (1 if testing.is_gpu_available() else 2)
    assert not control_flow_v2_enabled()


def test_decorators_of_classes() -> None:
    def named(test: Any) -> Any:
        return lambda self: f"{test.__name__} {test(self)}"

    class Tests:
        def test_a(self) -> Any:
            return control_flow_v2_enabled()

        @testing.disable_control_flow_v2("it cannot")
        def test_b(self) -> Any:
            return 2

        def other(self) -> Any:
            return 3

    added: Any = testing.with_control_flow_v2(Tests)
    assert added().test_a() is False and added().test_aWithControlFlowV2() is True
    assert not hasattr(added, "test_bWithControlFlowV2")
    changed: Any = testing.for_all_test_methods(lambda: named)(Tests)()
    assert changed.test_b() == "test_b 2" and changed.other() == 3
    with pytest.raises(ValueError, match="run_all_in_graph_and_eager_modes"):
        testing.run_in_graph_and_eager_modes(Tests)


def test_combinations_are_tensorflows() -> None:
    from tensorflow.python.framework import test_util

    given = {"mode": ["a-b", "c"], "count": [1, 2], "flag": True}
    ours = testing.generate_combinations_with_testcase_name(**given)
    theirs = test_util.generate_combinations_with_testcase_name(**given)
    assert ours == [dict(each) for each in theirs]


def test_graphs_of_tests() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [1, 2, 3, 4], name="x")
        first = testing.NHWCToNCHW(x)
        assert first.shape == [1, 4, 2, 3] and testing.NCHWToNHWC(first).shape == x.shape
    assert testing.NHWCToNCHW([1, 2, 3, 4, 5]) == [1, 5, 2, 3, 4]
    assert set(testing.assert_ops_in_graph({"x": "Placeholder"}, graph)) == {"x"}
    for wrong, message in (({"x": "Const"}, "is different"), ({"y": "Const"}, "Not all expected")):
        with pytest.raises(ValueError, match=message):
            testing.assert_ops_in_graph(wrong, graph)
    graph_def = graph.as_graph_def()
    node = testing.get_node_def_from_graph("x", graph_def)
    assert node is not None and node.op == "Placeholder"
    assert testing.get_node_def_from_graph("y", graph_def) is None
    empty = tf.Graph()
    testing.set_producer_version(empty, 27)
    assert empty.graph_def_versions.producer == 27
    testing.assert_equal_graph_def(graph_def, graph_def)
    with pytest.raises(AssertionError):
        testing.assert_equal_graph_def(graph_def, empty.as_graph_def())
    with pytest.raises(TypeError):
        testing.assert_equal_graph_def(1, graph_def)  # type: ignore[arg-type]


def _saver_graph(text: str, table: str) -> Any:
    graph_def = tf.Graph().as_graph_def()
    graph_def.node.add(name="a", op="Const").attr["value"].tensor.string_val.append(text.encode())
    graph_def.node.add(name="t", op="HashTableV2").attr["shared_name"].s = table.encode()
    return graph_def


def test_made_up_names_do_not_count() -> None:
    one, other = (_saver_graph(f"_temp_{each}/part", f"table{each}") for each in "12")
    graph_checks.assert_equal_graph_def_v2(one, other)
    with pytest.raises(AssertionError):
        graph_checks.assert_equal_graph_def(one, other, checkpoint_v2=True)
    with pytest.raises(AssertionError):
        graph_checks.assert_equal_graph_def(one, other, hash_table_shared_name=True)


TESTS = """
import tensorflow as tf
from absl import flags

flags.DEFINE_integer("count", 3, "How many.")

class Test(tf.test.TestCase):
    def test_flag(self):
        self.assertSameElements([flags.FLAGS.count] * 2, [4])

    def test_dicts(self):
        a = {"x": tf.Graph(), "y": 1}
        self.assertDictEqual(a, dict(a))

if __name__ == "__main__":
    tf.test.main()
"""


def test_tests_have_flags_and_absl_assertions(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(TESTS, encoding="utf-8")
    done = run("run", str(tmp_path / "program.py"), "--count=4")
    assert done.returncode == 0 and "Ran 2 tests" in done.stderr, done.stderr
    assert run("run", str(tmp_path / "program.py"), "Test.test_flag").returncode == 1


BORROWED = """
import tensorflow as tf
from tensorflow.contrib.seq2seq.python.ops import decoder
from tensorflow.python.ops.rnn import _transpose_batch_time
from tensorflow.python import debug as tf_debug
from tensorflow.python.debug.wrappers.hooks import LocalCLIDebugHook

assert decoder._transpose_batch_time is _transpose_batch_time
assert tf_debug.LocalCLIDebugHook is LocalCLIDebugHook
print(_transpose_batch_time(tf.placeholder("float32", [None, 2, 3])).shape)
print(_transpose_batch_time(tf.constant([1, 2])).shape, tf.contrib.framework.nest.is_sequence([]))
print(tf.contrib.framework.smart_cond(True, lambda: 1, lambda: 2), decoder.dynamic_decode.__name__)

@tf.contrib.framework.deprecated("2020-01-01", "Use another.")
def old():
    return 4

print(old(), tf.contrib.framework.arg_scope.__name__)
from tensorflow.python.layers import utils
from tensorflow.python.ops import variable_scope as vs
from tensorflow.python.util import tf_inspect

print(utils.constant_value(1), bool(utils.constant_value(tf.constant(False))))
print(utils.constant_value(tf.Variable(True)))
with vs._pure_variable_scope("a", reuse=tf.AUTO_REUSE) as scope:
    print(scope.name, tf.constant(1).name)
print(*tf_inspect.getargspec(lambda a, b=2, *c, **d: 0), tf_inspect.getargspec(len).varargs)
"""


def test_what_programs_borrow(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(BORROWED, encoding="utf-8")
    done = run("run", str(tmp_path / "program.py"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "(2, ?, 3)",
        "(2,) True",
        "1 dynamic_decode",
        "4 arg_scope",
        "True False",
        "None",
        "a Const_2:0",
        "['a', 'b'] c d (2,) None",
    ]


@pytest.mark.parametrize("name", ["a", "^a/b", "loc:@s/a", "s/a", "^s/a", "s//a", "st/a"])
@pytest.mark.parametrize("scope", [None, "", "s", "s/t"])
def test_names_in_scopes_are_tensorflows(name: str, scope: str | None) -> None:
    assert graphs.prepend_name_scope(name, scope) == ops.prepend_name_scope(name, scope)
    assert graphs.strip_name_scope(name, scope) == ops.strip_name_scope(name, scope)


def test_numbers_and_eager_tensors() -> None:
    assert graphs.uid() < graphs.uid()
    with pytest.raises(NotImplementedError):
        graphs.EagerTensor()


_ELSEWHERE = """
import tensorflow as tf
from tensorflow.contrib.tpu.python.tpu import tpu_context, tpu_config
from tensorflow.python.autograph.impl import api
from tensorflow.python.eager import core
from tensorflow.python.tpu import topology
from tensorflow.python.tpu.device_assignment import DeviceAssignment

class Unused(core._FallbackException):
    pass

assert api.do_not_convert(len)("ab") == 2
for attempt in (
    lambda: DeviceAssignment([1]),
    lambda: tpu_context.TPUContext.inside(2),
    lambda: Unused(),
    lambda: tf.lite.TFLiteConverter.from_session(None),
):
    try:
        attempt()
    except NotImplementedError as error:
        print(error)
"""


def test_parts_that_are_elsewhere_fail_when_they_are_used(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_ELSEWHERE)
    done = run("run", str(program))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "DeviceAssignment runs on TPUs, and there is none here.",
        "dataflow has no tensorflow.contrib.tpu.python.tpu.tpu_context.TPUContext.inside: there "
        "are no TPUs here.",
        "dataflow has no tensorflow.python.eager.core._FallbackException: graphs and sessions are "
        "what runs here, nothing eager.",
        "dataflow has no tensorflow.lite.TFLiteConverter.from_session: TensorFlow Lite is not "
        "here.",
    ]


def test_classes_that_stand_for_tensors() -> None:
    class Mirrored:
        """Has a value of each device."""

        @property
        def name(self) -> str:
            return "mirrored"

        @property
        def dtype(self) -> Any:
            return tf.float32

    class Nameless:
        """Lacks what a tensor has."""

    graphs.register_dense_tensor_like_type(Mirrored)
    assert is_dense_tensor_like(Mirrored()) and not is_dense_tensor_like(Nameless())
    with pytest.raises(TypeError, match="Type Nameless does not define a `name` property"):
        graphs.register_dense_tensor_like_type(Nameless)


def test_decorators_that_have_nothing_to_do() -> None:
    assert graphs.RegisterShape("MyOp")(len) is len
    graphs.set_shapes_for_outputs(tf.constant(1).op)


def test_a_session_with_hooks_by_its_internal_name() -> None:
    class Counting(tf.train.SessionRunHook):
        """Asks for a tensor with each step."""

        def before_run(self, run_context: Any) -> Any:
            return tf.train.SessionRunArgs(number)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            seen.append(run_values.results)

    seen: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as session:
        number = tf.constant(7)
        assert sessions._HookedSession(session, [Counting()]).run(number + 1) == 8
    assert seen == [7]


def test_descriptions_of_another_library() -> None:
    class Pairs(type_specs.BatchableTypeSpec):
        """Describes pairs."""

    with pytest.raises(NotImplementedError):
        Pairs()._batch(2)
    assert issubclass(Pairs, tf.TypeSpec)


def test_tensors_between_bounds() -> None:
    def shown(tf: Any, spec_class: Any) -> list[Any]:
        spec = spec_class([None, 2], tf.int32, 0, [3, 4], name="s")
        wide = spec_class.from_spec(tf.TensorSpec([], tf.uint8, name="w"))
        return [
            *(spec.minimum.tolist(), spec.maximum.tolist(), spec.shape.as_list(), spec.name),
            *(wide.minimum.tolist(), wide.maximum.tolist(), wide.name),
            spec == spec_class([None, 2], tf.int32, 0, [3, 4], name="s"),
            spec == spec_class([None, 2], tf.int32, 1, [3, 4], name="s"),
            spec == spec_class([None, 2], tf.int32, 0, [3, 5], name="s"),
            spec == copy.deepcopy(spec),
        ]

    ours, theirs = type_specs.BoundedTensorSpec, tensor_spec.BoundedTensorSpec
    assert shown(tf, ours) == shown(oracle, theirs)
    with pytest.raises(ValueError, match="read-only"):
        ours([], tf.float32, 0, 1).minimum[...] = 2
    with pytest.raises(ValueError, match="must be provided; but saw 'None' and '1'"):
        ours([2], tf.float32, None, 1)
    with pytest.raises(ValueError, match="maximum is not compatible with shape"):
        ours([2], tf.float32, 0, [1, 2, 3])


_COLUMN = """
import collections

import tensorflow as tf
from tensorflow.python.feature_column import feature_column


class Lengths(feature_column._DenseColumn, collections.namedtuple("Lengths", ["key"])):
    @property
    def name(self):
        return self.key + "_length"

    @property
    def _parse_example_spec(self):
        return {self.key: tf.FixedLenFeature([1], tf.string)}

    def _transform_feature(self, inputs):
        return tf.cast(tf.strings.length(inputs.get(self.key)), tf.float32)

    @property
    def _variable_shape(self):
        return tf.TensorShape([1])

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        scale = tf.get_variable("scale", [], initializer=tf.ones_initializer(), trainable=trainable)
        return inputs.get(self) * scale


columns = [Lengths("text"), tf.feature_column.numeric_column("age")]
print(sorted(tf.feature_column.make_parse_example_spec(columns)))
net = tf.feature_column.input_layer({"text": ["a", "bcd"], "age": [7.0, 8.0]}, columns)
print([each.name for each in tf.trainable_variables()])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(net).tolist())
"""


def test_a_column_of_another_library(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_COLUMN)
    done = run("run", str(program))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "['age', 'text']",
        "['input_layer/text_length/scale:0']",
        "[[7.0, 1.0], [8.0, 3.0]]",
    ]
