"""Files of V1 that a Saver writes: TensorFlow restores them, whole and in shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow
from tests.oracle import oracle


def _built(lib: Any, sharded: bool, value: float) -> tuple[Any, list[Any], Any]:
    with lib.Graph().as_default() as graph:
        plain = lib.get_variable("plain", initializer=[[value, 2.0], [3.0, value]])
        text = lib.get_variable("text", initializer=["a", ""], dtype=lib.string)
        parts = lib.get_variable(
            "parts",
            initializer=lib.constant(np.arange(8, dtype=np.int64) * int(value)),
            partitioner=lib.fixed_size_partitioner(3),
        )
        saver = lib.train.Saver(write_version=lib.train.SaverDef.V1, sharded=sharded, max_to_keep=2)
        return graph, [plain, text, *list(parts)], saver


@pytest.mark.parametrize("sharded", [False, True], ids=["whole", "sharded"])
@pytest.mark.parametrize("writes", ["ours", "tensorflow"])
def test_files_cross_over(writes: str, sharded: bool, tmp_path: Path) -> None:
    libs = (dataflow, oracle) if writes == "ours" else (oracle, dataflow)
    graph, variables, saver = _built(libs[0], sharded, 5.0)
    with libs[0].Session(graph=graph) as session:
        session.run([each.initializer for each in variables])
        wanted = session.run(variables)
        paths = [saver.save(session, str(tmp_path / "v1"), global_step=n) for n in range(3)]
    shard = "-?????-of-00001" if sharded else ""
    assert paths == [str(tmp_path / f"v1-{n}{shard}") for n in range(3)]
    assert dataflow.train.latest_checkpoint(str(tmp_path)) == paths[2]
    assert not dataflow.train.checkpoint_exists(paths[0])
    graph, variables, saver = _built(libs[1], sharded, 7.0)
    with libs[1].Session(graph=graph) as session:
        saver.restore(session, paths[2])
        for ours, theirs in zip(session.run(variables), wanted, strict=True):
            np.testing.assert_array_equal(ours, theirs)
