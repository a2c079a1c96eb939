"""The op types that the passes know by name."""

from __future__ import annotations

from typing import Final

from dataflow.errors import InternalError
from dataflow.schema import opdef
from dataflow.schema.node_validation import SYSTEM_OPS
from dataflow.schema.opdef import OpDef

PLACEHOLDERS: Final = frozenset({"Placeholder", "PlaceholderV2", "PlaceholderWithDefault"})
TRANSFERS: Final = frozenset({"_Send", "_Recv", "_HostSend", "_HostRecv"})
PLUMBING: Final = SYSTEM_OPS
"""Run by the executor itself, on devices of every type."""
ENTERS: Final = frozenset({"Enter", "RefEnter"})
EXITS: Final = frozenset({"Exit", "RefExit"})
CONTROL_FLOW: Final = frozenset(
    {
        *ENTERS,
        *EXITS,
        *("Switch", "RefSwitch", "_SwitchN", "Merge", "RefMerge", "LoopCond", "ControlTrigger"),
        *("NextIteration", "RefNextIteration"),
    }
)
"""Decide which other nodes run and how often."""
CALLS: Final = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
"""Call a function of the library; those that are not inlined are run by the device."""
LOWERED: Final = "_lowered"
"""Attr of an `IdentityN` in the place of a functional node: who uses its outputs may take the
tensors behind it."""
MISFIT: Final = "_misfit"
"""Attr of a call in the place of a node that cannot run: what a step with it fails with."""
MISFIT_CODE: Final = "_misfit_code"
"""Attr of such a call: the code of the error."""
RUNS_STATEFUL: Final = "_runs_stateful"
"""Attr of a call: all stateful nodes of the function run, not only those that it names."""


def system_op(name: str) -> OpDef:
    """The schema of an op that a pass puts into graphs.

    Raises:
      InternalError: The module that defines it has not been imported.
    """
    op_def = opdef.find(name)
    if op_def is None:
        raise InternalError(
            None,
            None,
            f"Op '{name}' is not registered: import dataflow.ops before graphs are compiled.",
        )
    return op_def
