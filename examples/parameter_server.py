"""Trains a classifier of handwritten digits with one parameter server and two workers on Ray.

Between-graph replication: each worker builds a graph of its own, whose variables are the same ones
on the parameter server, and updates them without waiting for the other worker.

python examples/parameter_server.py --steps 300 --batch 64
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import click
import numpy as np
from digits import HELD_OUT, Digits, loss_and_accuracy, read_digits
from rich.console import Console
from rich.table import Table

import dataflow as tf

CLUSTER = tf.train.ClusterSpec({"ps": 1, "worker": 2})


@dataclass(frozen=True)
class Model:
    """One worker's copy of the model."""

    images: tf.Tensor
    labels: tf.Tensor
    loss: tf.Tensor
    accuracy: tf.Tensor
    global_step: tf.Variable
    train: tf.Operation
    initialize: tf.Operation
    uninitialized: tf.Tensor


@dataclass
class Progress:
    """What a worker has done."""

    task: int
    steps: int = 0
    seconds: float = 0.0
    loss: float = float("nan")
    error: BaseException | None = None


def build_model(task: int, rate: float) -> Model:
    """Two dense layers: the variables on the parameter server, the rest on a worker."""
    devices = tf.train.replica_device_setter(
        cluster=CLUSTER, worker_device=f"/job:worker/task:{task}"
    )
    with tf.device(devices):
        images = tf.placeholder(tf.float32, [None, 8, 8, 1], name="images")
        labels = tf.placeholder(tf.int64, [None], name="labels")
        global_step = tf.train.create_global_step()
        hidden_weights = tf.Variable(tf.truncated_normal([64, 128], stddev=0.15), name="hidden")
        hidden_bias = tf.Variable(tf.zeros([128]), name="hidden_bias")
        flat = tf.reshape(images, [-1, 64])
        hidden = tf.nn.relu(tf.matmul(flat, hidden_weights) + hidden_bias)
        weights = tf.Variable(tf.truncated_normal([128, 10], stddev=0.1), name="logits")
        logits = tf.matmul(hidden, weights) + tf.Variable(tf.zeros([10]), name="logits_bias")
        loss, accuracy = loss_and_accuracy(labels, logits)
        train = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=global_step)
        initialize = tf.global_variables_initializer()
        uninitialized = tf.report_uninitialized_variables()
    return Model(images, labels, loss, accuracy, global_step, train, initialize, uninitialized)


def wait_until_initialized(session: tf.Session, model: Model, seconds: float = 60.0) -> None:
    """Waits for the first worker to initialise the variables, which all share."""
    deadline = time.monotonic() + seconds
    while len(missing := session.run(model.uninitialized)):
        if time.monotonic() > deadline:
            raise click.ClickException(f"Nobody has initialised {missing}.")
        time.sleep(0.05)


def work(
    target: str, progress: Progress, digits: Digits, steps: int, batch: int, rate: float, seed: int
) -> None:
    """One worker: its own graph, session and examples."""
    random = np.random.default_rng(seed + progress.task)
    try:
        with tf.Graph().as_default():
            tf.set_random_seed(seed)
            model = build_model(progress.task, rate)
            with tf.Session(target) as session:
                if progress.task == 0:
                    session.run(model.initialize)
                wait_until_initialized(session, model)
                started = time.monotonic()
                for _ in range(steps):
                    picked = random.integers(0, len(digits.train_labels), batch)
                    feeds = {
                        model.images: digits.train_images[picked],
                        model.labels: digits.train_labels[picked],
                    }
                    _, progress.loss = session.run([model.train, model.loss], feeds)
                    progress.steps += 1
                progress.seconds = time.monotonic() - started
    except Exception as error:
        progress.error = error


def evaluate(target: str, digits: Digits) -> tuple[float, float, int]:
    """Loss and accuracy on the digits held out, and the number of updates."""
    with tf.Graph().as_default():
        model = build_model(0, 0.0)
        feeds = {model.images: digits.test_images, model.labels: digits.test_labels}
        with tf.Session(target) as session:
            loss, accuracy, step = session.run(
                [model.loss, model.accuracy, model.global_step], feeds
            )
    return float(loss), float(accuracy), int(step)


def report(done: list[Progress], console: Console) -> None:
    """A table of what each worker did."""
    table = Table(title="Workers")
    for column in ("task", "steps", "steps a second", "last loss"):
        table.add_column(column, justify="right")
    for progress in done:
        rate = progress.steps / max(progress.seconds, 1e-9)
        row = (str(progress.task), str(progress.steps), f"{rate:.0f}", f"{progress.loss:.4f}")
        table.add_row(*row)
    console.print(table)


@click.command()
@click.option("--steps", default=400, show_default=True, type=click.IntRange(1), help="By worker.")
@click.option("--batch", default=64, show_default=True, type=click.IntRange(1))
@click.option("--rate", default=0.3, show_default=True, help="Learning rate.")
@click.option("--seed", default=7, show_default=True)
def main(steps: int, batch: int, rate: float, seed: int) -> None:
    """Trains on the digits and prints loss and accuracy on those held out."""
    console = Console()
    digits = read_digits()
    started = time.monotonic()
    server = tf.train.Server(CLUSTER)
    console.print(f"server {server.target} after {time.monotonic() - started:.1f} s")
    done = [Progress(task) for task in CLUSTER.task_indices("worker")]
    threads = [
        threading.Thread(
            target=work, args=(server.target, progress, digits, steps, batch, rate, seed)
        )
        for progress in done
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for progress in done:
        if progress.error is not None:
            raise progress.error
    report(done, console)
    loss, accuracy, updates = evaluate(server.target, digits)
    server.stop()
    seconds = time.monotonic() - started
    console.print(
        f"held-out loss {loss:.4f}, accuracy {accuracy:.4f} on {HELD_OUT} digits "
        f"after {updates} updates and {seconds:.1f} s"
    )


if __name__ == "__main__":
    main()
