"""What TensorFlow 1.15's tests of its utilities look at; the expected values were read off 1.15."""

from __future__ import annotations

import cmd
import sys
import types
from typing import Any

import numpy as np
import pytest
from absl.testing import parameterized

import dataflow as tf
from dataflow.library import shallow_nest
from dataflow.porting.modules import TensorflowModule
from dataflow.porting.spellings import constants, decorators
from dataflow.porting.spellings.framework import shapes, testing
from dataflow.porting.spellings.util import (
    deprecations,
    exported_names,
    identity,
    module_wrappers,
    used_results,
)
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.values import logging


def test_public_names_are_noted() -> None:
    class Above: ...

    class Below(Above): ...

    def function() -> None: ...

    assert exported_names.tf_export("nameA", "nameB")(function) is function
    assert exported_names.get_v1_names(function) == ["nameA", "nameB"]
    assert exported_names.get_v2_names(function) == ["nameA", "nameB"]
    exported_names.tf_export("Above")(Above)
    exported_names.estimator_export("estimator.Below")(Below)
    assert exported_names.get_v1_names(Above) == ["Above"]
    assert exported_names.get_v1_names(Below) == ["estimator.Below"]
    assert "_tf_api_names" not in vars(Below)
    with pytest.raises(exported_names.SymbolAlreadyExposedError):
        exported_names.tf_export("another")(function)

    def overriding() -> None: ...

    exported_names.tf_export("nameA", overrides=[function])(overriding)
    assert not hasattr(function, "_tf_api_names")


def test_names_of_other_interfaces_are_refused() -> None:
    for decorator, names, options in (
        (exported_names.tf_export, ["estimator.x"], {}),
        (exported_names.tf_export, ["valid"], {"v1": ["estimator.x"]}),
        (exported_names.estimator_export, ["invalid"], {}),
        (exported_names.estimator_export, ["Estimator.invalid"], {}),
    ):
        with pytest.raises(exported_names.InvalidSymbolNameError):
            decorator(*names, **options)


def test_canonical_names_and_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    def both() -> None: ...

    def older() -> None: ...

    exported_names.tf_export("x.first", "second")(both)
    exported_names.tf_export(v1=["only.one"])(older)
    name = exported_names.get_canonical_name_for_symbol
    assert name(both) == "x.first"
    assert name(older) == "only.one"
    assert name(older, add_prefix_to_v1_names=True) == "compat.v1.only.one"
    assert name(len) is None
    module: Any = types.ModuleType("constants_of_a_test")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exported_names.tf_export("A", "B").export_constant(module.__name__, "value")
    assert exported_names.get_v1_constants(module) == [(("A", "B"), "value")]
    assert exported_names.get_v2_constants(module) == [(("A", "B"), "value")]


@pytest.mark.parametrize("fatal", [False, True])
def test_unused_results_are_told_of(monkeypatch: pytest.MonkeyPatch, fatal: bool) -> None:
    told: list[str] = []
    monkeypatch.setattr(logging, "fatal" if fatal else "error", told.append)
    decorate = used_results.must_use_result_or_fatal if fatal else used_results.should_use_result

    @decorate
    def made(value: float) -> tf.Tensor:
        return tf.constant(value, name="blah")

    with tf.Graph().as_default():
        assert isinstance(made(0.0), tf.Tensor)
        assert len(told) == 1
        for word in ("Object was never used", "blah:0", "test_unused_results_are_told_of"):
            assert word in told[0]
        made(0.0).mark_used()
        used = made(3.0)
        total = used + 1.0
        assert used.name == "blah_2:0"
        del used
        with tf.Session() as session:
            assert session.run(total) == 4.0
    assert len(told) == 1


def test_modules_are_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(logging, "warning", lambda *args: told.append(args[2:]))
    monkeypatch.setattr(module_wrappers, "_PER_MODULE_WARNING_LIMIT", 5)
    monkeypatch.setitem(module_wrappers.symbol_renames, "tf.test.bar", "tf.bar2")
    inner: Any = types.ModuleType("test")
    inner.foo, inner.bar, inner.lite = 1, 2, 3
    wrapped = module_wrappers.TFModuleWrapper(inner, "test")
    assert isinstance(wrapped, types.ModuleType)
    assert (wrapped.foo, wrapped.bar, wrapped.bar) == (1, 2, 2)
    assert told == [("tf.test.bar", "tf.bar2")]
    apis = {"cmd": ("", "cmd"), "lite": ("", "cmd"), "Cmd": ("cmd", "Cmd")}
    lazy = module_wrappers.TFModuleWrapper(inner, "test", apis, deprecation=False, has_lite=True)
    assert "cmd" not in vars(lazy)
    assert lazy.cmd is cmd
    assert vars(lazy)["cmd"] is cmd
    assert lazy.lite is cmd
    assert lazy.Cmd is cmd.Cmd
    lazy.cmd, lazy.more = 5, 6
    assert (lazy.cmd, lazy.more, inner.more) == (5, 6, 6)
    assert {"cmd", "more", "foo"} <= set(lazy.__all__)
    with pytest.raises(AttributeError):
        _ = lazy.nothing


