"""Names of TensorFlow's that are not here, and what a program is told that uses one."""

from __future__ import annotations

from typing import Final

ABSENT: Final = frozenset(
    {
        "IndexedSlicesSpec",
        "LMDBReader",
        "NoneTensorSpec",
        "OptionalSpec",
        "TensorArraySpec",
        "approx_top_k",
        "check_pinned",
        "conv",
        "conv2d_backprop_filter_v2",
        "conv2d_backprop_input_v2",
        "experimental",
        "fftnd",
        "ifftnd",
        "irfftnd",
        "is_symbolic_tensor",
        "lite",
        "load_file_system_library",
        "load_library",
        "load_op_library",
        "mixed_precision",
        "mlir",
        "random_index_shuffle",
        "recompute_grad",
        "rfftnd",
        "sysconfig",
        "type_spec_from_value",
        "types",
        "user_ops",
        "vectorized_map",
        "xla",
    }
)
"""Those of `tf` itself."""

TOLD: Final = {
    name: f"tf.{name} is a name of TensorFlow's that is not implemented in dataflow; README.md "
    "says under Limits what else is not."
    for name in ABSENT
}
"""What each is told."""
