"""What programs decorate functions with that were written for TensorFlow's own modules."""

from __future__ import annotations

import functools
import importlib
import inspect
import logging
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.util import (
    deprecation,
    dispatch,
    function_utils,
    tf_decorator,
    tf_export,
    tf_inspect,
)

import dataflow as tf
from dataflow.porting.modules import TensorflowModule
from dataflow.porting.spellings import decorators
from dataflow.porting.spellings.ops import gradients
from dataflow.porting.spellings.util import (
    deprecations,
    dispatching,
    exported_names,
    inspection,
    wrappers,
)
from tests.words import as_in_tensorflow_1


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
    assert _told(tf, deprecations, caplog) == _told(oracle, deprecation, caplog)
    assert deprecations.deprecated_endpoints("a.b")(len) is len


class _Made:
    def __init__(self) -> None:
        self.made = True


_DATE, _INSTEAD = "2030-01-01", "Call this."


def _noticed(module: Any) -> list[Any]:
    """Docstrings and refusals."""
    docs = (
        None,
        "fn doc.",
        "fn doc.\n\n    Args:\n      x: A number.\n\n    Returns:\n      It.\n    ",
    )
    decorate = [
        module.deprecated(None, _INSTEAD),
        module.deprecated(_DATE, _INSTEAD),
        module.deprecated_args(_DATE, _INSTEAD, "y", ("x", 1)),
        module.deprecated_arg_values(None, _INSTEAD, y=2, x="a"),
        lambda function: module.deprecated_alias("old.name", "new.name", function),
    ]
    found: list[Any] = []
    for doc in docs:
        for each in decorate:

            def told(x: Any, y: Any = 2) -> Any:
                return x, y

            told.__doc__ = doc
            wrapper = each(told)
            found += [wrapper.__name__, wrapper.__doc__, wrapper._tf_decorator.decorator_name]
        kind: Any = module.deprecated(_DATE, _INSTEAD)(type("Kind", (_Made,), {"__doc__": doc}))
        alias = module.deprecated_alias("old.Kind", "new.Kind", kind)
        found += [kind.__doc__, alias.__doc__, type(alias()).__mro__[1] is kind]
    for wrong in (
        lambda: module.deprecated("", _INSTEAD),
        lambda: module.deprecated_args("07-04-2016", _INSTEAD, "x"),
        lambda: module.deprecated_arg_values(_DATE, "", x=1),
        lambda: module.deprecated_args(_DATE, _INSTEAD),
        lambda: module.deprecated_argument_lookup("v", 1, "old", 2),
    ):
        with pytest.raises(ValueError) as refusal:
            wrong()
        found.append(str(refusal.value))
    with pytest.raises(ValueError, match=r"are not present in the function signature: \['z'\]"):
        module.deprecated_args(_DATE, _INSTEAD, "z")(lambda x: x)
    with pytest.raises(ValueError, match="make sure @property appears before @deprecated in your"):
        module.deprecated(_DATE, _INSTEAD)(property(len))
    found.append(module.rewrite_argument_docstring("Args:\n  old: `old`", "old", "new"))
    return found


def test_docstrings_tell_of_what_will_go() -> None:
    expected = [
        as_in_tensorflow_1(each.replace("\n\nDeprecated: ", "\n\nWarning: "))
        if isinstance(each, str)
        else each
        for each in _noticed(deprecation)
    ]
    assert _noticed(deprecations) == expected
    noted = deprecations.deprecated_endpoints("a", "b")(lambda: 0)
    assert noted._tf_deprecated_api_names == ("a", "b")
    with pytest.raises(deprecations.DeprecatedNamesAlreadySet, match="are already set to"):
        deprecations.deprecated_endpoints("c")(noted)


def test_warnings_name_the_line_and_the_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    for library in ("dataflow.values.logging", "tensorflow.python.platform.tf_logging"):
        monkeypatch.setattr(importlib.import_module(library), "warning", lambda *a: told.append(a))
    found = []
    for module in (deprecations, deprecation):

        def called(x: Any, *rest: Any, d1: Any = None, **more: Any) -> Any:
            return x

        told.clear()
        names = module.deprecated_args(_DATE, _INSTEAD, "rest", ("d1", None), "more")(called)
        every = module.deprecated(_DATE, _INSTEAD, warn_once=False)(called)
        for call in (names, names, every, every):
            call(1)
            call(1, 2, d1=None, z=3)
            call(1, d1=np.ones(2))
        with module.silence():
            every(1)
        assert all(each[1].startswith(f"{__file__}:") for each in told)
        found.append([(text, *values) for text, _, *values in told])
    assert found[0] == found[1] and len(found[0]) == 9


def _wrapped(decorator: Any, inspected: Any) -> list[Any]:
    def plain(a: Any, b: Any = 2, *c: Any, d: Any = 3, **e: Any) -> Any:
        """Plain."""
        return a, b

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return wrapper.__wrapped__(*args, **kwargs)  # type: ignore[attr-defined]

    plain.mark = 5  # type: ignore[attr-defined]
    spec = inspected.FullArgSpec(["x", "y"], None, None, (1,), [], None, {})
    inner = decorator.TFDecorator("inner", plain, "", spec)
    outer = decorator.TFDecorator("outer", inner, "Outer.")
    made = decorator.make_decorator(plain, wrapper)
    partial = functools.partial
    found: list[Any] = [inner.__name__, inner.__doc__, outer.__doc__, outer(1), made(1), made.mark]
    found += [each.decorator_name for each in (*decorator.unwrap(outer)[0], made._tf_decorator)]
    found += [decorator.unwrap(each)[1] is plain for each in (outer, made, plain)]
    for asked in (plain, inner, outer, made, _Callable(), _Callable().method, _Callable):
        found += [tuple(inspected.getfullargspec(asked)[:6]), inspected.isfunction(asked)]
    simple = lambda a, b=2, *c: a  # noqa: E731
    behind = decorator.TFDecorator("simple", simple)
    for asked in (partial(simple, 1), partial(behind, b=4), partial(behind, 7)):
        found.append(tuple(inspected.getargspec(asked)[:4]))
    with pytest.raises(ValueError, match=r"can not be expressed|are not supported"):
        inspected.getargspec(partial(lambda m, n: m, m=0))
    found += [inspected.getcallargs(outer, 4), inspected.isclass(outer)]
    found += [inspected.getcallargs(plain, 1, b=5), str(inspect.signature(outer))]
    found += [inspected.getsourcelines(outer) == inspect.getsourcelines(plain)]
    found += [inspected.currentframe() is inspect.currentframe(), len(inspected.stack())]
    found += [inspected.isanytargetmethod(decorator.TFDecorator("m", _Callable().method))]
    assert decorator.rewrap(made, plain, lambda a: -a) is made
    found += [made(3), decorator.rewrap(plain, plain, len) is len]
    return found


def test_decorators_tell_what_they_decorate() -> None:
    assert _wrapped(wrappers, inspection) == _wrapped(tf_decorator, tf_inspect)


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
    expected = [
        (each[0], as_in_tensorflow_1(each[1]))
        if isinstance(each, tuple) and each and isinstance(each[0], type)
        else each
        for each in _described(function_utils, tf_export)
    ]
    assert _described(decorators, exported_names) == expected


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
    function = lambda: 0  # noqa: E731 - a function of no other name
    assert util.estimator_export("estimator.y")(function) is function
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
