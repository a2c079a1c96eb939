"""Learns vectors of words from the text of Python's manual, which every Python has with it.

python examples/word2vec.py --target ray --steps 8000 --size 48
"""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass
from pydoc_data.topics import topics

import click
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import dataflow as tf

WINDOW = 5
"""How far from a word its neighbours may stand."""
COMMON = 1e-3
"""Share of the text from which on a word is so common that some of it is left out."""
PAGE = 200
"""Words."""
SHOWN = ("list", "int", "raised", "method", "module", "import")
"""Words whose nearest ones are shown, if they are known."""


@dataclass(frozen=True)
class Text:
    """A text as numbers of words, which are counted from the commonest on."""

    words: list[str]
    learned: np.ndarray
    held_out: np.ndarray


@dataclass(frozen=True)
class Model:
    """What a step feeds and fetches."""

    centers: tf.Tensor
    neighbours: tf.Tensor
    loss: tf.Tensor
    train: tf.Operation
    scores: tf.Tensor
    """How well each centre and its neighbour go together."""
    alike: tf.Tensor
    """How alike the centres and all words are."""


def read_text(most: int) -> Text:
    """The manual, a page in ten held out, words beyond the `most` commonest ones left out.

    Of words that are very common most are left out, too: they say little of their neighbours.
    """
    found = re.findall(r"[a-z]+", " ".join(topics[name] for name in sorted(topics)).lower())
    words = [word for word, _ in Counter(found).most_common(most)]
    numbers = {word: number for number, word in enumerate(words)}
    text = np.array([numbers[word] for word in found if word in numbers])
    share = np.bincount(text)[text] / len(text)
    text = text[np.random.default_rng(0).random(len(text)) < np.sqrt(COMMON / share)]
    is_held_out = np.arange(len(text)) // PAGE % 10 == 9
    return Text(words, text[~is_held_out], text[is_held_out])


def pairs(text: np.ndarray, count: int, random: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Words of the text, and a neighbour of each."""
    places = random.integers(WINDOW, len(text) - WINDOW, count)
    distances = random.integers(1, WINDOW + 1, count) * random.choice([-1, 1], count)
    return text[places], text[places + distances]


def build_model(words: int, size: int, sampled: int) -> Model:
    """The skip-gram model (Mikolov et al., 2013), trained by noise-contrastive estimation."""
    centers = tf.placeholder(tf.int64, [None], name="centers")
    neighbours = tf.placeholder(tf.int64, [None], name="neighbours")
    vectors = tf.get_variable(
        "vectors", [words, size], initializer=tf.random_uniform_initializer(-0.05, 0.05)
    )
    weights = tf.get_variable("weights", [words, size], initializer=tf.zeros_initializer())
    biases = tf.get_variable("biases", [words], initializer=tf.zeros_initializer())
    looked_up = tf.nn.embedding_lookup(vectors, centers)
    losses = tf.nn.nce_loss(
        weights, biases, tf.expand_dims(neighbours, 1), looked_up, sampled, words
    )
    loss = tf.reduce_mean(losses)
    train = tf.train.AdamOptimizer(1e-2).minimize(loss)
    scores = tf.reduce_sum(looked_up * tf.nn.embedding_lookup(weights, neighbours), 1)
    normal = tf.nn.l2_normalize(vectors, 1)
    alike = tf.matmul(tf.nn.embedding_lookup(normal, centers), normal, transpose_b=True)
    return Model(centers, neighbours, loss, train, scores, alike)


def train(
    session: tf.Session, model: Model, text: Text, steps: int, batch: int, console: Console
) -> None:
    """Runs the steps and shows the loss as it goes."""
    random = np.random.default_rng(1)
    columns = (
        TextColumn("step {task.completed:.0f}/{task.total:.0f}"),
        BarColumn(),
        TextColumn("loss {task.fields[loss]:.3f}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("train", total=steps, loss=float("nan"))
        for _ in range(steps):
            centers, neighbours = pairs(text.learned, batch, random)
            feeds = {model.centers: centers, model.neighbours: neighbours}
            _, loss = session.run([model.train, model.loss], feeds)
            progress.update(bar, advance=1, loss=loss)


def held_out_accuracy(session: tf.Session, model: Model, text: Text) -> float:
    """How often neighbours in the text held out go together better than any two of its words."""
    random = np.random.default_rng(2)
    centers, neighbours = pairs(text.held_out, 10_000, random)
    others = random.choice(text.held_out, len(centers))
    told = neighbours != others
    near, far = (
        session.run(model.scores, {model.centers: centers, model.neighbours: each})
        for each in (neighbours, others)
    )
    return float(np.mean((near > far)[told]))


def show_nearest(session: tf.Session, model: Model, text: Text, console: Console) -> None:
    """Prints the words whose vectors are nearest to those of some words."""
    shown = [word for word in SHOWN if word in text.words]
    numbers = [text.words.index(word) for word in shown]
    for word, row in zip(shown, session.run(model.alike, {model.centers: numbers}), strict=True):
        nearest = [text.words[number] for number in np.argsort(-row)[1:7]]
        console.print(f"{word:>8}: {' '.join(nearest)}")


@click.command()
@click.option("--target", default="", show_default=True, help='"" for this process, or "ray".')
@click.option("--steps", default=4000, show_default=True, type=click.IntRange(1))
@click.option("--batch", default=512, show_default=True, type=click.IntRange(1))
@click.option("--words", default=1000, show_default=True, type=click.IntRange(100))
@click.option("--size", default=32, show_default=True, type=click.IntRange(1))
@click.option("--sampled", default=64, show_default=True, type=click.IntRange(1, 100))
@click.option("--seed", default=7, show_default=True, help="Seed of the vectors and the samples.")
def main(
    target: str, steps: int, batch: int, words: int, size: int, sampled: int, seed: int
) -> None:
    """Trains on the manual, and prints which words are alike."""
    console = Console()
    text = read_text(words)
    started = time.monotonic()
    with tf.Graph().as_default():
        tf.set_random_seed(seed)
        model = build_model(len(text.words), size, sampled)
        initialize = tf.global_variables_initializer()
        with tf.Session(target) as session:
            session.run(initialize)
            train(session, model, text, steps, batch, console)
            show_nearest(session, model, text, console)
            accuracy = held_out_accuracy(session, model, text)
    seconds = time.monotonic() - started
    console.print(f"held-out accuracy {accuracy:.4f} on 10000 pairs after {seconds:.1f} s")


if __name__ == "__main__":
    main()
