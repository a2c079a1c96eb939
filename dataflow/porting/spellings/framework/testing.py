"""tensorflow.python.framework.test_util: in which ways tests run; here as graphs, in sessions."""

from __future__ import annotations

import functools
import gc
import itertools
import unittest
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from absl.testing import parameterized

from dataflow.control_flow import version as _version
from dataflow.graph.graph import Graph
from dataflow.graph.scopes import device as _device
from dataflow.library.concrete.polymorphic import function as tf_function
from dataflow.porting.spellings.framework.graph_checks import NCHWToNHWC as NCHWToNHWC
from dataflow.porting.spellings.framework.graph_checks import NHWCToNCHW as NHWCToNCHW
from dataflow.porting.spellings.framework.graph_checks import (
    assert_equal_graph_def as assert_equal_graph_def,
)
from dataflow.porting.spellings.framework.graph_checks import (
    assert_equal_graph_def_v1 as assert_equal_graph_def_v1,
)
from dataflow.porting.spellings.framework.graph_checks import (
    assert_equal_graph_def_v2 as assert_equal_graph_def_v2,
)
from dataflow.porting.spellings.framework.graph_checks import (
    assert_meta_graph_protos_equal as assert_meta_graph_protos_equal,
)
from dataflow.porting.spellings.framework.graph_checks import (
    assert_ops_in_graph as assert_ops_in_graph,
)
from dataflow.porting.spellings.framework.graph_checks import (
    get_node_def_from_graph as get_node_def_from_graph,
)
from dataflow.porting.spellings.framework.graph_checks import (
    set_producer_version as set_producer_version,
)
from dataflow.testing.graph_test_case import TestCase as TestCase
from dataflow.testing.surroundings import gpu_device_name as gpu_device_name
from dataflow.testing.surroundings import is_gpu_available as is_gpu_available

TensorFlowTestCase = TestCase
_Test = Callable[..., Any]


def as_it_is(*args: Any, **kwargs: Any) -> Any:
    """A decorator that changes nothing, with or without arguments before the test."""
    if len(args) == 1 and not kwargs and (callable(args[0]) or isinstance(args[0], type)):
        return args[0]
    return lambda test: test


assert_no_new_pyobjects_executing_eagerly = as_it_is
assert_no_new_tensors = as_it_is
deprecated_graph_mode_only = as_it_is
disable_xla = as_it_is
enable_c_shapes = as_it_is
enable_tf_xla_constant_folding = as_it_is
no_xla_auto_jit = as_it_is
py_func_if_in_function = as_it_is
run_deprecated_v1 = as_it_is
use_deterministic_cudnn = as_it_is
with_c_shapes = as_it_is
xla_allow_fallback = as_it_is


def run_v1_only(reason: str, func: Any = None) -> Any:
    """A test as it is: what it needs of TensorFlow 1 is here."""
    return func if func is not None else lambda test: test


def _before(test: _Test, check: Callable[[Any], None]) -> _Test:
    @functools.wraps(test)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        check(self)
        return test(self, *args, **kwargs)

    return run


def _with_optional_test(decorate: Callable[[_Test], _Test], func: Any) -> Any:
    return decorate(func) if func is not None else decorate


def run_v2_only(func: Any = None) -> Any:
    """Skips a test."""
    return _with_optional_test(
        lambda test: _before(test, lambda self: self.skipTest("Test is only compatible with v2")),
        func,
    )


def run_gpu_only(func: Any = None) -> Any:
    """Skips a test where there is no GPU."""

    def check(self: Any) -> None:
        if not is_gpu_available():
            self.skipTest("Test requires GPU")

    return _with_optional_test(lambda test: _before(test, check), func)


run_cuda_only = run_gpu_only


def skip_if(condition: Any) -> Callable[[_Test], _Test]:
    """Leaves a test out where a condition holds: a value, or a function without arguments."""

    def decorate(test: _Test) -> _Test:
        @functools.wraps(test)
        def run(*args: Any, **kwargs: Any) -> Any:
            holds = condition() if callable(condition) else condition
            return None if holds else test(*args, **kwargs)

        return run

    return decorate


