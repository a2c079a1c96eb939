"""The kinds of trials, and which one has what number."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

import dataflow as tf
from dataflow.schema.opdef import registered_ops
from tests.fuzz import values
from tests.fuzz.drafts import Draft, public_ops
from tests.fuzz.natives import natives
from tests.fuzz.spoiling import spoil, spoil_bytes
from tests.fuzz.trial import Trial
from tests.importing.programs import FILES
from tests.importing.test_real_files import FOLDER

Kind = Callable[[Random], Trial]
_FLOW: Final = (
    *("Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond", "Identity", "Add", "Less"),
    *("RefSwitch", "RefMerge", "RefEnter", "ControlTrigger", "NoOp", "Const", "Print", "AddN"),
)
_CALLS: Final = ("PartitionedCall", "StatefulPartitionedCall", "If", "While", "Case", "StatelessIf")


def trial(seed: int, number: int) -> Trial:
    """The trial of this number."""
    rng = Random(f"{seed}/{number}")
    return rng.choice(_KINDS)(rng)


def graphs(rng: Random) -> Trial:
    """A few ops of any kind."""
    draft = Draft(rng, public_ops())
    _grow(draft, rng.choice((1, 1, 1, 2, 3, 5)))
    return _finished(draft)


def flows(rng: Random) -> Trial:
    """Control flow without rhyme or reason."""
    draft = Draft(rng, [registered_ops()[name] for name in _FLOW])
    for _ in range(rng.randrange(2, 8)):
        draft.add(registered_ops()[rng.choice(_FLOW[:-2])], T=tf.float32, frame_name=b"f")
    nodes = draft.graph_def.node
    for _ in range(rng.randrange(3)):
        node = rng.choice(nodes)
        if node.input:
            node.input[rng.randrange(len(node.input))] = rng.choice(nodes).name
    return _finished(draft)


def functions(rng: Random) -> Trial:
    """Functions that call each other, and themselves."""
    draft = Draft(rng, public_ops())
    names = [f"F{i}" for i in range(rng.randrange(1, 4))]
    draft.functions = names
    for name in names:
        _add_function(draft, name, names)
    for _ in range(rng.randrange(1, 3)):
        if rng.random() < 0.5:
            _call(draft, rng.choice(_CALLS), names)
        else:
            name, text = draft.name(), draft.source(tf.float32, values.recipe(rng, tf.float32, ()))
            name = draft.name()
            draft.graph_def.node.add(name=name, op=rng.choice(names), input=[text])
            draft.tensors.append((name, tf.float32))
    return _finished(draft)


def _call(draft: Draft, op: str, names: list[str]) -> str:
    one = (tf.float32,)
    return draft.add(registered_ops()[op], Tin=one, Tout=one, T=one, Tcond=tf.bool)


def _add_function(draft: Draft, name: str, names: list[str]) -> None:
    """A function of a float, whose nodes stand in the form that bodies have."""
    rng = draft.rng
    function = draft.graph_def.library.function.add()
    function.signature.name = name
    function.signature.input_arg.add(name="x", type=1)
    function.signature.output_arg.add(name="y", type=1)
    last = "x"
    for place in range(rng.randrange(1, 4)):
        node = function.node_def.add(name=f"b{place}")
        if rng.random() < 0.6:
            node.op = rng.choice(names)
            node.input.append(last)
            last = f"b{place}:y:0"
        else:
            node.op = rng.choice(("Neg", "Identity", "Add", "Merge", "Square"))
            node.attr["T"].type = 1
            node.input.extend([last] * (2 if node.op in ("Add", "Merge") else 1))
            if node.op == "Merge":
                node.attr["N"].i = 2
            output = {"Add": "z", "Merge": "output", "Identity": "output"}.get(node.op, "y")
            last = f"b{place}:{output}:0"
    function.ret["y"] = last if rng.random() < 0.95 else "nothing:y:0"


def spoilt(rng: Random) -> Trial:
    """The graph of a program, or one of these, with something changed."""
    if rng.random() < 0.5:
        made = rng.choice((graphs, flows, functions))(rng)
    else:
        name = rng.choice(sorted(FILES))
        graph_def = tf.GraphDef.FromString((FOLDER / f"{name}.pb").read_bytes())
        names = [node.name for node in graph_def.node]
        fetches = tuple(rng.choice(names) for _ in range(2)) + FILES[name].fetches[:1]
        made = Trial(graph_def.SerializeToString(), fetches)
    if rng.random() < 0.3:
        return Trial(spoil_bytes(rng, made.graph), made.fetches, made.feeds)
    return made.with_graph(spoil(rng, made.graph_def()))


_KINDS: Final[tuple[Kind, ...]] = (
    *(graphs,) * 12,
    *(flows, flows, spoilt, spoilt, spoilt, natives, natives, functions),
)


def _grow(draft: Draft, count: int) -> None:
    for _ in range(count):
        draft.add(draft.rng.choice(public_ops()))


def _finished(draft: Draft) -> Trial:
    """What is fetched are the last nodes, and one of the others."""
    nodes: Any = draft.graph_def.node
    fetches = [node.name for node in list(nodes)[-2:]]
    if len(nodes) > 2:
        fetches.append(draft.rng.choice(nodes).name)
    if draft.rng.random() < 0.05:
        node = draft.rng.choice(nodes)
        if node.input:
            node.input[0] = draft.rng.choice(nodes).name
    return Trial(
        draft.graph_def.SerializeToString(deterministic=True),
        tuple(dict.fromkeys(fetches)),
        draft.feeds,
    )
