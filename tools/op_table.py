"""Prints how the tier-1 ops compare with TensorFlow: python -m tools.op_table.

Each row of an op is tried on values, static shapes, gradients, GraphDefs that cross over, and
refusals. A program counts for every op that it is for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from tests.checks import Check
from tests.ops import conformance, test_conformance, test_programs
from tests.ops.cases import all_cases, all_programs
from tests.ops.tier1 import TIER_1


def main() -> None:
    """Tries every tier-1 op and prints one row for each that differs, and the totals."""
    checks: dict[str, list[Check]] = {op: [] for op in TIER_1}
    for case in all_cases():
        checks.setdefault(case.op, []).extend(test_conformance.checks_of(case))
    for program in all_programs():
        # Once, whatever the number of its ops.
        found = [(name, _Once(check)) for name, check in test_programs.checks_of(program)]
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