def run_in_graph_and_eager_modes(
    func: Any = None,
    config: Any = None,
    use_gpu: bool = True,
    reset_test: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Any:
    """Runs a test with a default session and graph, once: there is no eager execution.

    Raises:
      ValueError: For a class: `run_all_in_graph_and_eager_modes` is for these.
    """

    def decorate(test: Any) -> Any:
        if isinstance(test, type):
            raise ValueError(
                "`run_in_graph_and_eager_modes` only supports test methods. Did you mean to use "
                "`run_all_in_graph_and_eager_modes`?"
            )

        @functools.wraps(test)
        def run(self: Any, *args: Any, **kwargs: Any) -> None:
            with self.test_session(use_gpu=use_gpu, config=config):
                test(self, *args, **kwargs)

        return run

    return _with_optional_test(decorate, func)


def for_all_test_methods(decorator: Any, *args: Any, **kwargs: Any) -> Callable[[type], type]:
    """A decorator of classes that decorates their test methods by `decorator(*args, **kwargs)`."""

    def decorate(cls: type) -> type:
        _decorate_tests(cls, decorator(*args, **kwargs))
        return cls

    return decorate


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """Runs a class's tests as `run_in_graph_and_eager_modes` runs one."""
    _decorate_tests(
        cls,
        run_in_graph_and_eager_modes,
        but=("testSkipEager", "test_skip_eager", "test_session"),
    )
    return cls


def _decorate_tests(cls: type, decorate: Any, but: tuple[str, ...] = ()) -> None:
    for name in dir(cls):
        if name.startswith(unittest.TestLoader.testMethodPrefix) and name != "test_session":
            value = getattr(cls, name)
            if callable(value) and not (but and name.startswith(but)):
                setattr(cls, name, decorate(value))


def build_as_function_and_v1_graph(func: Any = None) -> Any:
    """Makes two tests of one of a `parameterized.TestCase`: in a graph, and in a function's.

    It raises ValueError for a class.
    """

    def decorate(test: Any) -> Any:
        if isinstance(test, type):
            raise ValueError("`run_in_graph_mode_and_function` only supports test methods.")

        @functools.wraps(test)
        def run(self: Any, in_function: bool, *args: Any, **kwargs: Any) -> None:
            with Graph().as_default():
                if in_function:
                    tf_function(lambda: test(self, *args, **kwargs), autograph=False)()
                else:
                    test(self, *args, **kwargs)

        ways: Any = parameterized.named_parameters
        return ways(("_v1_graph", False), ("_function", True))(run)

    return _with_optional_test(decorate, func)


def assert_no_garbage_created(f: _Test) -> _Test:
    """A test fails if it leaves objects that refer to each other and that nobody else knows."""

    @functools.wraps(f)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        gc.disable()
        flags = gc.get_debug()
        gc.set_debug(0)
        try:
            gc.collect()
            before = len(gc.garbage)
            gc.set_debug(gc.DEBUG_SAVEALL)
            result = f(self, *args, **kwargs)
            gc.collect()
            found = gc.garbage[before:]
            del gc.garbage[before:]
            self.assertEqual(
                0, len(found), f"Objects of reference cycles were left: {found!r:.500}"
            )
        finally:
            gc.set_debug(flags)
            gc.enable()
        return result

    return run


def also_run_as_tf_function(f: _Test) -> _Test:
    """Runs a test in a graph, once."""
    return f


def enable_control_flow_v2(fn: _Test) -> _Test:
    """Runs a test with functional control flow."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        before = _version.control_flow_v2_enabled()
        _version.enable_control_flow_v2()
        try:
            return fn(*args, **kwargs)
        finally:
            if not before:
                _version.disable_control_flow_v2()

    return run


def with_control_flow_v2(cls: type) -> type:
    """Adds, for each test of a class, one of functional control flow: ...WithControlFlowV2."""
    if _version.control_flow_v2_enabled():
        return cls
    for name, value in list(vars(cls).items()):
        if (
            callable(value)
            and name.startswith(unittest.TestLoader.testMethodPrefix)
            and not getattr(value, "_disable_control_flow_v2", False)
        ):
            setattr(cls, f"{name}WithControlFlowV2", enable_control_flow_v2(value))
    return cls


def disable_control_flow_v2(unused_msg: str) -> Callable[[_Test], _Test]:
    """Keeps `with_control_flow_v2` from a test."""

    def decorate(test: _Test) -> _Test:
        test._disable_control_flow_v2 = True  # type: ignore[attr-defined]
        return test

    return decorate


def enable_output_all_intermediates(fn: _Test) -> _Test:
    """Runs a test with nodes that give all that their gradients may need."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        before = _version.outputs_all_intermediates()
        _version.output_all_intermediates(True)
        try:
            return fn(*args, **kwargs)
        finally:
            _version.output_all_intermediates(before)

    return run


def generate_combinations_with_testcase_name(**kwargs: Any) -> list[Any]:
    """Each combination of listed values, by its arguments' names, with a name for the test."""
    combinations = []
    choices = {
        name: value if isinstance(value, list) else [value]
        for name, value in sorted(kwargs.items())
    }
    for values in itertools.product(*choices.values()):
        named = dict(zip(choices, values, strict=True))
        parts = (
            f"_{''.join(filter(str.isalnum, name))}_{''.join(filter(str.isalnum, str(value)))}"
            for name, value in named.items()
        )
        combinations.append({**named, "testcase_name": f"_test{''.join(parts)}"})
    return combinations


def device(use_gpu: bool) -> AbstractContextManager[None]:
    """The first GPU if there is one and it is wanted, else the CPU."""
    return _device((gpu_device_name() if use_gpu else "") or "/device:CPU:0")


def use_gpu() -> AbstractContextManager[None]:
    """The first GPU if there is one, else the CPU."""
    return device(use_gpu=True)


@contextmanager
def force_gpu() -> Any:
    """The first GPU, whether there is one or not."""
    with _device(gpu_device_name() or "/device:GPU:0"):
        yield


def force_cpu() -> AbstractContextManager[None]:
    """The CPU."""
    return _device("/device:CPU:0")


def is_xla_enabled() -> bool:
    """False: there is no XLA."""
    return False


def IsGoogleCudaEnabled() -> bool:
    """Whether there is a GPU."""
    return is_gpu_available()


def IsBuiltWithROCm() -> bool:
    """False: GPUs are CUDA's."""
    return False


def GpuSupportsHalfMatMulAndConv() -> bool:
    """Whether there is a GPU."""
    return is_gpu_available()


def IsMklEnabled() -> bool:
    """False: kernels have TensorFlow's plain names."""
    return False


def InstallStackTraceHandler() -> None:
    """Nothing: Python's own handler of faults does it."""
