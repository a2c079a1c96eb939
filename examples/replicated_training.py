"""Trains a classifier of handwritten digits with a process for each task, as TensorFlow 1 does.

Between-graph replication: a parameter server, a chief and a worker are programs of their own, which
find each other through Ray. The chief saves checkpoints. With --lose the worker and then the
parameter server are killed on the way and started again, and training goes on from the last
checkpoint.

python examples/replicated_training.py --steps 6000 --lose
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import ray
from digits import loss_and_accuracy, read_digits
from rich.console import Console

import dataflow as tf

CLUSTER = tf.train.ClusterSpec({"ps": 1, "worker": 2})
PS = ("ps", 0)
CHIEF, WORKER = ("worker", 0), ("worker", 1)
BATCH = 64
SAVE_STEPS = 200
PATIENCE = 90.0
"""Seconds that may pass until a checkpoint or the end."""


def build_model(device: object) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Operation]:
    """Two dense layers: images, labels, accuracy and what trains."""
    with tf.device(device):
        images = tf.placeholder(tf.float32, [None, 8, 8, 1], name="images")
        labels = tf.placeholder(tf.int64, [None], name="labels")
        step = tf.train.get_or_create_global_step()
        hidden = tf.layers.dense(tf.layers.flatten(images), 64, tf.nn.relu, name="hidden")
        logits = tf.layers.dense(hidden, 10, name="logits")
        loss, accuracy = loss_and_accuracy(labels, logits)
        train = tf.train.AdamOptimizer(3e-3).minimize(loss, global_step=step)
    return images, labels, accuracy, train


def work(server: tf.train.Server, task: int, steps: int, folder: str) -> None:
    """Trains as one of the workers, until both together have made so many steps."""
    digits = read_digits()
    device = tf.train.replica_device_setter(
        cluster=CLUSTER, worker_device=f"/job:worker/task:{task}"
    )
    images, labels, _, train = build_model(device)
    random = np.random.default_rng(task)
    own = 0
    with tf.train.MonitoredTrainingSession(
        master=server.target,
        is_chief=task == 0,
        checkpoint_dir=folder,
        hooks=[tf.train.StopAtStepHook(last_step=steps)],
        save_checkpoint_steps=SAVE_STEPS,
        save_checkpoint_secs=None,
        save_summaries_steps=None,
        log_step_count_steps=None,
        # A worker needs the parameter server, and no other worker.
        config=tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{task}"]),
    ) as session:
        while not session.should_stop():
            picked = random.integers(0, len(digits.train_labels), BATCH)
            feeds = {images: digits.train_images[picked], labels: digits.train_labels[picked]}
            session.run(train, feeds)
            own += 1
    print(f"{own} steps", flush=True)


def run_task(job: str, task: int, steps: int, folder: str, address: str) -> None:
    """What each process does."""
    ray.init(address=address, log_to_driver=False)
    server = tf.train.Server(CLUSTER, job_name=job, task_index=task)
    if job == "ps":
        server.join()
    else:
        work(server, task, steps, folder)
        server.stop()


class Processes:
    """The processes of the tasks."""

    def __init__(self, steps: int, folder: str, address: str) -> None:
        self._words = ["--steps", str(steps), "--folder", folder, "--address", address]
        self._running: dict[tuple[str, int], subprocess.Popen[str]] = {}

    def start(self, task: tuple[str, int]) -> None:
        """Starts a task."""
        name = ["--job", task[0], "--task", str(task[1])]
        self._running[task] = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), *name, *self._words],
            stdout=subprocess.PIPE,
            text=True,
        )

    def lose(self, task: tuple[str, int]) -> None:
        """Kills a task and starts it again."""
        self._running[task].kill()
        self._running[task].wait()
        self.start(task)

    def output(self, task: tuple[str, int]) -> str:
        """What a task has printed when it has ended."""
        process = self._running[task]
        output, _ = process.communicate(timeout=PATIENCE)
        if process.returncode:
            raise click.ClickException(f"{task} ended with {process.returncode}.")
        return output.strip()

    def stop(self) -> None:
        """Kills what is left."""
        for process in self._running.values():
            process.kill()
            process.wait()


def wait(for_what: str, happened: Callable[[], bool]) -> None:
    """Waits until something has happened."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        if time.monotonic() > deadline:
            raise click.ClickException(f"No {for_what} in {PATIENCE:.0f} s.")
        time.sleep(0.1)


def saved_step(folder: str) -> int:
    """The step of the last checkpoint; -1 if there is none."""
    found = tf.train.latest_checkpoint(folder)
    return -1 if found is None else int(found.rpartition("-")[2])


def accuracy_of(folder: str) -> float:
    """Of the last checkpoint, on digits that were held out."""
    digits = read_digits()
    with tf.Graph().as_default(), tf.Session("") as session:
        images, labels, accuracy, _ = build_model(None)
        tf.train.Saver().restore(session, tf.train.latest_checkpoint(folder))
        feeds = {images: digits.test_images, labels: digits.test_labels}
        return float(session.run(accuracy, feeds))


def train(steps: int, lose: bool, folder: str) -> None:
    """Starts the processes, and kills some if told to."""
    console = Console()
    context = ray.init(address="local", include_dashboard=False, log_to_driver=False)
    processes = Processes(steps, folder, context.address_info["address"])
    try:
        for task in (PS, CHIEF, WORKER):
            processes.start(task)
        if lose:
            for task, share in ((WORKER, 0.2), (PS, 0.5)):
                least = share * steps
                wait("checkpoint", lambda least=least: saved_step(folder) >= least)
                console.print(f"{task[0]} {task[1]} is killed after step {saved_step(folder)}")
                processes.lose(task)
        for task in (CHIEF, WORKER):
            console.print(f"{task[0]} {task[1]}: {processes.output(task)}")
    finally:
        processes.stop()
        ray.shutdown()
    console.print(f"step {saved_step(folder)}, held-out accuracy {accuracy_of(folder):.3f}")


@click.command()
@click.option("--steps", default=6000, help="Steps of both workers together.")
@click.option("--lose", is_flag=True, help="Kills a worker and the parameter server.")
@click.option("--folder", help="Of the checkpoints; one that is removed if none is given.")
@click.option("--job", hidden=True)
@click.option("--task", default=0, hidden=True)
@click.option("--address", default="", hidden=True)
def main(steps: int, lose: bool, folder: str | None, job: str, task: int, address: str) -> None:
    """Trains on an own Ray."""
    if job:
        run_task(job, task, steps, str(folder), address)
    elif folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        train(steps, lose, folder)
    else:
        with tempfile.TemporaryDirectory() as made:
            train(steps, lose, made)


if __name__ == "__main__":
    main()
