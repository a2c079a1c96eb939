"""Prints how the tier-1 ops compare with TensorFlow: python -m tools.op_table.

Each row of an op is tried on values, static shapes, gradients, GraphDefs that cross over, and
refusals. A program counts for every op that it is for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.table import Table

from tests.ops import conformance, test_conformance, test_programs
from tests.ops.case import Case
from tests.ops.cases import all_cases, all_programs
from tests.ops.program import Program
from tests.ops.tier1 import TIER_1

Check = tuple[str, Callable[[], None]]


def main() -> None:
    """Tries every tier-1 op and prints one row for each that differs, and the totals."""
    checks: dict[str, list[Check]] = {op: [] for op in TIER_1}
    for case in all_cases():
        checks.setdefault(case.op, []).extend(_of_case(case))
    for program in all_programs():
        # Once, whatever the number of its ops.
        found = [(name, _Once(check)) for name, check in _of_program(program)]
        for op in program.ops.split():
            checks.setdefault(op, []).extend(found)
    table = Table("op", "checks", "agree", "differ")
    totals: Counter[str] = Counter()
    for op in TIER_1:
        faults = [f"{name}: {reason}" for name, check in checks[op] if (reason := _fault(check))]
        agree = len(checks[op]) - len(faults)
        totals.update(ops=1, checks=len(checks[op]), agree=agree, differing=bool(faults))
        table.add_row(op, str(len(checks[op])), str(agree), "; ".join(faults))
    console = Console(width=140)
    console.print(table)
    console.print(
        f"{totals['ops']} ops tried, {totals['ops'] - totals['differing']} agree, "
        f"{totals['differing']} differ; {totals['agree']} of {totals['checks']} checks agree"
    )


def _of_case(case: Case) -> Iterator[Check]:
    yield f"{case.id} values", lambda: test_conformance.test_forward(case)
    yield f"{case.id} shapes", lambda: test_conformance.test_static_shape(case)
    yield f"{case.id} GraphDef", lambda: test_conformance.test_graph_def_crosses_over(case)
    for bad in case.bad:
        yield (
            f"{case.id} refusal {bad.text}",
            lambda bad=bad: test_conformance.test_bad_input(case, bad),
        )
    if case in test_conformance.NUMERIC:
        yield (
            f"{case.id} derivative",
            lambda: test_conformance.test_gradient_is_the_derivative(case),
        )
    if case.gradients:
        yield f"{case.id} gradient", lambda: test_conformance.test_gradient(case)


def _of_program(program: Program) -> Iterator[Check]:
    yield f"{program.id} steps", lambda: test_programs.test_steps(program)
    yield f"{program.id} shapes", lambda: test_programs.test_static_shapes(program)
    if program.crosses:
        yield f"{program.id} GraphDef", lambda: test_programs.test_graph_def_crosses_over(program)
    if program in test_programs.NUMERIC:
        yield (
            f"{program.id} derivative",
            lambda: test_programs.test_gradients_are_the_derivatives(program),
        )


class _Once:
    """A check that is made the first time, and remembered."""

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check
        self._fault: str | None = None

    def __call__(self) -> None:
        if self._fault is None:
            self._fault = _fault(self._check)
        if self._fault:
            raise AssertionError(self._fault)


def _fault(check: Callable[[], None]) -> str:
    """Why a check fails, in short; empty if it does not."""
    try:
        check()
    except Exception as error:
        return (str(error).strip() or type(error).__name__).split("\n")[0][:80]
    return ""


if __name__ == "__main__":
    conformance.oracle.logging.set_verbosity(conformance.oracle.logging.ERROR)
    main()
