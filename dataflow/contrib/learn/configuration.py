"""tf.contrib.learn.RunConfig: that of tf.estimator, with its older arguments."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from dataflow.estimation.cluster_environment import Place, TaskType, check_task
from dataflow.estimation.run_config import RunConfig as PlainRunConfig
from dataflow.proto.config_pb2 import ConfigProto, GPUOptions
from dataflow.session.clusters.tf_config import environment
from dataflow.values.cluster_spec import ClusterSpec

_USE_DEFAULT: Final = 0
_DEFAULT_UID_WHITE_LIST: Final = [
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
]
"""What may change between runs; subclasses of programs import it to write their own `uid`."""
_IDENTIFYING: Final = frozenset(
    f"_{name}"
    for name in (
        *_DEFAULT_UID_WHITE_LIST,
        *("cluster_spec", "device_fn", "environment", "eval_distribute", "evaluation_master"),
        *("experimental_max_worker_delay_secs", "is_chief", "master", "model_dir"),
        *("num_ps_replicas", "num_worker_replicas", "protocol", "session_creation_timeout_secs"),
        *("task_id", "task_type", "tf_config", "train_distribute"),
    )
)
"""The fields of TensorFlow 1.15's configuration."""


class Environment:
    """Where tasks run, as TF_CONFIG says it."""

    CLOUD = "cloud"
    GOOGLE = "google"
    LOCAL = "local"


class RunConfig(PlainRunConfig):
    """How an estimator runs."""

    def __init__(
        self,
        master: str | None = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1.0,
        tf_random_seed: int | None = None,
        save_summary_steps: int = 100,
        save_checkpoints_secs: Any = _USE_DEFAULT,
        save_checkpoints_steps: int | None = None,
        keep_checkpoint_max: int = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int = 100,
        protocol: str | None = None,
        evaluation_master: str = "",
        model_dir: Any = None,
        session_config: ConfigProto | None = None,
        session_creation_timeout_secs: float = 7200,
    ) -> None:
        """Takes what `tf.estimator.RunConfig` does.

        Args:
          master: The target of sessions; what TF_CONFIG says if None.
          num_cores: How many threads a session may have; as many as it likes if 0.
          log_device_placement: Of the session's options.
          gpu_memory_fraction: The same.
          tf_random_seed: See there.
          save_summary_steps: See there.
          save_checkpoints_secs: See there.
          save_checkpoints_steps: See there.
          keep_checkpoint_max: See there.
          keep_checkpoint_every_n_hours: See there.
          log_step_count_steps: See there.
          protocol: See there.
          evaluation_master: The target of sessions that evaluate.
          model_dir: See there.
          session_config: See there.
          session_creation_timeout_secs: See there.
        """
        if save_checkpoints_secs is _USE_DEFAULT:
            save_checkpoints_secs = 600 if save_checkpoints_steps is None else None
        super().__init__(
            model_dir=model_dir,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            protocol=protocol,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        self._tf_config = ConfigProto(
            log_device_placement=log_device_placement,
            inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
            gpu_options=GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
        )
        self._environment: str = environment().get("environment", Environment.LOCAL)
        if master is not None:
            self._master = master
        if evaluation_master:
            self._evaluation_master = evaluation_master

    def _find_place(self, environment: Mapping[str, Any]) -> Place:
        """As before tf.estimator: any jobs make a cluster; the first worker is the chief."""
        task = environment.get("task", {})
        task_type, task_id = task.get("type"), int(task.get("index") or 0)
        cluster = ClusterSpec(environment.get("cluster", {}))
        counts = {job: cluster.num_tasks(job) for job in cluster.jobs}
        if task_type is None:
            is_chief = task_id == 0
        else:
            in_cloud = environment.get("environment") == Environment.CLOUD
            chief = TaskType.MASTER if in_cloud else TaskType.WORKER
            is_chief = task_type == chief and task_id == 0
        master = ""
        if sum(counts.values()) > 1 and task_type:
            place = check_task(cluster, task_type, task_id)
            master = f"grpc://{cluster.job_tasks(task_type)[place]}"
        return Place(
            cluster_spec=cluster,
            task_type=task_type,
            task_id=task_id,
            global_id=None,
            master=master,
            is_chief=is_chief,
            num_ps_replicas=counts.get(TaskType.PS, 0),
            num_worker_replicas=counts.get(TaskType.WORKER, 0) + counts.get(TaskType.MASTER, 0),
        )

    def uid(self, whitelist: Iterable[str] | None = None) -> str:
        """A text that is the same for configurations that differ in names of a list only.

        Args:
          whitelist: The names; None means those that may change between runs, as the seed and how
            often is saved.
        """
        without = _DEFAULT_UID_WHITE_LIST if whitelist is None else tuple(whitelist)
        state = {
            name: value
            for name, value in sorted(vars(self).items())
            if name in _IDENTIFYING and name.removeprefix("_") not in without
        }
        if "_cluster_spec" in state:
            tasks = state["_cluster_spec"].as_dict()
            state["_cluster_spec"] = OrderedDict(sorted(tasks.items()))
        return ", ".join(f"{name}={value!r}" for name, value in state.items())

    @property
    def tf_config(self) -> ConfigProto:
        """Options of sessions, from the older arguments."""
        return self._tf_config

    @property
    def environment(self) -> str:
        """Where the task runs: a name of `Environment`."""
        return self._environment
