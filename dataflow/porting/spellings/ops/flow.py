"""tensorflow.python.ops.control_flow_ops: its primitives by the names that tests have for them."""

import dataflow.control_flow.primitives as _primitives

_Enter = _primitives.enter
_Identity = _primitives.identity
_NextIteration = _primitives.next_iteration
_SwitchRefOrTensor = _primitives.switch_ref_or_tensor
