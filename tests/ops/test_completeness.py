"""An op is three edits: this fails for one without its kernel, tests or TensorFlow's schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from google.protobuf import text_format
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.framework import op_def_registry
from tensorflow.python.framework import ops as oracle_ops

import dataflow as tf
from dataflow.kernels import load
from dataflow.kernels.contract import registry
from dataflow.library.layers.naming import snake_case
from dataflow.passes.control_flow.inline import FUNCTIONAL
from dataflow.schema import opdef
from dataflow.schema.arguments import ArgDef, AttrDef
from dataflow.values import tensor_proto
from tests.checks import make_all
from tests.house.tree import ROOT
from tests.ops.case import Case
from tests.ops.cases import all_cases, all_programs
from tests.ops.program import Program
from tests.ops.shortened import shortened_cases, shortened_programs
from tests.ops.tier1 import TIER_1

load.load_generic()
# TensorFlow has none like it. Only a pass puts it into graphs; tests of calls run it.
OF_PASSES = {"_CalledDevice", "_CollectiveJoin", "_DebugIdentity", "_ForSteps"}
OPS = sorted(set(opdef.registered_ops()) - OF_PASSES)


def _former_ops() -> dict[str, Any]:
    """Ops that only TensorFlow 1.15 has, as it defines them: no row can ask the oracle."""
    text = (ROOT / "tests" / "ops" / "former_ops.pbtxt").read_text(encoding="utf-8")
    found = text_format.Parse(text, op_def_pb2.OpList())
    return {op.name: op for op in found.op}


FORMER = _former_ops()


def _kind_of_gradient(find: Callable[[str], Any], op: str) -> str:
    try:
        return "none" if find(op) is None else "a function"
    except LookupError:
        return "nothing"


def _is_differentiable(op: str) -> bool:
    return _kind_of_gradient(opdef.find_gradient, op) == "a function"


def _passes_slopes(op: str) -> bool:
    """Whether inputs and outputs may be of types that gradients have."""
    definition = opdef.registered_ops()[op]

    def may_be_floating(arg: ArgDef) -> bool:
        if arg.dtype is not None:
            return arg.dtype.is_floating
        kind = definition.attr_by_name.get(arg.type_attr)
        return not (kind and kind.allowed) or any(t.is_floating for t in kind.allowed)

    return all(any(map(may_be_floating, args)) for args in (definition.inputs, definition.outputs))


# Feeds, fetches and transfers are the executor's own work; calls are replaced by what they call.
COMPUTED = [op for op in OPS if not op.startswith("_") and op not in FUNCTIONAL]


WITH_KERNELS = {line.split("'")[1] for line in registry.describe()}


def _assert_none(ops: Iterable[str], text: str) -> None:
    """Fails with the text of each op."""
    texts = [text.format(op) for op in ops]
    assert not texts, "\n".join(texts)


def test_every_op_has_a_kernel() -> None:
    missing = [op for op in COMPUTED if op not in WITH_KERNELS]
    _assert_none(missing, "no kernel for {}: add one to kernels/ops/")


# TensorFlow had these gradients in tf.contrib, which also registers them here when it is loaded.
OF_CONTRIB = {"Batch", "Unbatch", "LSTMBlockCell", "GRUBlockCell"}
DIFFERENTIABLE = [op for op in OPS if _is_differentiable(op) and op not in OF_CONTRIB]
CASES, PROGRAMS = all_cases(), all_programs()


def test_every_op_has_a_row() -> None:
    rows = {case.op for case in CASES}.union(*(program.ops.split() for program in PROGRAMS))
    missing = [op for op in OPS if op not in rows and op not in FORMER]
    _assert_none(missing, "no row for {} in tests/ops/cases/: add a Case, or a Program")


def test_every_type_of_a_row_is_tried_in_every_run() -> None:
    for rows in (CASES, shortened_cases(CASES)), (PROGRAMS, shortened_programs(PROGRAMS)):
        whole, short = ({(_kind(row), d) for row in each for d in row.dtypes} for each in rows)
        assert short == whole


def _kind(row: Case | Program) -> object:
    return (row.op, row.gradients) if isinstance(row, Case) else (row.ops, row.gradients)


def test_every_former_op_has_a_test() -> None:
    tests = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "tests/contrib").rglob("*.py"))
    missing = [op for op in FORMER if op not in tests and snake_case(op) not in tests]
    _assert_none(missing, "no test for {} in tests/contrib/, whose oracle is TensorFlow 1.15")


def test_every_gradient_has_a_row() -> None:
    rows = {case.op for case in CASES if case.gradients}.union(
        *(program.ops.split() for program in PROGRAMS if program.gradients)
    )
    missing = [op for op in DIFFERENTIABLE if op not in rows]
    _assert_none(missing, "{} has a gradient, and no row that compares it: name its inputs")


# TensorFlow's function for LoopCond gives None, and that of the other cannot be called.
USELESS = {"LoopCond", "QuantizeAndDequantizeV4Grad"}


def test_what_has_a_gradient_is_tensorflows() -> None:
    """A gradient function, none, or nothing: then gradients through the op are refused."""
    ours, theirs = opdef.find_gradient, oracle_ops.gradient_registry.lookup
    left_out = {*OF_CONTRIB, *USELESS, *FORMER}
    compared = [op for op in OPS if _passes_slopes(op) and op not in left_out]
    assert {op: _kind_of_gradient(ours, op) for op in compared} == {
        op: _kind_of_gradient(theirs, op) for op in compared
    }


def test_ops_say_what_they_compute() -> None:
    silent = [op for op in OPS if not opdef.registered_ops()[op].doc.strip()]
    _assert_none(silent, "{} has no doc")


def test_tier_1_is_complete() -> None:
    missing = [op for op in TIER_1 if op not in opdef.registered_ops()]
    assert not missing


def test_every_kernel_is_for_an_op() -> None:
    assert {*OPS, *OF_PASSES} >= WITH_KERNELS


def test_schemas_are_tensorflows() -> None:
    make_all((op, partial(_assert_same_schema, op)) for op in OPS)


def _assert_same_schema(op: str) -> None:
    ours, theirs = opdef.registered_ops()[op], FORMER.get(op) or op_def_registry.get(op)
    assert theirs is not None, f"TensorFlow has no op {op}"
    assert [_arg(a) for a in ours.inputs] == [_their_arg(a) for a in theirs.input_arg]
    assert [_arg(a) for a in ours.outputs] == [_their_arg(a) for a in theirs.output_arg]
    assert {a.name: _attr(a) for a in ours.attrs} == {a.name: _their_attr(a) for a in theirs.attr}
    for flag in ("is_stateful", "is_commutative", "is_aggregate", "allows_uninitialized_input"):
        assert getattr(ours, flag) == getattr(theirs, flag), flag


def _arg(arg: ArgDef) -> tuple[Any, ...]:
    dtype = arg.dtype.as_datatype_enum if arg.dtype else 0
    return (arg.name, dtype, arg.type_attr, arg.number_attr, arg.type_list_attr, arg.is_ref)


def _their_arg(arg: Any) -> tuple[Any, ...]:
    lists = (arg.type_attr, arg.number_attr, arg.type_list_attr)
    return (arg.name, arg.type, *lists, arg.is_ref)


def _attr(attr: AttrDef) -> tuple[Any, ...]:
    allowed = attr.allowed and {getattr(v, "as_datatype_enum", v) for v in attr.allowed}
    default = _plain(attr.default) if attr.has_default else None
    return (attr.kind, attr.has_default, default, allowed, attr.minimum)


def _their_attr(attr: Any) -> tuple[Any, ...]:
    allowed = set(attr.allowed_values.list.type) | set(attr.allowed_values.list.s)
    default: Any = None
    if attr.HasField("default_value"):
        kind = attr.default_value.WhichOneof("value")
        default = getattr(attr.default_value, kind)
        if kind == "list":
            fields = default.ListFields()
            default = list(fields[0][1]) if fields else []
        elif kind == "shape":
            default = None if default.unknown_rank else [d.size for d in default.dim]
        elif kind == "tensor":
            default = tensor_proto.make_ndarray(_as_ours(default)).tolist()
    minimum = attr.minimum if attr.has_minimum else None
    return (attr.type, attr.HasField("default_value"), default, allowed or None, minimum)


def _as_ours(proto: Any) -> Any:
    return type(tensor_proto.make_tensor_proto(0)).FromString(proto.SerializeToString())


def _plain(value: Any) -> Any:
    if isinstance(value, tf.DType):
        return value.as_datatype_enum
    if isinstance(value, tf.TensorShape):
        return None if value.rank is None else value.as_list()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float):
        return float(np.float32(value))
    return value
