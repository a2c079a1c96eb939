"""What each pass and rewrite is worth: python benchmarks/ablation.py.

Names the programs in which it does something, and the time that they take without it: processor
time on one thread, in turns, as the ratio to the time with it. JSON too.
"""

from __future__ import annotations

import gc
import importlib
import json
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import click
from local import machine
from operators import OPERATORS
from programs.program import Program, Step
from programs.table import PROGRAMS
from rich.console import Console
from rich.table import Table

_WARM: Final = 12
"""Steps in which a plan is measured and made anew."""


@dataclass(frozen=True, slots=True)
class Switch:
    """How a pass is switched off, and how it is seen to do something."""

    name: str
    module: str
    """Where it is looked up, within `dataflow`,"""
    attribute: str
    """and under which name; with a dot that of a class's member."""
    off: Callable[..., Any]
    """What takes its place,"""
    acted: Callable[[Sequence[Any], Any, Any], bool]
    """and whether it has done anything: what it was given, a picture of this before, its result."""
    pictured: bool = False
    """It changes a graph in place."""

    def target(self) -> tuple[Any, str]:
        """The object that holds it, and its name there."""
        *owners, name = self.attribute.split(".")
        found: Any = importlib.import_module(f"dataflow.{self.module}")
        for owner in owners:
            found = getattr(found, owner)
        return found, name


@dataclass(frozen=True, slots=True)
class Row:
    """A pass in a program: medians of a step with it and without it, in microseconds."""

    name: str
    program: str
    with_it: float
    without: float
    ratio: float
    """The median of the ratios of neighbouring rounds; above 1 it pays."""
    ratio_low: float
    ratio_high: float
    ratio_of_least: float
    """That of the shortest rounds, which other work on the machine has disturbed least."""


def _same(given: Any, *others: Any, **options: Any) -> Any:
    return given


def _nothing(*given: Any, **options: Any) -> Any:
    return None


def _is_other(given: Sequence[Any], before: Any, result: Any) -> bool:
    return result is not given[0]


def _is_something(given: Sequence[Any], before: Any, result: Any) -> bool:
    return bool(result)


def _has_changed(given: Sequence[Any], before: Any, result: Any) -> bool:
    return bool(before != _picture(getattr(result, "graph", result)))


def _picture(graph: Any) -> Any:
    """The nodes of a graph and where their inputs come from."""
    return [
        (node.name, node.op, [(edge.src.name, edge.src_output) for edge in node.in_edges])
        for node in graph.nodes()
    ]


def _unchanged(graph: Any, *others: Any, **options: Any) -> Any:
    from dataflow.passes.algebra.simplify import Simplified

    return Simplified(graph)


def _graph_pass(name: str) -> Switch:
    off = _unchanged if name == "simplify" else _same
    return Switch(name, "passes.optimize", name, off, _has_changed, pictured=True)


def _merge(name: str) -> Switch:
    return Switch(name, "actors.plan.plan", name, _same, _is_other)


def _never(*given: Any, **options: Any) -> bool:
    return False


def _unstructured(*given: Any, **options: Any) -> Any:
    from dataflow.actors.control_flow.levels import UnstructuredError

    raise UnstructuredError


SWITCHES: Final[Sequence[Switch]] = (
    *map(_graph_pass, ("drop_control_only", "fold", "simplify", "merge_common")),
    *map(_graph_pass, ("fold_channel_factors", "join_constants")),
    *map(_merge, ("merge_layers", "take_parts", "join_products")),
    *map(_merge, ("remember_shapes", "compile_clusters")),
    Switch("find_structure", "actors.plan.make", "find_structure", _unstructured, _is_something),
    Switch(
        "pair_pools",
        "actors.plan.make",
        "pair_pools",
        _nothing,
        lambda given, before, result: any(len(n.outputs) > 1 and "Pool" in n.op for n in given[0]),
    ),
    Switch(
        "passes_on",
        "actors.fusion.compiled.clusters",
        "passes_on",
        _never,
        lambda given, before, result: bool(result),
    ),
    Switch(
        "update_program",
        "kernels.optimizers.update_program",
        "UpdateProgram.run",
        _nothing,
        _is_something,
    ),
)


@contextmanager
def switched_off(switch: Switch | None) -> Iterator[None]:
    """Does without a pass for a while."""
    if switch is None:
        yield
    else:
        with patch.object(*switch.target(), switch.off):
            yield


def acting(program: Program, switches: Sequence[Switch] = SWITCHES) -> list[Switch]:
    """The passes that do something in a program."""
    found: dict[str, Switch] = {}
    with ExitStack() as stack:
        for switch in switches:
            target, name = switch.target()
            stack.enter_context(patch.object(target, name, _watching(switch, target, name, found)))
        _, close = opened(program, None)
        close()
    return [switch for switch in switches if switch.name in found]


