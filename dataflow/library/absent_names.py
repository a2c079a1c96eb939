"""Names of TensorFlow's that are not here, and what a program is told that uses one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

ABSENT: Final = frozenset(
    {
        "LMDBReader",
        "NoneTensorSpec",
        "check_pinned",
        "conv",
        "conv2d_backprop_filter_v2",
        "conv2d_backprop_input_v2",
        "fftnd",
        "ifftnd",
        "irfftnd",
        "lite",
        "mlir",
        "rfftnd",
        "sysconfig",
        "types",
        "user_ops",
    }
)
"""Those of `tf` itself."""

ABSENT_IN_MODULES: Final = {
    "config": "experimental_connect_to_cluster experimental_connect_to_host",
    "data": "NumpyIterator",
    "debugging": ("disable_check_numerics enable_check_numerics experimental"),
    "distribute": "RunOptions",
    "dtypes": "experimental",
    "experimental": (
        "BatchableExtensionType DynamicRaggedShape ExtensionType ExtensionTypeBatchEncoder "
        "ExtensionTypeSpec Optional RowPartition StructuredTensor async_clear_error "
        "async_scope dispatch_for_api dispatch_for_binary_elementwise_apis "
        "dispatch_for_binary_elementwise_assert_apis dispatch_for_unary_elementwise_apis "
        "enable_strict_mode extension_type float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn "
        "float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz int2 int4 "
        "register_filesystem_plugin uint2 uint4 unregister_dispatch_for"
    ),
    "image": "decode_jxl generate_bounding_box_proposals",
    "io": "decode_jxl",
    "linalg": "experimental",
    "nn": "experimental quantized_relu_x",
    "quantization": "experimental",
    "signal": "fftnd ifftnd irfftnd rfftnd",
    "test": "experimental",
    "tpu": (
        "PaddingSpec XLAOptions batch_parallel bfloat16_scope core cross_replica_sum "
        "experimental initialize_system outside_compilation replicate rewrite shard "
        "shutdown_system"
    ),
    "train": "do_quantize_training_on_graphdef",
}
"""Those of modules that are here; one that has come since is found before it is looked for here."""


def _told(module: str, names: Iterable[str]) -> dict[str, str]:
    return {
        name: f"{module}.{name} is a name of TensorFlow's that is not implemented in dataflow; "
        "README.md says under Limits what else is not."
        for name in names
    }


TOLD: Final = {"": _told("tf", ABSENT)} | {
    module: _told(f"tf.{module}", names.split()) for module, names in ABSENT_IN_MODULES.items()
}
"""What each is told, by module."""
