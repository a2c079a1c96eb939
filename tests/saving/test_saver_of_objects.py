"""What Savers take beside variables, the names of places they know, and what they leave listed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow

import dataflow
from dataflow.porting.spellings import trackables
from dataflow.saving.saveables import ResourceVariableSaveable

oracle = tensorflow.compat.v1


class _Both(ResourceVariableSaveable):
    """Restores one value to two variables."""

    def __init__(self, first: Any, second: Any, name: str) -> None:
        super().__init__(first, "", name)
        self._both = first, second

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        return dataflow.group(*(each.assign(restored_tensors[0]) for each in self._both))


class _Pair(trackables.Trackable):
    def __init__(self) -> None:
        self.first = dataflow.get_variable("first", initializer=6.0, use_resource=True)
        self.second = dataflow.get_variable("second", initializer=15.0, use_resource=True)

    @property
    def name(self) -> str:
        return str(self.first.name)

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        def make(name: str = self.first.name) -> Any:
            return _Both(self.first, self.second, name)

        return {trackables.VARIABLE_VALUE_KEY: make, "other": self.second}


@pytest.mark.parametrize("by_name", [False, True])
def test_objects_say_what_is_saved_of_them(by_name: bool, tmp_path: Path) -> None:
    with dataflow.Graph().as_default(), dataflow.Session() as session:
        pair = _Pair()
        if not by_name:
            pair._gather_saveables_for_checkpoint = lambda: {"v": pair.first}  # type: ignore[method-assign]
        saver = dataflow.train.Saver({"pair": pair} if by_name else [pair])
        session.run([pair.first.assign(42.0), pair.second.assign(42.0)])
        path = saver.save(session, tmp_path / "model")
        session.run([pair.first.assign(1.0), pair.second.assign(2.0)])
        saver.restore(session, path)
        assert session.run([pair.first, pair.second]) == [42.0, 42.0 if by_name else 2.0]
        names = [name for name, _ in dataflow.train.list_variables(path)]
        assert names == (["pair", "pair_other"] if by_name else ["first"])


def test_what_is_not_to_be_kept_is_not_listed(tmp_path: Path) -> None:
    for most in (None, 0):
        found = []
        for tf in (dataflow, oracle):
            with tf.Graph().as_default(), tf.Session() as session:
                variable = tf.get_variable("v", initializer=1.0)
                session.run(variable.initializer)
                saver = tf.train.Saver(max_to_keep=most)
                for step in range(3):
                    saver.save(session, str(tmp_path / "model"), global_step=step)
                state = tf.train.get_checkpoint_state(str(tmp_path))
                found.append((saver.last_checkpoints, list(state.all_model_checkpoint_paths)))
        assert found[0] == found[1] == ([], [str(tmp_path / "model-2")])


def test_lists_get_the_newest_and_paths_may_be_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train").mkdir()
    for tf in (dataflow, oracle):
        tf.train.update_checkpoint_state("train", "train/checkpoint", ["train/other"])
        state = tf.train.get_checkpoint_state("train")
        assert state.model_checkpoint_path == "train/checkpoint"
        paths = [str(tmp_path / "other")]
        tf.train.generate_checkpoint_state_proto(str(tmp_path), str(tmp_path / "new"), paths)
        assert paths[1:] == [str(tmp_path / "new")]
        with pytest.raises(RuntimeError, match="conflicts with path"):
            tf.train.update_checkpoint_state(str(tmp_path), str(tmp_path / "checkpoint"))


def test_a_path_may_say_that_it_is_a_file(tmp_path: Path) -> None:
    with dataflow.Graph().as_default(), dataflow.Session() as session:
        variable = dataflow.get_variable("v", initializer=3.0)
        session.run(variable.initializer)
        saver = dataflow.train.Saver()
        path = saver.save(session, f"file://{tmp_path}/model")
        assert path == f"file://{tmp_path}/model"
        session.run(variable.assign(1.0))
        saver.restore(session, path)
        assert session.run(variable) == 3.0
        assert dataflow.train.load_variable(path, "v") == 3.0
    assert dataflow.train.latest_checkpoint(f"file://{tmp_path}") == f"{tmp_path}/model"
    with dataflow.Graph().as_default() as graph:
        dataflow.train.import_meta_graph(f"{path}.meta")
        assert graph.get_operations()


def test_parts_are_written_where_their_host_is() -> None:
    found = []
    for tf in (dataflow, oracle):
        with tf.Graph().as_default() as graph, tf.device("/job:ps/device:GPU:0"):
            part = tf.get_variable(
                "v", [10, 2], partitioner=tf.fixed_size_partitioner(2), use_resource=True
            )
            whole = tf.get_variable("w", [2], use_resource=True)
            tf.train.Saver({"v": part, "w": whole})
        save = graph.get_operation_by_name("save/SaveV2")
        found.append([(each.name, each.device) for each in save.inputs[3:]])
    assert found[0] == found[1]
    assert [device for _, device in found[0]][:2] == ["/job:ps/device:CPU:0"] * 2


def test_a_meta_graph_goes_into_a_graph_that_is_given() -> None:
    with dataflow.Graph().as_default():
        dataflow.get_variable("v", initializer=3.0)
        message = dataflow.train.Saver().export_meta_graph()
    graph = dataflow.Graph()
    saver = dataflow.train.import_meta_graph(message, graph=graph, import_scope="in")
    assert [each.name for each in graph.get_collection("variables")] == ["in/v:0"]
    assert saver is not None
    assert saver.as_saver_def().restore_op_name == "in/save/restore_all"


def test_checkpoints_of_objects_are_restored_by_one_saver(tmp_path: Path) -> None:
    with dataflow.Graph().as_default(), dataflow.Session() as session:
        variable = dataflow.get_variable("v", initializer=3.0)
        session.run(variable.initializer)
        path = dataflow.train.Checkpoint(part=variable).save(str(tmp_path / "objects"), session)
        saver = dataflow.train.Saver()
        counts = []
        for _ in range(2):
            session.run(variable.assign(1.0).op)
            counts.append(len(session.graph.get_operations()))
            saver.restore(session, path)
            assert session.run(variable) == 3.0
            counts.append(len(session.graph.get_operations()))
        # The assignment of the second time is new, and nothing else.
        assert counts[0] < counts[1] < counts[2] == counts[3]
        dataflow.get_variable("w", initializer=3.0)
        with pytest.raises(dataflow.errors.NotFoundError) as error:
            dataflow.train.Saver().restore(session, path)
        assert "Could not find some variables in the checkpoint" in error.value.message


def test_layers_are_made_of_trackables_too(tmp_path: Path) -> None:
    class Model(dataflow.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.part = trackables.AutoTrackable()
            self.part.inner = trackables.add_variable(self.part, "inner", [2])

    with dataflow.Graph().as_default(), dataflow.Session() as session:
        model = Model()
        session.run(trackables.gather_initializers(model))
        path = dataflow.train.Checkpoint(model=model).save(str(tmp_path / "objects"), session)
        names = [name for name, _ in dataflow.train.list_variables(path)]
    assert "model/part/inner/.ATTRIBUTES/VARIABLE_VALUE" in names