def _watching(switch: Switch, owner: Any, name: str, found: dict[str, Switch]) -> Any:
    """A pass that is noted down where it does something."""
    own = vars(owner)[name]

    def run(*given: Any, **options: Any) -> Any:
        before = _picture(given[0]) if switch.pictured else None
        result = own(*given, **options)
        if switch.acted(given, before, result):
            found[switch.name] = switch
        return result

    return run


def opened(program: Program, switch: Switch | None) -> tuple[Step, Callable[[], None]]:
    """The warm step of a program without a pass, on one thread, and what closes its session."""
    import dataflow as tf

    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    with switched_off(switch), tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        session = tf.Session(graph=graph, config=config)
        step = program.build(tf, session)
        for _ in range(_WARM):
            step()
    return step, session.close


def measure(program: Program, switch: Switch, rounds: int, seconds: float) -> Row:
    """Times a program with a pass and without it."""
    variants: list[tuple[Step, Switch | None]] = []
    with ExitStack() as stack:
        for off in (None, switch):
            step, close = opened(program, off)
            stack.callback(close)
            variants.append((step, off))
        step()
        start = time.perf_counter()
        step()
        repeats = max(1, int(seconds / (time.perf_counter() - start)))
        gc.collect()
        samples: tuple[list[float], list[float]] = ([], [])
        for number in range(rounds):
            order = (0, 1) if number % 2 else (1, 0)
            for place in order:
                samples[place].append(_time(*variants[place], repeats))
    ratios = sorted(without / with_it for with_it, without in zip(*samples, strict=True))
    medians = [statistics.median(taken) for taken in (*samples, ratios)]
    least = min(samples[1]) / min(samples[0])
    return Row(switch.name, program.name, *medians, ratios[0], ratios[-1], least)


def _time(step: Step, switch: Switch | None, repeats: int) -> float:
    """Microseconds of the processor that a step takes."""
    with switched_off(switch):
        start = time.process_time()
        for _ in range(repeats):
            step()
        return (time.process_time() - start) / repeats * 1e6


def shown(rows: Sequence[Row], silent: Sequence[str]) -> Table:
    """The table of the rows, and of the passes that do nothing in any program."""
    table = Table("pass", "program", "with, us", "without, us", "ratio", "spread", "of least")
    for row in sorted(rows, key=lambda row: (row.name, -row.ratio)):
        table.add_row(
            row.name,
            row.program,
            f"{row.with_it:,.0f}",
            f"{row.without:,.0f}",
            f"{row.ratio:.3f}",
            f"{row.ratio_low:.3f} to {row.ratio_high:.3f}",
            f"{row.ratio_of_least:.3f}",
        )
    for name in silent:
        table.add_row(name, "none")
    return table


@click.command()
@click.option("--only", default="", help="Runs the programs whose name contains this.")
@click.option("--operators", is_flag=True, help="The operators in place of the programs.")
@click.option("--passes", default="", help="Looks at these passes alone, separated by commas.")
@click.option("--rounds", default=7, type=click.IntRange(1), help="Rounds of each pair.")
@click.option("--seconds", default=0.1, help="About how long a round takes.")
@click.option("--output", type=Path, default=Path("benchmarks/results/ablation.json"))
def main(
    only: str, operators: bool, passes: str, rounds: int, seconds: float, output: Path
) -> None:
    """Prints a table of the ratios and writes them as JSON."""
    names = {switch.name for switch in SWITCHES}
    wanted = set(passes.split(",")) if passes else names
    if not wanted <= names:
        raise click.UsageError(f"No passes: {', '.join(sorted(wanted - names))}")
    switches = [switch for switch in SWITCHES if switch.name in wanted]
    rows: list[Row] = []
    for program in OPERATORS if operators else PROGRAMS:
        if only not in program.name:
            continue
        for switch in acting(program, switches):
            row = measure(program, switch, rounds, seconds)
            rows.append(row)
            ratios = f"{row.ratio:.3f}, {row.ratio_of_least:.3f}"
            click.echo(f"{switch.name}, {program.name}: {ratios}", err=True)
    acted = {row.name for row in rows}
    silent = [switch.name for switch in switches if switch.name not in acted]
    content: Mapping[str, Any] = {
        "machine": machine(),
        "rows": [asdict(row) for row in rows],
        "silent": silent,
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(content, indent=1) + "\n")
    Console(width=130).print(shown(rows, silent))


if __name__ == "__main__":
    main()
