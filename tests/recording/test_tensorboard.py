"""TensorBoard shows what tf.summary wrote: its own server is asked for the values."""

from __future__ import annotations

import io
import json
import threading
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode
from urllib.request import urlopen

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from google.protobuf import text_format
from tensorboard import program
from tensorboard.plugins.audio.audio_plugin import AudioPlugin
from tensorboard.plugins.core.core_plugin import CorePluginLoader
from tensorboard.plugins.graph.graphs_plugin import GraphsPlugin
from tensorboard.plugins.histogram.histograms_plugin import HistogramsPlugin
from tensorboard.plugins.image.images_plugin import ImagesPlugin
from tensorboard.plugins.scalar.scalars_plugin import ScalarsPlugin
from tensorboard.plugins.text.text_plugin import TextPlugin

import dataflow as tf

_PLUGINS = [
    CorePluginLoader(),
    AudioPlugin,
    GraphsPlugin,
    HistogramsPlugin,
    ImagesPlugin,
    ScalarsPlugin,
    TextPlugin,
]
_STEPS = (3, 10, 11)
_PIXELS = np.arange(2 * 4 * 5 * 3, dtype=np.uint8).reshape(2, 4, 5, 3)
_RATE = 8000
_SOUND = np.sin(np.arange(400) / 20, dtype=np.float32).reshape(1, 200, 2)

Ask = Callable[..., bytes]


def _numbers(step: int) -> np.ndarray:
    return np.linspace(-step, 2 * step, 50, dtype=np.float32)


def _write(folder: Path) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        numbers = tf.placeholder(tf.float32, [50], name="numbers")
        with tf.name_scope("model"):
            tf.summary.scalar("loss", tf.reduce_sum(numbers))
            tf.summary.histogram("numbers", numbers)
        tf.summary.image("pixels", tf.constant(_PIXELS), max_outputs=2)
        tf.summary.audio("sound", tf.constant(_SOUND), _RATE)
        tf.summary.text("words", tf.constant([["a", "b"], ["*c*", "d"]]))
        shown = tf.summary.merge_all()
        with tf.summary.FileWriter(str(folder / "run"), graph) as writer:
            for step in _STEPS:
                summary = session.run(shown, {numbers: _numbers(step)})
                assert isinstance(summary, bytes)
                writer.add_summary(summary, step)


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Asks TensorBoard for what a plugin shows of the written folder."""
    folder = tmp_path_factory.mktemp("tensorboard")
    _write(folder)
    servers: list[program.WerkzeugServer] = []

    def serve(application: Any, flags: Any) -> program.WerkzeugServer:
        servers.append(program.WerkzeugServer(application, flags))
        return servers[0]

    board = program.TensorBoard(_PLUGINS, server_class=serve)
    board.configure(
        logdir=str(folder),
        host="127.0.0.1",
        port=0,
        load_fast="false",
        reload_interval=0,
        reload_task="blocking",
    )
    known = set(threading.enumerate())
    url = board.launch()
    started = [thread for thread in threading.enumerate() if thread not in known]

    def get(path: str, **arguments: Any) -> bytes:
        with urlopen(f"{url}data/plugin/{path}?{urlencode(arguments)}", timeout=60) as answer:
            assert answer.status == 200
            content: bytes = answer.read()
            return content

    try:
        yield get
    finally:
        servers[0].shutdown()
        servers[0].server_close()
        for thread in started:
            thread.join(10)
    assert not any(thread.is_alive() for thread in started)


def test_scalars(ask: Ask) -> None:
    assert list(json.loads(ask("scalars/tags"))["run"]) == ["model/loss"]
    found = json.loads(ask("scalars/scalars", run="run", tag="model/loss"))
    assert [step for _, step, _ in found] == list(_STEPS)
    assert all(time > 1e9 for time, _, _ in found)
    expected = [np.sum(_numbers(step), dtype=np.float64) for step in _STEPS]
    np.testing.assert_allclose([value for _, _, value in found], expected, rtol=1e-6)


def test_histograms(ask: Ask) -> None:
    found = json.loads(ask("histograms/histograms", run="run", tag="model/numbers"))
    assert [step for _, step, _ in found] == list(_STEPS)
    for _, step, buckets in found:
        numbers = _numbers(step)
        assert buckets[0][0] == numbers.min()
        assert buckets[-1][1] == numbers.max()
        assert sum(count for _, _, count in buckets) == pytest.approx(numbers.size)
        assert any(count for _, _, count in buckets[1:-1])


def test_images(ask: Ask) -> None:
    for number, pixels in enumerate(_PIXELS):
        named = {"run": "run", "tag": f"pixels/image/{number}", "sample": 0}
        found = json.loads(ask("images/images", **named))
        assert [entry["step"] for entry in found] == list(_STEPS)
        png = ask("images/individualImage", **dict(parse_qsl(found[-1]["query"])))
        with oracle.Graph().as_default(), oracle.Session() as session:
            np.testing.assert_array_equal(session.run(oracle.io.decode_png(png)), pixels)


def test_audio(ask: Ask) -> None:
    found = json.loads(ask("audio/audio", run="run", tag="sound/audio/0", sample=0))
    assert [entry["step"] for entry in found] == list(_STEPS)
    content = ask("audio/individualAudio", **dict(parse_qsl(found[-1]["query"])))
    with wave.open(io.BytesIO(content)) as sound:
        assert (sound.getnchannels(), sound.getframerate()) == (2, _RATE)
        samples = np.frombuffer(sound.readframes(sound.getnframes()), "<i2").reshape(-1, 2)
    np.testing.assert_allclose(samples / 2**15, _SOUND[0], atol=2**-15)


def test_text(ask: Ask) -> None:
    found = json.loads(ask("text/text", run="run", tag="words"))
    assert [entry["step"] for entry in found] == list(_STEPS)
    cells = found[-1]["text"].replace("\n", "")
    positions = [cells.index(f"<td>{cell}</td>") for cell in ("<p>a</p>", "<p>b</p>")]
    assert positions == sorted(positions)
    assert "<td><p><em>c</em></p></td>" in cells


def test_graph(ask: Ask) -> None:
    told = json.loads(ask("graphs/info"))["run"]
    assert told["run_graph"]
    graph = text_format.Parse(ask("graphs/graph", run="run"), oracle.GraphDef())
    nodes = {node.name: node for node in graph.node}
    assert nodes["numbers"].op == "Placeholder"
    assert [dim.size for dim in nodes["numbers"].attr["_output_shapes"].list.shape[0].dim] == [50]
    assert nodes["model/loss"].op == "ScalarSummary"
    assert nodes["model/loss"].input == ["model/loss/tags", "model/Sum"]
