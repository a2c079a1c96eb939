"""Times frozen nets of Keras here and in TensorFlow, in turns: python benchmarks/frozen.py.

Weights are random; TensorFlow makes the graphs in a process of its own. Target: 0.95.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import click
import numpy as np
import verbose
from local import Row, machine, repeats_for, shown, summary, time_round
from rich.console import Console

NETS = {
    "MobileNetV2": 224,
    "ResNet50": 224,
    "DenseNet121": 224,
    "InceptionV3": 299,
    "EfficientNetB0": 224,
    "VGG16": 224,
    "U-Net": 128,
}
"""Names and sizes of images."""
_TARGET = 0.95
_WARM = 16
"""Steps before anything is timed: ways of the first ones are tried out."""


def make(name: str, size: int, path: Path) -> None:
    """Writes the frozen graph of a net with one placeholder `x` and one result `y`."""
    import tensorflow as tf
    from tensorflow.python.framework.convert_to_constants import (
        convert_variables_to_constants_v2,
    )

    tf.keras.utils.set_random_seed(1)
    if name == "U-Net":
        net = u_net(tf.keras, size)
    else:
        build = getattr(tf.keras.applications, name)
        net = build(weights=None, input_shape=(size, size, 3), classes=1000)
    random = np.random.default_rng(1)
    for variable in net.weights:
        if variable.path.endswith(("moving_mean", "beta", "bias")):
            variable.assign(random.normal(0, 0.1, variable.shape).astype(np.float32))
        elif variable.path.endswith(("moving_variance", "/gamma")):
            variable.assign(random.uniform(0.8, 1.2, variable.shape).astype(np.float32))
    spec = tf.TensorSpec([None, size, size, 3], tf.float32, name="x")
    function = tf.function(lambda x: tf.identity(net(x, training=False), name="y"))
    frozen = convert_variables_to_constants_v2(function.get_concrete_function(spec))
    path.write_bytes(frozen.graph.as_graph_def().SerializeToString())


def u_net(keras: Any, size: int) -> Any:
    """Four levels of 32 to 256 channels, batch-normalized, up again by transposed convolutions."""
    layers = keras.layers

    def twice(x: Any, width: int) -> Any:
        for _ in range(2):
            x = layers.Conv2D(width, 3, padding="same", use_bias=False)(x)
            x = layers.ReLU()(layers.BatchNormalization()(x))
        return x

    x = first = layers.Input((size, size, 3))
    skips = []
    for width in (32, 64, 128):
        x = twice(x, width)
        skips.append(x)
        x = layers.MaxPooling2D()(x)
    x = twice(x, 256)
    for width in (128, 64, 32):
        x = layers.Conv2DTranspose(width, 2, strides=2)(x)
        x = twice(layers.Concatenate()([skips.pop(), x]), width)
    return keras.Model(first, layers.Conv2D(1, 1, activation="sigmoid")(x))


def measure(name: str, path: Path, batch: int, rounds: int, seconds: float) -> Row:
    """Times a net in both libraries; raises ValueError if their answers differ."""
    import tensorflow.compat.v1 as oracle

    import dataflow

    size = NETS[name]
    images = np.random.default_rng(2).uniform(-1, 1, (batch, size, size, 3)).astype(np.float32)
    sessions: list[Any] = []
    steps: list[Any] = []
    for library in (dataflow, oracle):
        graph_def = library.GraphDef.FromString(path.read_bytes())
        with library.Graph().as_default() as graph:
            library.import_graph_def(graph_def, name="")
            sessions.append(library.Session(graph=graph))
            run = sessions[-1].make_callable("y:0", ["x:0"])
            steps.append(lambda run=run: run(images))
    ours, theirs = (step() for step in steps)
    if np.abs(ours - theirs).max() > 1e-4 * np.abs(theirs).max():
        raise ValueError("The libraries' answers differ.")
    for step in steps:
        for _ in range(_WARM):
            step()
    repeats = [repeats_for(step, seconds) for step in steps]
    gc.collect()
    samples: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for taken, step, count in zip(samples, steps, repeats, strict=True):
            taken.append(time_round(step, count))
    for session in sessions:
        session.close()
    return summary(f"{name}, batch {batch}", "us", *samples, _TARGET)


@click.command()
@click.option("--only", default="", help="Names of nets, with commas.")
@click.option("--batch", "batches", multiple=True, type=int, default=(1, 8))
@click.option("--rounds", default=9, type=click.IntRange(1))
@click.option("--seconds", default=0.2, help="About how long a round takes.")
@click.option("--profile", is_flag=True, help="What oneDNN says of each call, instead of times.")
@click.option("--graphs", type=Path, help="Where graphs are kept, and found; else nowhere.")
@click.option("--output", type=Path, default=Path("benchmarks/results/frozen.json"))
def main(
    only: str,
    batches: tuple[int, ...],
    rounds: int,
    seconds: float,
    profile: bool,
    graphs: Path | None,
    output: Path,
) -> None:
    """Prints a table of the ratios and writes them as JSON."""
    names = only.split(",") if only else list(NETS)
    for name in names:
        if name not in NETS:
            raise click.BadParameter(f"{name!r} is none of {', '.join(NETS)}.", param_hint="--only")
    import tensorflow.compat.v1 as oracle

    oracle.disable_v2_behavior()
    oracle.logging.set_verbosity(oracle.logging.ERROR)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        graphs = graphs or Path(folder)
        for name in names:
            path = graphs / f"{name}.pb"
            if not path.exists():
                command = [sys.executable, __file__, "make", name, str(path)]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            for batch in batches:
                if profile:
                    found = {
                        key: verbose.profile(key, path, NETS[name], batch)
                        for key in verbose.LIBRARIES
                    }
                    Console(width=200).print(verbose.table(f"{name}, batch {batch}", found))
                    continue
                rows.append(measure(name, path, batch, rounds, seconds))
                click.echo(f"{rows[-1].name}: {rows[-1].ratio:.3f}", err=True)
                content = {"machine": machine(), "rows": [asdict(row) for row in rows]}
                output.parent.mkdir(parents=True, exist_ok=True)
                output.write_text(json.dumps(content, indent=1) + "\n")
    if rows:
        Console(width=130).print(shown(rows))


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2], NETS[sys.argv[2]], Path(sys.argv[3]))
    else:
        main()
