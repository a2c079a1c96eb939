"""tensorflow.python.ops.control_flow_util: what an operation is to loops and branches."""

from __future__ import annotations

from typing import Any

from dataflow.control_flow import functional as _functional
from dataflow.control_flow import predicates as _predicates
from dataflow.control_flow import version as _version
from dataflow.graph import contexts as _contexts

IsSwitch = _predicates.is_switch
IsMerge = _predicates.is_merge
IsLoopEnter = _predicates.is_enter
IsLoopExit = _predicates.is_exit
IsCondSwitch = _predicates.is_cond_switch
IsCondMerge = _predicates.is_cond_merge
IsLoopSwitch = _predicates.is_loop_switch
IsLoopMerge = _predicates.is_loop_merge
IsLoopConstantEnter = _predicates.is_constant_enter
GetLoopConstantEnter = _predicates.loop_constant_enter
EnableControlFlowV2 = _version.is_functional
enable_control_flow_v2 = _version.enable_control_flow_v2


def __getattr__(name: str) -> Any:
    if name == "ENABLE_CONTROL_FLOW_V2":
        return _version.control_flow_v2_enabled()
    raise AttributeError(name)


IsInXLAContext = _contexts.is_in_xla_context
GetContainingXLAContext = _contexts.containing_xla_context


def InXlaContext(graph: Any) -> bool:
    """Whether what is made in a graph now is to be compiled."""
    return GetContainingXLAContext(graph._get_control_flow_context()) is not None


GraphOrParentsInXlaContext = _functional.is_to_be_compiled


def IsInWhileLoop(op: Any) -> bool:
    """Whether an operation is in a loop."""
    return GetContainingWhileContext(op._get_control_flow_context()) is not None


def IsInCond(op: Any) -> bool:
    """Whether an operation is in a branch."""
    return GetContainingCondContext(op._get_control_flow_context()) is not None


def GetOutputContext(op: Any) -> Any:
    """The context that an operation's outputs are in: a loop's exits are outside of it."""
    ctxt = op._get_control_flow_context()
    return ctxt.outer_context if ctxt is not None and IsLoopExit(op) else ctxt


def GetWhileContext(op: Any) -> Any:
    """The innermost loop that an operation is in, or None."""
    return op._get_control_flow_context() and op._get_control_flow_context().GetWhileContext()


def GetContainingWhileContext(ctxt: Any, stop_ctxt: Any = None) -> Any:
    """The innermost loop around a context, itself included; `stop_ctxt` if that is met before."""
    while ctxt is not None:
        if ctxt.IsWhileContext() or ctxt == stop_ctxt:
            return ctxt
        ctxt = ctxt.outer_context
    return None


def GetContainingCondContext(ctxt: Any) -> Any:
    """The innermost branch around a context, itself included, or None."""
    while ctxt is not None and not ctxt.IsCondContext():
        ctxt = ctxt.outer_context
    return ctxt


def IsContainingContext(ctxt: Any, maybe_containing_ctxt: Any) -> bool:
    """Whether the second context is the first or around it."""
    while ctxt is not maybe_containing_ctxt:
        if ctxt is None:
            return False
        ctxt = ctxt.outer_context
    return True


def OpInContext(op: Any, ctxt: Any) -> bool:
    """Whether an operation is in a context."""
    return IsContainingContext(op._get_control_flow_context(), ctxt)


def TensorInContext(tensor: Any, ctxt: Any) -> bool:
    """Whether a tensor is made in a context."""
    return OpInContext(tensor.op, ctxt)
