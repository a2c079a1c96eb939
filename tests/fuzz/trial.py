"""What is tried: a graph, what is fed and fetched, and how a program says it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from google.protobuf import text_format

import dataflow as tf
from tests.fuzz.values import Recipe


@dataclass(frozen=True, slots=True)
class Trial:
    """A graph and a run of it.

    Attributes:
        graph: The graph as protobuf's bytes, as it may be no graph at all.
        fetches: Names of tensors and operations.
        feeds: By names of tensors.
    """

    graph: bytes
    fetches: tuple[str, ...]
    feeds: dict[str, Recipe] = field(default_factory=dict)

    def graph_def(self) -> tf.GraphDef:
        """The graph."""
        return tf.GraphDef.FromString(self.graph)

    def with_graph(self, graph_def: tf.GraphDef) -> Trial:
        """The same run of another graph."""
        return Trial(graph_def.SerializeToString(deterministic=True), self.fetches, self.feeds)

    def program(self) -> str:
        """A program that does it, to find out what is wrong."""
        text = text_format.MessageToString(self.graph_def(), as_utf8=False)
        run = f"{self.fetches!r}, {self.feeds!r}"
        return (
            "from google.protobuf import text_format\n"
            "import dataflow as tf\n"
            "from tests.fuzz.trial import Trial\n"
            "from tests.fuzz.values import Recipe\n"
            "from tests.fuzz.judge import judge\n"
            f'graph = r"""\n{text}"""\n'
            "graph_def = text_format.Parse(graph, tf.GraphDef())\n"
            f"print(judge(Trial(graph_def.SerializeToString(), {run})))\n"
        )


def arrays(trial: Trial) -> dict[str, np.ndarray]:
    """What is fed."""
    return {name: recipe.array() for name, recipe in trial.feeds.items()}
