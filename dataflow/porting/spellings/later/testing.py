"""framework.test_util: what TensorFlow 2 added; here there is one way in which tests run."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from dataflow.library.concrete import direct as _direct
from dataflow.porting.spellings.framework.testing import as_it_is

add_graph_building_optimization_tests = as_it_is
disable_asan = as_it_is
disable_cudnn_autotune = as_it_is
disable_eager_op_as_function = as_it_is
disable_mlir_bridge = as_it_is
disable_msan = as_it_is
disable_tfrt = as_it_is
disable_tsan = as_it_is
disable_ubsan = as_it_is
enable_eager_op_as_function = as_it_is
enable_graph_building_optimization = as_it_is
enable_nested_function_shape_inference = as_it_is
enable_quantized_dtypes_training = as_it_is
matmul_without_tf32 = as_it_is
run_all_in_deprecated_graph_mode_only = as_it_is
run_all_without_tensor_float_32 = as_it_is
run_class_in_v1_v2 = as_it_is
run_in_async_and_sync_mode = as_it_is
run_in_v1_v2 = as_it_is
run_without_tensor_float_32 = as_it_is
set_xla_env_flag = as_it_is
with_forward_compatibility_horizons = as_it_is


@contextmanager
def run_functions_eagerly(run_eagerly: bool) -> Iterator[None]:
    """A context in which functions run as they are, or do not."""
    before = _direct.functions_run_eagerly()
    _direct.run_functions_eagerly(run_eagerly)
    try:
        yield
    finally:
        _direct.run_functions_eagerly(before)


@contextmanager
def skip_if_error(
    test_obj: Any, error_type: Any, messages: str | Sequence[str] | None = None
) -> Iterator[None]:
    """A context in which an error skips the test.

    Args:
      test_obj: The test.
      error_type: The type of the error, or a tuple of types.
      messages: A text, or some, one of which the error says; by default any.
    """
    texts = [messages] if isinstance(messages, str) else messages or []
    try:
        yield
    except error_type as error:
        if texts and not any(text in str(error) for text in texts):
            raise
        test_obj.skipTest(f"Skipping error: {type(error).__name__}: {error}")


def deterministic_ops() -> AbstractContextManager[None]:
    """A context in which ops give the same each time, as they always do."""
    return nullcontext()


def sync_devices() -> None:
    """Nothing: no work is left after a step."""


def pick_unused_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as listening:
        listening.bind(("localhost", 0))
        port: int = listening.getsockname()[1]
        return port


def _is_no_build() -> bool:
    """False: this library is not compiled."""
    return False


is_asan_enabled = _is_no_build
is_mlir_bridge_enabled = _is_no_build
is_msan_enabled = _is_no_build
is_tsan_enabled = _is_no_build
is_ubsan_enabled = _is_no_build
IsBuiltWithNvcc = _is_no_build
IsBuiltWithXLA = _is_no_build
