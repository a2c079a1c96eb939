"""Updates of variables by gradients of any layout: all rules that ops have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.schema import opdef
from dataflow.values import dtypes
from tests.kernels.sweep.recipe import Operand, Recipe, index, positive, whole

_RULES = (
    "ResourceApplyGradientDescent",
    "ResourceApplyMomentum",
    "ResourceApplyAdam",
    "ResourceApplyAdagrad",
    "ResourceApplyRMSProp",
    "ResourceApplyFtrl",
    "ResourceApplyAdadelta",
    "ResourceApplyAdaMax",
    "ResourceApplyPowerSign",
    "ResourceSparseApplyAdagrad",
    "ResourceSparseApplyAdadelta",
    "ResourceSparseApplyFtrl",
    "ResourceSparseApplyMomentum",
    "ResourceSparseApplyRMSProp",
)


def _rule(op: str) -> Recipe:
    definition = opdef.find(op)
    assert definition is not None
    arguments = definition.inputs
    grad = next(i for i, each in enumerate(arguments) if each.name in ("grad", "delta"))
    variables = [each.name for each in arguments if each.dtype == dtypes.resource]

    def build(tf: Any, start: Any, slope: Any, places: Any = None) -> Sequence[Any]:
        handles, made = {}, []
        for name in variables:
            handle = tf.raw_ops.VarHandleOp(
                dtype=start.dtype,
                shape=tf.TensorShape(None),
                shared_name=f"{op} {start.name} {name}",
            )
            handles[name] = handle
            made.append(tf.raw_ops.AssignVariableOp(resource=handle, value=start))
        inputs = dict(handles)
        for place, each in enumerate(arguments):
            if each.name not in inputs:
                inputs[each.name] = slope if place == grad else tf.constant(0.25, start.dtype)
        if "indices" in inputs:
            inputs["indices"] = places
        if "lr_power" in inputs:
            inputs["lr_power"] = tf.constant(-0.5, start.dtype)
        with tf.control_dependencies(made):
            done = getattr(tf.raw_ops, op)(**inputs)
        with tf.control_dependencies([done]):
            return [
                tf.raw_ops.ReadVariableOp(resource=handle, dtype=start.dtype)
                for handle in handles.values()
            ]

    operands: tuple[Operand, ...] = (positive("ab"), whole("ab"))
    if any(each.name == "indices" for each in arguments):
        operands = (positive("pa"), whole("na"), index("n", "p"))
    return Recipe(op, operands, build, ("float32", "float64"), rtol=1e-5)


def _written(tf: Any, start: Any, places: Any, rows: Any) -> Sequence[Any]:
    handle = tf.raw_ops.VarHandleOp(
        dtype=start.dtype, shape=tf.TensorShape(None), shared_name=f"rows {start.name}"
    )
    order = tf.raw_ops.AssignVariableOp(resource=handle, value=start)
    for op in ("ResourceScatterAdd", "ResourceScatterSub", "ResourceScatterMax"):
        with tf.control_dependencies([order]):
            order = getattr(tf.raw_ops, op)(resource=handle, indices=places, updates=rows)
    for op in ("AssignAddVariableOp", "AssignSubVariableOp"):
        with tf.control_dependencies([order]):
            order = getattr(tf.raw_ops, op)(resource=handle, value=start + start)
    with tf.control_dependencies([order]):
        return [tf.raw_ops.ReadVariableOp(resource=handle, dtype=start.dtype)]


_ROWS: tuple[Operand, ...] = (whole("pa"), index("n", "p"), whole("na"))

RECIPES = (*map(_rule, _RULES), Recipe("rows written", _ROWS, _written, ("float32", "int32")))
