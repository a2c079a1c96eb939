"""Spoilt graphs: only the documented errors come out, they name the place, and nothing hangs."""

from __future__ import annotations

import functools
import re

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import dataflow as tf
from dataflow.importing.errors import InvalidGraphDefError
from dataflow.importing.files import load_graph_def
from tests.importing.mutations import attr_changed, mutate, mutate_bytes
from tests.importing.programs import FILES
from tests.importing.test_real_files import FOLDER
from tests.rounds import rounds

NAMES = sorted(FILES)
TIMEOUT_MS = 120_000
TENSORFLOWS_INTERNAL = re.compile(
    "has already been set|Tensorflow type 21 not convertible|Mismatched parent frames"
)
"""What TensorFlow too calls internal: fetches from inside of a loop, and of lists of tensors, and a
loop that two frames enclose."""
relaxed = functools.partial(rounds, suppress_health_check=list(HealthCheck))


@functools.cache
def content(name: str) -> bytes:
    """The bytes of a real file."""
    return (FOLDER / f"{name}.pb").read_bytes()


@relaxed(800)
@given(st.data())
def test_spoilt_graphs_run_or_are_refused(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NAMES), label="file")
    graph_def = tf.GraphDef.FromString(content(name))
    mutate(data, graph_def)
    import_and_run(data, graph_def, name)


@relaxed(500)
@given(st.data())
def test_graphs_with_other_values_run_or_are_refused(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NAMES), label="file")
    graph_def = tf.GraphDef.FromString(content(name))
    attr_changed(data, graph_def)
    import_and_run(data, graph_def, name)


@relaxed(500)
@given(st.data())
def test_spoilt_bytes_are_read_or_refused(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NAMES), label="file")
    try:
        graph_def = load_graph_def(mutate_bytes(data, content(name)))
    except tf.errors.DataLossError as error:
        assert re.search(r"at byte \d+, in ", error.message)
        return
    import_and_run(data, graph_def, name)


def import_and_run(data: st.DataObject, graph_def: tf.GraphDef, name: str) -> None:
    """Imports a spoilt graph and runs its steps and some of its nodes.

    Whatever it raises but the documented errors fails the test; so does a step that is stuck.
    """
    with tf.Graph().as_default() as graph:
        try:
            tf.import_graph_def(graph_def, name="")
        except InvalidGraphDefError as error:
            assert names_the_place(error.message, graph_def), error.message
            assert graph.version == 0
            return
        if graph.version:
            run(data, graph, name)


def run(data: st.DataObject, graph: tf.Graph, name: str) -> None:
    """Runs what the file's program runs, as far as it is still there, and two nodes more."""
    program = FILES[name]
    ops = {op.name: op for op in graph.get_operations()}
    wanted = [[ops[step]] for step in program.steps if step in ops]
    fetches = [f.partition(":")[0] for f in program.fetches]
    more = data.draw(st.lists(st.sampled_from(sorted(ops)), max_size=2), label="more")
    for names in ([name for name in fetches if name in ops], more):
        wanted.append([t for name in names for t in ops[name].outputs or [ops[name]]])
    feeds = {}
    for key, value in program.feeds.items():
        fed = ops.get(key.partition(":")[0])
        for tensor in fed.outputs[:1] if fed else []:
            if tensor.dtype == value.dtype and tensor.shape.is_compatible_with(value.shape):
                feeds[tensor] = value
    config = tf.ConfigProto(operation_timeout_in_ms=TIMEOUT_MS)
    with tf.Session(graph=graph, config=config) as session:
        for fetch in wanted:
            try:
                session.run(fetch, feeds)
            except tf.errors.DeadlineExceededError:
                pytest.fail("a step is stuck")
            except tf.errors.InternalError as error:
                assert TENSORFLOWS_INTERNAL.search(error.message), error.message
            except tf.errors.UnknownError:
                raise
            except tf.errors.OpError as error:
                assert names_a_node(error.message, list(ops)), error.message


def names_the_place(message: str, graph_def: tf.GraphDef) -> bool:
    """True if a message names a node, or speaks of the whole graph."""
    if message.startswith(("GraphDef ", "Cannot add function", "Cannot assign gradient")):
        return True
    return names_a_node(message, [node.name for node in graph_def.node])


def names_a_node(message: str, names: list[str]) -> bool:
    """True if a message has one of the names set apart from its words."""
    # Nodes that a functional op was lowered to stand below its name.
    before, after = "'|node |node: |value |: |, ", "/|'| |}|$|,"
    return any(re.search(rf"({before}){re.escape(n)}({after})", message, re.M) for n in names)