def test_objects_are_compared_wrapped() -> None:
    class Thing: ...

    first, second, third = Thing(), Thing(), Thing()
    wrapped = identity._ObjectIdentityWrapper(first)
    assert wrapped == identity._ObjectIdentityWrapper(first)
    assert wrapped != identity._ObjectIdentityWrapper(second)
    with pytest.raises(TypeError, match="Cannot compare wrapped object with unwrapped object"):
        _ = wrapped == first
    found = identity.ObjectIdentitySet([first, second])
    assert list(found.difference([second, third])) == [first]
    assert list(found.intersection([second, third])) == [second]


def test_what_was_told_of_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(logging, "warning", lambda *args: told.append(args))
    monkeypatch.setattr(deprecations, "_PRINTED_WARNING", {})

    @deprecations.deprecated(None, "Call another.")
    def function() -> None:
        """Some text."""

    function()
    function()
    assert len(told) == 1
    deprecations._PRINTED_WARNING.clear()
    function()
    assert len(told) == 2
    assert str(function.__doc__).startswith("Some text. (deprecated)\n\nWarning: THIS FUNCTION IS")


def test_options_without_rewriting() -> None:
    config = ConfigProto.FromString(decorators.get_disabled_rewriter_config())
    assert config.graph_options.rewrite_options.disable_meta_optimizer


def test_subtrees_may_be_longer() -> None:
    shallow, deep = {"a": 1, "c": 2}, {"a": "A", "b": "B", "c": "C"}
    with pytest.raises(ValueError, match="don't have the same sequence length"):
        shallow_nest.flatten_with_tuple_paths_up_to(shallow, deep)
    found = shallow_nest.flatten_with_tuple_paths_up_to(shallow, deep, check_subtrees_length=False)
    assert found == [(("a",), "A"), (("c",), "C")]
    with pytest.raises(ValueError, match="has fewer items than the shallow_tree"):
        shallow_nest.flatten_up_to([1, 2], [1], check_subtrees_length=False)


def test_paths_name_composite_tensors() -> None:
    with tf.Graph().as_default():
        sparse = tf.SparseTensor([[0]], ["a"], [2])
        paths = shallow_nest.yield_flat_paths({"a": sparse}, expand_composites=True)
        assert list(paths) == [("a", "SparseTensor", place) for place in range(3)]


class _InBothGraphs(parameterized.TestCase):
    def runTest(self) -> None: ...

    def setUp(self) -> None:
        self.seen: list[bool] = []

    @testing.build_as_function_and_v1_graph
    def test_kind(self) -> None:
        self.seen.append(tf.get_default_graph().building_function)


def test_tests_run_in_functions_too() -> None:
    case: Any = _InBothGraphs()
    case.setUp()
    case.test_kind_v1_graph()
    case.test_kind_function()
    assert case.seen == [False, True]
    with pytest.raises(ValueError, match="only supports test methods"):
        testing.build_as_function_and_v1_graph(_InBothGraphs)


class _Cycles(tf.test.TestCase):
    def runTest(self) -> None: ...

    @testing.assert_no_garbage_created
    def cycle(self) -> None:
        found: list[Any] = []
        found.append(found)

    @testing.assert_no_garbage_created
    def none(self) -> int:
        return 3


def test_reference_cycles_are_found() -> None:
    case = _Cycles()
    assert case.none() == 3
    with pytest.raises(AssertionError, match="reference cycles"):
        case.cycle()


def test_constants_by_the_inner_path_are_not_repeated() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        for value, shape, expected in (
            (1, [2], [1, 1]),
            ([5], [2], [5, 5]),
            ([1, 2, 3, 4], [2, 2], [[1, 2], [3, 4]]),
        ):
            np.testing.assert_array_equal(
                session.run(constants.constant(value, shape=shape)), expected
            )
        for value, shape in (([1, 2], [3]), ([1, 2, 3], [2]), ([], [2])):
            with pytest.raises(TypeError, match="Expected Tensor's shape"):
                constants.constant(value, shape=shape)
        assert session.run(shapes.constant_v1([1, 2], shape=[3])).tolist() == [1, 2, 2]


def test_modules_that_files_import() -> None:
    assert TensorflowModule("tensorflow.python.platform.googletest").SkipTest
    compat = TensorflowModule("tensorflow.python.util.compat")
    assert hasattr(compat, "as_bytes")
