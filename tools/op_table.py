"""Prints how the tier-1 ops compare with TensorFlow: python -m tools.op_table.

Each case row of an op is tried on forward values, static shapes, gradients, GraphDefs that cross
over, and refusals; ops that no row can drive are tried by the test files that elsewhere.py names.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from tests.ops import conformance
from tests.ops.case import Case
from tests.ops.cases import all_cases
from tests.ops.elsewhere import TESTED_ELSEWHERE
from tests.ops.test_conformance import (
    test_bad_input,
    test_forward,
    test_gradient,
    test_gradient_is_the_derivative,
    test_graph_def_crosses_over,
    test_static_shape,
)
from tests.ops.tier1 import TIER_1


def main() -> None:
    """Tries every tier-1 op and prints one row for each that differs, and the totals."""
    rows: dict[str, list[Case]] = {}
    for case in all_cases():
        rows.setdefault(case.op, []).append(case)
    table = Table("op", "checks", "agree", "differ")
    totals: Counter[str] = Counter()
    for op in TIER_1:
        if op in rows:
            agree, faults = _try_rows(rows[op])
        else:
            agree, faults = _try_file(op)
        totals.update(ops=1, checks=agree + len(faults), agree=agree, differing=bool(faults))
        table.add_row(op, str(agree + len(faults)), str(agree), "; ".join(faults))
    console = Console(width=140)
    console.print(table)
    console.print(
        f"{totals['ops']} ops tried, {totals['ops'] - totals['differing']} agree, "
        f"{totals['differing']} differ; {totals['agree']} of {totals['checks']} checks agree"
    )


def _try_rows(cases: list[Case]) -> tuple[int, list[str]]:
    agree, faults = 0, []
    for case in cases:
        checks: list[tuple[str, Callable[[], None]]] = [
            ("values", lambda c=case: test_forward(c)),
            ("shapes", lambda c=case: test_static_shape(c)),
            ("GraphDef", lambda c=case: test_graph_def_crosses_over(c)),
            *(
                (f"refusal {bad.text}", lambda c=case, b=bad: test_bad_input(c, b))
                for bad in case.bad
            ),
        ]
        if case.gradients:
            checks.append(("gradient", lambda c=case: test_gradient(c)))
            if case.numeric and "float64" in case.dtypes:
                checks.append(("derivative", lambda c=case: test_gradient_is_the_derivative(c)))
        for name, check in checks:
            try:
                check()
                agree += 1
            except Exception as error:
                reason = str(error).strip().split("\n")[0][:80]
                faults.append(f"{case.id} {name}: {reason}")
    return agree, faults


def _try_file(op: str) -> tuple[int, list[str]]:
    where = TESTED_ELSEWHERE.get(op)
    if where is None:
        return 0, ["not tested"]
    if where not in _FILES:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/{where}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        _FILES[where] = done.returncode
    return (1, []) if _FILES[where] == 0 else (0, [f"tests/{where} fails"])


_FILES: dict[str, int] = {}
"""Exit status of the test files run so far."""


if __name__ == "__main__":
    conformance.oracle.logging.set_verbosity(conformance.oracle.logging.ERROR)
    main()
