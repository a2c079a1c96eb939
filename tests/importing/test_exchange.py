"""Graphs written by one library are imported and run by the other, with the same answers."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.importing.both import as_ours, as_theirs, oracle
from tests.importing.programs import FILES, PROGRAMS, Program, results
from tests.importing.test_real_files import FOLDER, assert_equal
from tools import make_test_graphs


def written(library: Any, program: Program, add_shapes: bool = False) -> Any:
    """The GraphDef a library writes, through its bytes."""
    with library.Graph().as_default() as graph:
        program.build(library)
    return library.GraphDef.FromString(
        graph.as_graph_def(add_shapes=add_shapes).SerializeToString()
    )


def assert_all_equal(have: list[Any], want: list[Any]) -> None:
    for ours, theirs in zip(have, want, strict=True):
        assert_equal(ours, theirs)


@functools.cache
def expected(name: str) -> list[Any]:
    """What TensorFlow computes with the graph it writes."""
    return results(oracle, written(oracle, PROGRAMS[name]), PROGRAMS[name])


def _programs() -> Iterator[Any]:
    """Each without shapes, and one in three with them: an attr beside the others."""
    for number, name in enumerate(PROGRAMS):
        yield pytest.param(name, False, id=name)
        marks = [pytest.mark.long] * bool(number % 3)
        yield pytest.param(name, True, id=f"{name}-shapes", marks=marks)


with_and_without_shapes = pytest.mark.parametrize(("name", "add_shapes"), [*_programs()])


@with_and_without_shapes
def test_tensorflows_graphs_run_here(name: str, add_shapes: bool) -> None:
    program = PROGRAMS[name]
    graph_def = as_ours(written(oracle, program, add_shapes))
    assert_all_equal(results(tf, graph_def, program), expected(name))


@with_and_without_shapes
def test_our_graphs_run_in_tensorflow(name: str, add_shapes: bool) -> None:
    program = PROGRAMS[name]
    graph_def = as_theirs(written(tf, program, add_shapes))
    assert_all_equal(results(oracle, graph_def, program), expected(name))


@pytest.mark.parametrize("name", PROGRAMS)
def test_graphs_run_after_several_crossings(name: str) -> None:
    program = PROGRAMS[name]
    graph_def = written(oracle, program)
    for library, crossing in ((tf, as_ours), (oracle, as_theirs), (tf, as_ours)):
        with library.Graph().as_default() as graph:
            library.import_graph_def(crossing(graph_def), name="")
        graph_def = graph.as_graph_def()
    assert_all_equal(results(tf, graph_def, program), expected(name))


@pytest.mark.parametrize("name", FILES)
def test_imported_nodes_are_in_tensorflows_order(name: str) -> None:
    data = (FOLDER / f"{name}.pb").read_bytes()
    orders = []
    for library in (tf, oracle):
        with library.Graph().as_default() as graph:
            library.import_graph_def(library.GraphDef.FromString(data), name="")
        orders.append([node.name for node in graph.as_graph_def().node])
    assert orders[0] == orders[1]


@pytest.mark.parametrize("name", ["elementwise", "convolution", "gradients"])
def test_imported_graphs_are_built_on(name: str) -> None:
    program = PROGRAMS[name]
    graph_def = written(oracle, program)

    def derivative(library: Any, graph_def: Any) -> list[Any]:
        with library.Graph().as_default() as graph:
            (feed,) = program.feeds
            scale = library.placeholder_with_default(2.0, [], name="scale")
            x = library.placeholder(library.float32, program.feeds[feed].shape, name="input")
            (y,) = library.import_graph_def(
                graph_def, input_map={feed: x * scale}, return_elements=[program.fetches[0]]
            )
            (by_x,) = library.gradients(library.reduce_sum(library.square(y)), [x])
            with library.Session(graph=graph) as session:
                return session.run([by_x, y], {x: program.feeds[feed]})

    assert_all_equal(derivative(tf, as_ours(graph_def)), derivative(oracle, graph_def))


@pytest.mark.long
def test_the_kept_files_are_what_tensorflow_writes(tmp_path: Path) -> None:
    # In a process of its own: names of functions count what was made before.
    command = [sys.executable, "-m", "tools.make_test_graphs", str(tmp_path)]
    subprocess.run(command, cwd=make_test_graphs.ROOT, check=True)
    for path in FOLDER.iterdir():
        if path.name == "exported_lowered.pb":
            continue  # TensorFlow orders and numbers what it lowers otherwise each time.
        kept, new = (tf.GraphDef.FromString(p.read_bytes()) for p in (path, tmp_path / path.name))
        assert [n.name for n in kept.node] == [n.name for n in new.node]
        for have, want in zip(kept.node, new.node, strict=True):
            if path.name.startswith("frozen") and have.op == "Const":
                # Rounding differs from machine to machine, and training makes more of it.
                values = [tf.make_ndarray(n.attr["value"].tensor) for n in (have, want)]
                assert values[0].shape == values[1].shape
                if values[0].dtype == np.float32:
                    np.testing.assert_allclose(*values, atol=1e-2)
            elif path.name.endswith(".expected.pb"):
                assert_equal(*(tf.make_ndarray(n.attr["value"].tensor) for n in (have, want)))
            else:
                assert have == want
        # The order of what a library holds is the writer's own affair.
        libraries = [
            sorted(f.SerializeToString(deterministic=True) for f in g.library.function)
            for g in (kept, new)
        ]
        assert libraries[0] == libraries[1]
