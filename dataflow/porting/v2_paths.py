"""Where the names of tf.compat.v2 are to be found in this library."""

from __future__ import annotations

from collections.abc import Mapping

_SAME = (
    "audio bitwise data data.experimental distribute dtypes errors estimator.export "
    "experimental graph_util io.gfile lookup lookup.experimental nest quantization "
    "queue ragged raw_ops sets signal test train version"
)
"""Modules whose names are those of TensorFlow 1."""
_OTHER = (
    "debugging estimator feature_column image io linalg math nn random saved_model sparse strings "
    "summary"
)


def v2_sources(public: str) -> dict[str, tuple[str, ...]]:
    """Path -> the modules that are asked for its names, one after the other."""
    here = "tensorflow.compat.v2"
    ours = "dataflow.porting.v2"
    initializers = ("dataflow.keras.initializers",)
    found: Mapping[str, tuple[str, ...]] = (
        {f"{here}.{name}": (f"{public}.{name}",) for name in _SAME.split()}
        | {f"{here}.{name}": (f"{ours}.{name}", f"{public}.{name}") for name in _OTHER.split()}
        | {
            here: (f"{ours}.top", public),
            f"{here}.compat": (f"{public}.compat",),
            f"{here}.compat.v1": (public,),
            f"{here}.compat.v2": (f"{ours}.top", public),
            "tensorflow.compat.v1.compat": (f"{public}.compat",),
            "tensorflow.compat.v1.compat.v1": (public,),
            "tensorflow.compat.v1.compat.v2": (f"{ours}.top", public),
            f"{here}.initializers": initializers,
            f"{here}.losses": ("dataflow.keras.losses",),
            f"{here}.metrics": ("dataflow.keras.metrics",),
            f"{here}.optimizers": ("dataflow.keras.optimizers",),
            f"{here}.summary.experimental": (
                "dataflow.recording.default_writer",
                "dataflow.recording.written",
            ),
            f"{here}.autograph": ("dataflow.autograph",),
            f"{here}.autograph.experimental": ("dataflow.autograph.experimental",),
        }
    )
    return dict(found)
