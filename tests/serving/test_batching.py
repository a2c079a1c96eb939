"""Requests that share a step: each gets its own rows, and limits and failures harm no other."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families

from dataflow.errors import FailedPreconditionError, InvalidArgumentError, UnavailableError
from dataflow.serving.batching import Batcher
from dataflow.serving.config import read_batching
from dataflow.serving.options import Batching, ModelSource, ServerOptions
from tests.serving.running import Client, Reply, serving

HOUR = 3_600_000_000


def options(folder: Path, batching: Batching) -> ServerOptions:
    return ServerOptions(
        (ModelSource("m", str(folder)),), rest_port=0, grpc_port=0, batching=batching
    )


def asked_at_once(client: Client, bodies: Sequence[Any]) -> list[Reply]:
    with ThreadPoolExecutor(len(bodies)) as pool:
        return list(pool.map(client.predict, bodies))


def test_full_batches_run_at_once_and_each_request_gets_its_rows(factors: Path) -> None:
    batching = Batching(max_batch_size=6, batch_timeout_micros=HOUR)
    with serving(options(factors, batching)) as client:
        rows = {"signature_name": "rows", "instances": [[0, 0], [1, 1]]}
        assert [r.json for r in asked_at_once(client, [rows] * 3)] == [{"predictions": [6, 6]}] * 3
        bodies = [{"instances": [[i, -i], [i, 0.5]]} for i in range(3)]
        for i, reply in enumerate(asked_at_once(client, bodies)):
            assert reply.json == {"predictions": [[3.0 * i, -3.0 * i], [3.0 * i, 1.5]]}
        text = client.get("/monitoring/prometheus/metrics").body.decode()
        assert client.predict({"instances": [[1, 2]] * 7}).error == (
            "Task size 7 is larger than maximum input batch size 6"
        )
    found = {s.name: s.value for f in text_string_to_metric_families(text) for s in f.samples}
    assert found[":tensorflow:serving:batching_session:batch_size_count"] == 2
    assert found[":tensorflow:serving:batching_session:batch_size_sum"] == 12


def test_batches_are_filled_up_to_allowed_sizes(factors: Path) -> None:
    batching = Batching(8, 1000, allowed_batch_sizes=(4, 8))
    with serving(options(factors, batching)) as client:
        reply = client.predict({"signature_name": "rows", "instances": [[0, 0]] * 3})
        assert reply.json == {"predictions": [4, 4, 4]}
        reply = client.predict({"signature_name": "total", "inputs": [[1, 1]]})
        assert reply.error == "Batched output tensor has 0 dimensions"


def test_a_bad_row_harms_its_own_request_only(factors: Path) -> None:
    batching = Batching(max_batch_size=3, batch_timeout_micros=HOUR)
    with serving(options(factors, batching)) as client:
        bodies = [{"signature_name": "numbers", "inputs": [each]} for each in ("1.5", "q", "-2")]
        good, bad, other = asked_at_once(client, bodies)
        assert good.json == {"outputs": [1.5]}
        assert other.json == {"outputs": [-2.0]}
        assert bad.status == 400
        assert "could not correctly convert string: q" in bad.error


def test_rows_of_different_sizes_are_padded_if_that_is_asked_for(factors: Path) -> None:
    batching = Batching(2, HOUR, pad_variable_length_inputs=True)
    with serving(options(factors, batching)) as client:
        bodies = [{"signature_name": "sums", "inputs": [each]} for each in ([1, 2, 3], [5])]
        assert [r.json["outputs"] for r in asked_at_once(client, bodies)] == [[6.0], [5.0]]


class Steps:
    """Steps that end when the test says so."""

    def __init__(self) -> None:
        self.begun: list[tuple[Mapping[str, np.ndarray], asyncio.Future[list[np.ndarray]]]] = []

    def __call__(
        self, feeds: Mapping[str, np.ndarray], fetches: Sequence[str]
    ) -> asyncio.Future[list[np.ndarray]]:
        done: asyncio.Future[list[np.ndarray]] = asyncio.get_running_loop().create_future()
        self.begun.append((feeds, done))
        return done

    def end(self, number: int) -> None:
        feeds, done = self.begun[number]
        done.set_result([feeds["x"] + 1])


async def _ask(batcher: Batcher, steps: Steps, *rows: Any) -> Any:
    (found,) = await batcher.run(steps, steps, {"x": np.array(rows)}, ["y"])
    return found.tolist()


def test_a_full_queue_refuses_and_busy_threads_let_batches_grow() -> None:
    async def scene() -> None:
        steps = Steps()
        batcher = Batcher(Batching(2, 0, max_enqueued_batches=1, num_batch_threads=1))

        def ask(*rows: Any) -> asyncio.Task[Any]:
            return asyncio.create_task(_ask(batcher, steps, *rows))

        first = ask(1)
        await asyncio.sleep(0)
        second, third = ask(2), ask(3)
        await asyncio.sleep(0)
        with pytest.raises(UnavailableError, match="to which this task was submitted is full"):
            await ask(4)
        gone = second
        gone.cancel()
        await asyncio.sleep(0)
        steps.end(0)
        assert await first == [2]
        while len(steps.begun) < 2:
            await asyncio.sleep(0)
        # What nobody waits for any more is not computed.
        assert steps.begun[1][0]["x"].tolist() == [3]
        steps.end(1)
        assert await third == [4]

    asyncio.run(scene())


def test_rows_that_differ_in_type_or_shape_share_no_batch() -> None:
    async def scene() -> None:
        steps = Steps()
        batcher = Batcher(Batching(4, HOUR, num_batch_threads=9))
        tasks = [
            asyncio.create_task(_ask(batcher, steps, *rows))
            for rows in ([1, 2], [1.5, 2.5], [[1], [2]], [3, 4], [3.5, 4.5], [[3], [4]])
        ]
        while len(steps.begun) < 3:
            await asyncio.sleep(0)
        for number in range(3):
            steps.end(number)
        assert await tasks[0] == [2, 3]
        assert await tasks[4] == [4.5, 5.5]
        assert await tasks[5] == [[4], [5]]
        with pytest.raises(InvalidArgumentError, match="at least one dimension"):
            await batcher.run(steps, steps, {"x": np.array(1)}, [])
        uneven = {"x": np.zeros(2), "y": np.zeros(3)}
        with pytest.raises(InvalidArgumentError, match="equal 0th-dimension size"):
            await batcher.run(steps, steps, uneven, [])
        full = asyncio.create_task(_ask(batcher, steps, 1, 2, 3, 4))
        while len(steps.begun) < 4:
            await asyncio.sleep(0)
        steps.begun[3][1].set_result([np.zeros(3)])
        with pytest.raises(FailedPreconditionError, match="does not equal the sum"):
            await full

    asyncio.run(scene())


def test_parameters_are_read_from_text(tmp_path: Path) -> None:
    path = tmp_path / "batching.txt"
    path.write_text(
        "max_batch_size { value: 8 } batch_timeout_micros { value: 5 }"
        "num_batch_threads { value: 3 } max_enqueued_batches { value: 4 } "
        "allowed_batch_sizes: 2 allowed_batch_sizes: 8"
    )
    assert read_batching(str(path), 1) == Batching(8, 5, 4, 3, (2, 8))
    assert read_batching("", 5) == Batching(num_batch_threads=5)
    for text in ("allowed_batch_sizes: 2", "max_batch_size { value: 0 }", "nonsense: 1"):
        path.write_text(text)
        with pytest.raises(InvalidArgumentError):
            read_batching(str(path), 1)
