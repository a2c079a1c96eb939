"""What converted functions call for `if`, conditional expressions, `and`, `or`, `not`, `assert`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.control_flow.assertion import Assert
from dataflow.control_flow.cond import cond as choose
from dataflow.library.autograph.state import (
    is_tensor,
    is_undefined,
    packed,
    same_kind,
    tensors_of,
)
from dataflow.ops.basic.grouping import group
from dataflow.ops.math.compare import equal, logical_not

GetState = Callable[[], Sequence[Any]]
SetState = Callable[[Sequence[Any]], None]


def if_stmt(
    cond: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    get_state: GetState,
    set_state: SetState,
    symbol_names: Sequence[str],
    nouts: int,
) -> None:
    """An `if` statement.

    Args:
      cond: What is tested.
      body: The statements if it is true, which set variables around them.
      orelse: Those if it is false.
      get_state: Gives the values of variables that either sets.
      set_state: Sets them.
      symbol_names: Their names.
      nouts: How many of them, the first ones, are used afterwards.

    Raises:
      ValueError: The test is a tensor, and a variable is set by one branch only or to different
        values that are no tensors.
    """
    if not is_tensor(cond):
        (body if cond else orelse)()
        return
    before = get_state()
    ends: list[Sequence[Any]] = []

    def branch(run: Callable[[], Any]) -> Callable[[], Any]:
        def made() -> Any:
            set_state(before)
            run()
            after = get_state()[:nouts]
            if ends:
                _check_branches(ends[0], after, symbol_names)
            ends.append(after)
            return tensors_of(after) or group()

        return made

    found = choose(cond, branch(body), branch(orelse), strict=True)
    results = found if isinstance(found, (list, tuple)) else []
    set_state((*packed(ends[0], results), *before[nouts:]))


def _check_branches(first: Sequence[Any], second: Sequence[Any], names: Sequence[str]) -> None:
    for name, mine, its in zip(names, first, second, strict=False):
        if same_kind(mine, its):
            continue
        for value, where in ((mine, "main"), (its, "else")):
            if not is_undefined(value):
                continue
            if name in ("do_return", "retval_"):
                raise ValueError(f"A value must also be returned from the {where} branch.")
            raise ValueError(f"'{name}' must also be initialized in the {where} branch")
        raise TypeError(
            f"'{name}' must have the same nested structure in the main and else branches, and "
            f"tensors in both or the same values: {mine!r} and {its!r}"
        )


def if_exp(
    cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str
) -> Any:
    """A conditional expression."""
    if is_tensor(cond):
        return choose(cond, if_true, if_false)
    return if_true() if cond else if_false()


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a and b`; of tensors, `b` is computed if `a` is true."""
    first = a()
    return choose(first, b, lambda: first) if is_tensor(first) else first and b()


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a or b`; of tensors, `b` is computed if `a` is false."""
    first = a()
    return choose(first, lambda: first, b) if is_tensor(first) else first or b()


def not_(a: Any) -> Any:
    """`not a`."""
    return logical_not(a) if is_tensor(a) else not a


def eq(a: Any, b: Any) -> Any:
    """`a == b`, where the program asked for it to compare tensors."""
    return equal(a, b) if is_tensor(a) or is_tensor(b) else a == b


def not_eq(a: Any, b: Any) -> Any:
    """`a != b`, where the program asked for it to compare tensors."""
    return not_(eq(a, b))


def assert_stmt(expression1: Any, expression2: Callable[[], Any]) -> Any:
    """An `assert` statement, where the program asked for it to test tensors."""
    if is_tensor(expression1):
        told = expression2()
        return Assert(expression1, list(told) if isinstance(told, (list, tuple)) else [told])
    assert expression1, expression2()
    return None
