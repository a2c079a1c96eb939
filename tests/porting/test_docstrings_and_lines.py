"""Notices in docstrings, and stacks that know lines, beside TensorFlow's modules."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from tensorflow.python.framework import traceable_stack
from tensorflow.python.util import decorator_utils

from dataflow.porting.spellings import decorators
from dataflow.porting.spellings.util import traceables

DOCS = [
    None,
    "",
    "Brief",
    "\n  Brief\n  ",
    "Brief\nMore",
    "\n  Brief\n  More",
    "Brief\n\n  More\n\n  Args:\n    x: one\n",
]


@pytest.mark.parametrize("doc", DOCS)
@pytest.mark.parametrize("instructions", ["Do this", ""])
def test_notices(doc: str | None, instructions: str) -> None:
    made = [
        module.add_notice_to_docstring(doc, instructions, "None", "(old)", ["Go", "away"])
        for module in (decorators, decorator_utils)
    ]
    assert made[0] == made[1]
    note = decorators.add_notice_to_docstring("Brief", "", "None", "(old)", ["Go"], "Note")
    assert note == "Brief (old)\n\nNote: Go"


def test_what_is_decorated_can_be_called() -> None:
    for each in (len, functools.partial(len), print.__call__):
        decorators.validate_callable(each, "old")
    texts = []
    for module in (decorators, decorator_utils):
        with pytest.raises(ValueError) as caught:
            module.validate_callable(3, "old")
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    with pytest.raises(ValueError, match="must not be empty"):
        decorators.add_notice_to_docstring("Brief", "", "None", "(old)", [])


def _stacked(module: Any) -> Any:
    stack = module.TraceableStack()

    def below(offset: int) -> int:
        code: int = stack.push_obj(offset, offset)
        return code

    codes = [below(0), below(1), below(10_000)]
    copy = stack.copy()
    seen = list(stack.peek_objs()), stack.peek_top_obj(), len(copy)
    lines = [each.lineno for each in copy.peek_traceable_objs()][1:]
    popped = stack.pop_obj(), len(stack), len(copy)
    found = module.TraceableObject("x")
    code = found.set_filename_and_line_from_caller()
    bare = found.copy_metadata()
    return codes, seen, lines, popped, code, bare.obj, bare.lineno == found.lineno, bare.filename


def test_stacks_know_the_lines() -> None:
    ours, theirs = _stacked(traceables), _stacked(traceable_stack)
    assert ours == theirs
    assert ours[-1] == __file__
