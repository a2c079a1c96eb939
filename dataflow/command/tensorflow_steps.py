"""Times steps of a model in TensorFlow, where that is installed: a program, with a job as JSON."""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np


def main(job: dict[str, Any]) -> list[float]:
    """Seconds of each run."""
    tf = importlib.import_module("tensorflow.compat.v1")
    tf.disable_v2_behavior()
    folder = Path(job["folder"])
    feeds = {name: np.load(folder / f"{n}.npy") for n, name in enumerate(job["feeds"])}
    config = tf.ConfigProto(intra_op_parallelism_threads=job["threads"])
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        if job["tags"]:
            tf.saved_model.load(session, job["tags"], job["path"])
        elif job["checkpoint"]:
            saver = tf.train.import_meta_graph(job["path"], clear_devices=True)
            saver.restore(session, job["checkpoint"])
            session.run(tf.tables_initializer())
        else:
            tf.import_graph_def(tf.GraphDef.FromString(Path(job["path"]).read_bytes()), name="")
            session.run(job["first"])
        step = session.make_callable(job["fetches"], job["feeds"])
        for _ in range(job["warm_up"]):
            step(*feeds.values())
        seconds = []
        for _ in range(job["runs"]):
            begin = time.perf_counter()
            step(*feeds.values())
            seconds.append(time.perf_counter() - begin)
    return seconds


if __name__ == "__main__":
    sys.stdout.write(f"{json.dumps(main(json.loads(sys.argv[1])))}\n")
