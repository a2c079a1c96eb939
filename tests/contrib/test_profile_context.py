"""tf.contrib.tfprof.ProfileContext: which steps are traced, and what is written of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dataflow as tf
from dataflow.profiler import ProfileOptionBuilder
from dataflow.proto.tfprof_log_pb2 import ProfileProto
from dataflow.session.base_session import BaseSession
from tests.conftest import SessionFactory

ProfileContext = tf.contrib.tfprof.ProfileContext


@pytest.fixture(autouse=True)
def sessions_stay_as_they_were() -> Iterator[None]:
    before = BaseSession.run
    yield
    assert BaseSession.run is before


def _options() -> Any:
    return ProfileOptionBuilder(ProfileOptionBuilder.time_and_memory()).with_empty_output().build()


def _steps(path: Path) -> list[int]:
    return list(ProfileProto.FromString(path.read_bytes()).steps)


def test_traces_and_writes_the_steps_told(tmp_path: Path, session_factory: SessionFactory) -> None:
    ones = tf.placeholder_with_default(tf.ones([200, 200]), [200, 200])
    doubled = tf.matmul(ones, ones + ones)
    session = session_factory()
    with ProfileContext(str(tmp_path / "p"), [1, 3], [2, 4]) as context:
        context.add_auto_profiling("op", _options(), [3])
        assert [session.run(doubled)[0, 0] for _ in range(6)] == [400.0] * 6
    assert sorted(path.name for path in (tmp_path / "p").iterdir()) == ["profile_2", "profile_4"]
    assert _steps(tmp_path / "p" / "profile_2") == [1]
    assert _steps(tmp_path / "p" / "profile_4") == [1, 3]
    (step,) = context.get_profiles("op")
    kinds = {child.name for child in _all(context.get_profiles("op")[step])}
    assert step == 3 and "MatMul" in kinds
    with pytest.raises(ValueError, match="No autoprofiler for command: scope, was run"):
        context.get_profiles("scope")


def _all(node: Any) -> list[Any]:
    return [node, *(below for child in node.children for below in _all(child))]


def test_the_next_step(tmp_path: Path, session_factory: SessionFactory) -> None:
    one = tf.constant(1.0) + tf.placeholder_with_default(0.0, [])
    session = session_factory()
    with ProfileContext(str(tmp_path), [], [], debug=True) as context:
        session.run(one)
        context.trace_next_step()
        context.dump_next_step()
        metadata = tf.RunMetadata()
        session.run(one, run_metadata=metadata)
        session.run(one)
    assert metadata.step_stats.dev_stats
    assert sorted(path.name for path in tmp_path.iterdir()) == ["profile_1", "run_meta_1"]
    assert _steps(tmp_path / "profile_1") == [1]


def test_new_fetches_after_the_warm_up(tmp_path: Path, session_factory: SessionFactory) -> None:
    one = tf.placeholder_with_default(1.0, [])
    both = [one, one + 1.0]
    session = session_factory()
    with ProfileContext(str(tmp_path), dump_steps=[16]):
        for number in range(17):
            session.run(one if number < 14 else both)
    assert _steps(tmp_path / "profile_16") == [11, 14]


def test_what_it_refuses() -> None:
    with pytest.raises(ValueError, match="Must have a directory for profile"):
        ProfileContext("")
    with pytest.raises(ValueError, match="up to 100 steps"):
        ProfileContext("folder", range(101))
    with ProfileContext("folder"), pytest.raises(tf.errors.InternalError) as caught:
        ProfileContext("folder").__enter__()
    assert caught.value.message == "Already in context or context not cleaned."


def test_does_nothing_if_it_is_not_enabled(session_factory: SessionFactory) -> None:
    before = BaseSession.run
    with ProfileContext(None, enabled=False) as context:
        context.add_auto_profiling("op", None, [0])
        context.trace_next_step()
        context.dump_next_step()
        assert BaseSession.run is before and context.profiler is None
        assert session_factory().run(tf.constant(2.0)) == 2.0
