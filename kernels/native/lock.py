"""Has other threads of Python run while machine code works that takes long."""

from __future__ import annotations

from dataflow.kernels.native.text import Text

DECLARED = ("declare ptr @PyEval_SaveThread()", "declare void @PyEval_RestoreThread(ptr)")
"""What a module that does so declares."""


def let_others_run(text: Text, work: str, least: int) -> str:
    """Gives up Python's lock if there is so much to do; then no object may be touched.

    Args:
      text: Where it is written.
      work: Name of how much there is.
      least: From how much on it is worth while: some 20 us.

    Returns:
      The name of the thread's state, or of null.
    """
    text.put(f"%is.long = icmp sgt i64 {work}, {least}")
    text.put("br label %asked")
    text.label("asked")
    text.put("br i1 %is.long, label %leaving, label %left")
    text.label("leaving")
    thread = text.value("call ptr @PyEval_SaveThread()")
    text.put("br label %left")
    text.label("left")
    return text.value(f"phi ptr [null, %asked], [{thread}, %leaving]")


def return_alone(text: Text, thread: str) -> None:
    """Takes the lock again if it was given up."""
    text.put("br i1 %is.long, label %returning, label %returned")
    text.label("returning")
    text.put(f"call void @PyEval_RestoreThread(ptr {thread})")
    text.put("br label %returned")
    text.label("returned")
