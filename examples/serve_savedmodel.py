"""Trains a small net, saves it, serves it, asks it over HTTP, and replaces it while it serves.

python examples/serve_savedmodel.py

It needs `pip install 'dataflow-ray[serve]'`. On the command line the same server is
`python -m dataflow serve FOLDER --model-name line`.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import click
import numpy as np

import dataflow as tf


def save_line(folder: Path, slope: float) -> None:
    """Fits a line through points by gradient descent, and saves what predicts with it."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None], name="x")
        wanted = tf.placeholder(tf.float32, [None])
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
        y = tf.add(w * x, b, name="y")
        loss = tf.reduce_mean(tf.square(y - wanted))
        step = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
        points = np.linspace(-1, 1, 50).astype(np.float32)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(100):
                session.run(step, {x: points, wanted: slope * points + 1})
            tf.saved_model.simple_save(session, str(folder), {"x": x}, {"y": y})


def ask(port: int, path: str, body: Any = None) -> Any:
    """What the server says."""
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", data, timeout=60) as reply:
        return json.load(reply)


@click.command()
def main() -> None:
    """Serves two versions, one after the other."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "line"
        save_line(folder / "1", slope=2.0)
        command = [sys.executable, "-m", "dataflow", "serve", str(folder), "--model-name", "line"]
        options = ["--rest-port", "0", "--port", "0", "--enable-batching", "--json"]
        server = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            port = json.loads(server.stdout.readline())["rest"]
            question = {"instances": [0.0, 0.5, 1.0]}
            told = ask(port, "/v1/models/line:predict", question)
            print("version 1:", np.round(told["predictions"], 3).tolist())
            # Written elsewhere and moved, so that it is there at once.
            save_line(Path(name) / "new", slope=-4.0)
            (Path(name) / "new").rename(folder / "2")
            while ask(port, "/v1/models/line/metadata")["model_spec"]["version"] != "2":
                time.sleep(0.1)
            told = ask(port, "/v1/models/line:predict", question)
            print("version 2:", np.round(told["predictions"], 3).tolist())
        finally:
            server.send_signal(signal.SIGTERM)
            print("ended with", server.wait(60))


if __name__ == "__main__":
    main()
