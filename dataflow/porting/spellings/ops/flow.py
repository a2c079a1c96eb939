"""tensorflow.python.ops.control_flow_ops: its inner functions by the names that others call."""

import dataflow.control_flow.primitives as _primitives
from dataflow.control_flow.case import build_case

_Enter = _primitives.enter
_Identity = _primitives.identity
_NextIteration = _primitives.next_iteration
_SwitchRefOrTensor = _primitives.switch_ref_or_tensor
_case_helper = build_case
