"""tensorflow.python.framework.test_ops: ops that do nothing, of which tests make graphs."""

from __future__ import annotations

from typing import Final

from dataflow.schema import shape_functions
from dataflow.schema.deprecations import DEPRECATED
from dataflow.schema.opdef import MISSING_GRADIENT, define_op

_OPS: Final = r"""
A |  | out: float32
Attr |  |  | a: int
AttrBool |  |  | a: bool
AttrBoolList |  |  | a: list(bool)
AttrDefault |  |  | a: string = 'banana'
AttrEmptyListDefault |  |  | a: list(float) = []
AttrEnum |  |  | a: {'apples', 'oranges'}
AttrEnumList |  |  | a: list({'apples', 'oranges'})
AttrFloat |  |  | a: float
AttrListDefault |  |  | a: list(int) = [5, 15]
AttrListMin |  |  | a: list(int) >= 2
AttrListTypeDefault | a: N * T, b: N * T |  | T: type = int32; N: int >= 1
AttrMin |  |  | a: int >= 5
AttrPartialShape |  |  | a: shape
AttrPartialShapeList |  |  | a: list(shape)
AttrShape |  |  | a: shape
AttrShapeList |  |  | a: list(shape)
AttrTypeDefault | a: T |  | T: type = int32
B |  | out: float32
Binary | a: T, b: T | out: T | T: type
ComplexStruct |  | a: n_a * int32, b: n_b * int64, c: t_c | n_a: int >= 0; n_b: int >= 0; t_c: \
  list(type) >= 0
CopyOp | a: T | b: T | T: type
DefaultAttrs |  |  | string_val: string = 'abc'; string_list_val: list(string) = ['abc', '']; \
  int_val: int = 123; int_list_val: list(int) = [1, 2, 3]; float_val: float = 10.0; \
  float_list_val: list(float) = [10.0]; bool_val: bool = true; bool_list_val: list(bool) = \
  [true, false]; type_val: type = int32; type_list_val: list(type) = [int32, float32]; \
  shape_val: shape = [2, 1]; shape_list_val: list(shape) = [[], [1]]; tensor_val: tensor = \
  int32[1]; tensor_list_val: list(tensor) = []
! DevicePlacementOp |  | device: string
FiveFloatOutputs |  | a: float32, b: float32, c: float32, d: float32, e: float32
FloatInput | a: float32
FloatOutput |  | a: float32
FloatOutputStringOutput |  | a: float32, b: string
Foo1 | a: float32, b: int32, c: int32 | d: float32, e: int32
Foo2 | a: float32, b: string, c: string | d: float32, e: int32
Foo3 | a: float32, b: string, c: float32 | d: float32, e: int32
FuncAttr |  |  | f: func
FuncListAttr |  |  | f: list(func)
! GraphDefVersion |  | version: int32
InPolymorphicTwice | a: N * T, b: M * T |  | T: type; N: int >= 0; M: int >= 0
Int64Output |  | out: int64
IntAttr |  | out: int64 | foo: int = 1
IntInput | a: int32
IntInputFloatInput | a: int32, b: float32
IntInputIntOutput | a: int32 | b: int32
IntOutput |  | a: int32
IntOutputFloatOutput |  | a: int32, b: float32
KernelLabel |  | result: string
KernelLabelRequired | input: int32 | result: string
ListInput | a: N * T |  | N: int >= 1; T: type
ListOutput |  | a: T | T: list(type) >= 1
MixedStruct |  | a: n_a * int32, b: float32 | n_a: int >= 0
NInPolymorphicTwice | a: N * T, b: N * T |  | T: type; N: int >= 0
NInTwice | a: N * int32, b: N * string |  | N: int >= 0
NInTwoTypeVariables | a: N * S, b: N * T |  | S: type; T: type; N: int >= 0
NIntsIn | a: N * int32 |  | N: int >= 2
NIntsOut |  | a: N * int32 | N: int >= 2
NIntsOutDefault |  | a: N * int32 | N: int >= 2 = 3
NPolymorphicIn | a: N * T |  | T: type; N: int >= 2
NPolymorphicOut |  | a: N * T | T: type; N: int >= 2
NPolymorphicOutDefault |  | a: N * T | T: type = bool; N: int >= 2 = 2
NPolymorphicRestrictIn | a: N * T |  | T: {string, bool}; N: int >= 2
NPolymorphicRestrictOut |  | a: N * T | T: {string, bool}; N: int >= 2
None
Old
OpWithDefaultAttr |  | a: int32 | default_float: float = 123.0
OpWithFutureDefaultAttr
OutT |  | a: T | T: type
OutTypeList |  | out: T | T: list(type) >= 0
OutTypeListRestrict |  | out: t | t: list({string, bool}) >= 1
Polymorphic | a: T | out: T | T: type
PolymorphicDefaultOut |  | out: T | T: type = string
PolymorphicOut |  | out: T | T: type
RefIn | a: Ref(T) |  | T: type
RefInputFloatInput | a: Ref(float32), b: float32
RefInputFloatInputIntOutput | a: Ref(float32), b: float32 | c: int32
RefInputIntInput | a: Ref(int32), b: int32
RefOut |  | a: Ref(T) | T: type
RefOutput |  | a: Ref(int32)
RefOutputFloatOutput |  | a: Ref(float32), b: float32
! RequiresOlderGraphVersion |  | version: int32
ReservedAttr |  |  | range: int
ReservedInput | input: int32
! ResourceCreateOp | resource: resource
! ResourceInitializedOp | resource: resource | initialized: bool
! ResourceUsingOp | resource: resource
Restrict | a: T | out: T | T: {string, bool}
Simple | a: int32 | out: float32
SimpleStruct |  | a: n_a * int32 | n_a: int >= 0
StringListAttr |  |  | a: list(string); b: string
! StubResourceHandleOp |  | resource: resource | container: string = ''; shared_name: string = ''
TestAttr |  | out: T | T: {float32, float64}
TestStringOutput | input: float32 | output1: float32, output2: string
TwoFloatInputs | a: float32, b: float32
TwoFloatInputsFloatOutput | a: float32, b: float32 | c: float32
TwoFloatInputsIntOutput | a: float32, b: float32 | c: int32
TwoFloatOutputs |  | a: float32, b: float32
TwoIntInputs | a: int32, b: int32
TwoIntOutputs |  | a: int32, b: int32
TwoRefsIn | a: Ref(T), b: Ref(T) |  | T: type
TypeList | a: T |  | T: list(type) >= 0
TypeListRestrict | a: T |  | T: list({string, bool}) >= 1
TypeListTwice | a: T, b: T |  | T: list(type) >= 0
Unary | a: T | b: T | T: type
"""
"""A line each: type, inputs, outputs and attrs; "!" begins that of one that has a state."""


_OF_SCALARS = frozenset(
    [
        "DevicePlacementOp",
        "GraphDefVersion",
        "IntAttr",
        "KernelLabel",
        "ResourceInitializedOp",
        "StubResourceHandleOp",
    ]
)


def _define(line: str) -> None:
    name, inputs, outputs, attrs, *_ = (*map(str.strip, line.split("|")), "", "", "")
    op_type = name.removeprefix("! ")
    define_op(
        op_type,
        inputs=inputs,
        outputs=outputs,
        attrs=[each.strip() for each in attrs.split(";") if each],
        stateful=name.startswith("!"),
        shape=shape_functions.scalar if op_type in _OF_SCALARS else shape_functions.unknown,
        gradient=MISSING_GRADIENT,
        doc="Does nothing: for tests.",
    )


for _line in _OPS.replace("\\\n", "").strip().splitlines():
    _define(_line)
DEPRECATED["Old"] = (8, "For reasons")
