"""Calls into oneDNN and BLAS: large operands of every layout, shapes that do not divide evenly."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import dataflow as tf
from dataflow.schema.opdef import registered_ops
from tests.fuzz import values
from tests.fuzz.drafts import Draft
from tests.fuzz.trial import Trial
from tests.fuzz.values import Recipe

_EDGES: Final = (0, 1, 2, 3, 5, 16, 17, 31, 64, 65, 100, 129, 257)
_FORMS: Final = (
    *("MatMul", "BatchMatMulV2", "Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"),
    *("MaxPool", "AvgPool", "MaxPoolGrad", "AvgPoolGrad", "Softmax", "LogSoftmax", "BiasAdd"),
    *("DepthwiseConv2dNative", "FusedBatchNormV3", "FusedBatchNormGradV3", "Max", "Sum", "Mean"),
    *("SoftmaxCrossEntropyWithLogits", "LRN", "Relu", "Tanh", "UnsortedSegmentSum", "Einsum"),
)


def natives(rng: Random) -> Trial:
    """One op, fed operands that it may or may not be able to take."""
    op = registered_ops()[rng.choice(_FORMS)]
    draft = Draft(rng, [])
    inputs = _inputs(rng, op.name)
    images = "data_format" in op.attr_by_name and len(inputs["*"]) == 4
    given: dict[str, Any] = {}
    if "ksize" in op.attr_by_name:
        given["ksize"] = (1, rng.choice((1, 2, 3, 5)), rng.choice((1, 2, 3)), 1)
    if "strides" in op.attr_by_name:
        given["strides"] = (1, rng.choice((1, 2, 3)), rng.choice((1, 2)), 1)
    if images:
        given["data_format"] = rng.choice((b"NHWC", b"NHWC", b"NHWC", b"NCHW"))
        given["padding"] = rng.choice((b"SAME", b"VALID"))
        given["dilations"] = (1, rng.choice((1, 1, 2)), 1, 1)
    if op.name == "Einsum":
        given |= {"N": 2, "equation": rng.choice((b"ij,jk->ik", b"bij,bjk->bik", b"ij,kj->ki"))}
    given = {name: value for name, value in given.items() if name in op.attr_by_name}
    for attr in ("T", "U"):
        if attr in op.attr_by_name:
            given[attr] = tf.float32
    recipes = {
        arg.name: _operand(rng, inputs.get(arg.name, inputs["*"]))
        for arg in op.inputs
        if arg.dtype is None and arg.type_attr in ("T", "U")
    }
    recipes |= {name: made for name, made in inputs.items() if isinstance(made, Recipe)}
    name = draft.add(op, inputs=recipes, **given)
    return Trial(draft.graph_def.SerializeToString(deterministic=True), (name,), draft.feeds)


def _operand(rng: Random, shape: Any) -> Recipe:
    layout = rng.choice(("plain", *values.LAYOUTS))
    fill = rng.choice(("random", "random", "edges", "zeros"))
    return Recipe("float32", tuple(shape), fill, layout, rng.randrange(1000))


def _inputs(rng: Random, op: str) -> dict[str, Any]:
    """Shapes of the operands by name, "*" for those without one."""

    def size() -> int:
        return rng.choice(_EDGES)

    def small() -> int:
        return rng.choice((0, 1, 2, 3, 7, 16, 17))

    m, k, n = size(), size(), size()
    if op == "MatMul":
        return {"a": (m, k), "b": (k, n) if rng.random() < 0.8 else (n, k), "*": (m, n)}
    if op == "BatchMatMulV2":
        b = small()
        return {"x": (b, m, k), "y": (rng.choice((1, b)), k, n), "*": (m, n)}
    if op == "Einsum":
        return {"*": (m, m) if rng.random() < 0.5 else (small(), m, m)}
    image = (small(), rng.choice((1, 5, 8, 17)), rng.choice((1, 4, 9)), small())
    window = (rng.choice((1, 2, 3)), rng.choice((1, 3)), image[3], small())
    if "Conv2D" in op or "Conv2d" in op:
        sizes = Recipe("int32", (4,), values=image if "Input" in op else window)
        return {
            "*": image,
            "filter": window,
            "input_sizes": sizes,
            "filter_sizes": sizes,
            "out_backprop": (*image[:3], window[3]),
        }
    if op == "AvgPoolGrad":
        return {"*": image, "orig_input_shape": Recipe("int32", (4,), values=image)}
    if "Pool" in op or op == "LRN":
        return {"*": image}
    if "BatchNorm" in op:
        vector = (image[3],)
        names = ("scale", "offset", "mean", "variance", *(f"reserve_space_{i}" for i in (1, 2, 3)))
        return {"*": image, **dict.fromkeys(names, vector)}
    if op == "BiasAdd":
        return {"value": (m, n), "bias": (n,), "*": (n,)}
    axes = Recipe("int32", (1,), values=(rng.choice((0, 1, -1)),))
    ids = Recipe("int32", (m,), "zeros")
    count = Recipe("int32", (), values=(3,))
    matrix = (m, n) if rng.random() < 0.7 else (m, n, small())
    return {"*": matrix, "reduction_indices": axes, "segment_ids": ids, "num_segments": count}
