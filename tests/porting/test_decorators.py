"""What programs decorate functions with that were written for TensorFlow's own modules."""

from __future__ import annotations

import functools
import logging
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.util import deprecation, dispatch, function_utils, tf_export

import dataflow as tf
from dataflow.porting.modules import TensorflowModule
from dataflow.porting.spellings import decorators
from dataflow.porting.spellings.ops import gradients
from dataflow.porting.spellings.util import dispatching


def _told(library: Any, module: Any, caplog: pytest.LogCaptureFixture) -> list[Any]:
    """Results, and after how many calls there was another warning."""

    @module.deprecated_arg_values(None, "pass 1", x=0, y=None)
    def values(x: int = 1, y: Any = 2) -> Any:
        return x, y

    @module.deprecated_arg_values("2030-01-01", "pass 1", warn_once=False, x=0)
    def often(x: int = 0) -> int:
        return x

    class Kept:
        """Doc."""

        def __init__(self, x: int) -> None:
            self.x = x

    alias = module.deprecated_alias("old.Kept", "new.Kept", Kept)
    renamed = module.deprecated_alias("old.plus", "new.plus", lambda x: x + 1)
    found: list[Any] = []
    logger = library.get_logger() if hasattr(library, "get_logger") else logging.getLogger()
    propagates, logger.propagate = logger.propagate, True
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        for call in (
            lambda: values(),
            lambda: values(0),
            lambda: values(0),
            lambda: values(1, y=None),
            lambda: often(),
            lambda: often(x=0),
            lambda: often(5),
            lambda: alias(3).x,
            lambda: alias(4).x,
            lambda: renamed(1),
            lambda: renamed(2),
        ):
            caplog.clear()
            result = call()
            found.append((result, bool(caplog.records)))
    finally:
        logger.propagate = propagates
        logger.setLevel(level)
    assert isinstance(alias(1), Kept) and issubclass(alias, Kept)
    with pytest.raises(ValueError, match="Specify which argument values") as refusal:
        module.deprecated_arg_values(None, "x")
    return [found, str(refusal.value)]


def test_old_values_and_names_are_told_of(caplog: pytest.LogCaptureFixture) -> None:
    assert _told(tf, decorators, caplog) == _told(oracle, deprecation, caplog)
    assert decorators.deprecated_endpoints("a.b")(len) is len


class _Callable:
    def __call__(self, x: Any, **more: Any) -> Any:
        return x

    def method(self, x: Any) -> Any:
        return x


def _described(module: Any, exports: Any) -> list[Any]:
    def plain(x: Any) -> Any:
        return x

    @exports.kwarg_only
    def named(x: Any, y: Any = 2) -> Any:
        return x, y

    asked = (plain, _Callable(), _Callable().method, functools.partial(plain, 1), lambda **k: k)
    found: list[Any] = [named(x=1), named(y=3, x=2)]
    found += [module.has_kwargs(each) for each in asked]
    found += [module.get_func_name(each) for each in asked]
    codes = [module.get_func_code(each) for each in asked]
    found += [code and code.co_name for code in codes]
    for call in (
        lambda: named(1),
        lambda: module.has_kwargs(3),
        lambda: module.get_func_name(3),
        lambda: module.get_func_code(3),
    ):
        with pytest.raises((TypeError, ValueError)) as refusal:
            call()
        found.append((refusal.type, str(refusal.value)))
    assert exports.keras_export("keras.x")(plain) is plain
    exports.tf_export("consts.z").export_constant(__name__, "z")
    return found


def test_functions_are_described() -> None:
    assert _described(decorators, decorators) == _described(function_utils, tf_export)


def _dispatched(module: Any) -> list[Any]:
    class Of(list):  # type: ignore[type-arg]
        pass

    @module.add_dispatch_support
    def doubled(x: Any, y: Any = None) -> Any:
        return float(x) * 2

    @module.dispatch_for_types(doubled, Of)
    def of_lists(x: Any, y: Any = None) -> Any:
        return "list", len(x), y

    class Told(module.OpDispatcher):  # type: ignore[misc]
        def handle(self, args: Any, kwargs: Any) -> Any:
            return "told" if args == ("?",) else self.NOT_SUPPORTED

    Told().register(doubled)
    found = [doubled(2), doubled(Of([1, 2]), y=3), doubled([Of()]), doubled("?")]
    with pytest.raises(ValueError, match="could not convert"):
        doubled("!")
    for wrong in (
        lambda: Told().register(len),
        lambda: module.dispatch_for_types(doubled, Of)(lambda z: z),
        lambda: module.add_dispatch_list(doubled),
    ):
        with pytest.raises(AssertionError) as refusal:
            wrong()
        found.append(str(refusal.value)[:19])
    return found


def test_others_answer_for_types() -> None:
    assert _dispatched(dispatching) == _dispatched(dispatch)


def test_names_of_modules() -> None:
    util: Any = TensorflowModule("tensorflow.python.util.tf_export")
    assert util.estimator_export("estimator.y")(len) is len
    inner: Any = TensorflowModule("tensorflow.python.ops.gradients_util")
    x = tf.constant(1.0)
    assert inner.IsTrainable(x) and inner.IsTrainable(tf.resource)
    assert not gradients.IsTrainable(tf.constant(1)) and not gradients.IsTrainable("string")
    scopes: Any = TensorflowModule("tensorflow.python.ops.variable_scope")
    assert scopes.default_variable_creator(None, initial_value=1.0, name="v").op.name == "v"
    stacks: Any = TensorflowModule("tensorflow.python.util.tf_stack")
    line = stacks.extract_stack()[-1]
    assert (
        line[stacks.TB_FILENAME] == __file__ and line[stacks.TB_FUNCNAME] == "test_names_of_modules"
    )
    assert line[stacks.TB_LINENO] == line.lineno
    scales: Any = TensorflowModule("tensorflow.python.training.experimental.loss_scale")
    assert scales.DynamicLossScale is tf.train.experimental.DynamicLossScale
