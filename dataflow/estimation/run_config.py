"""RunConfig: how an estimator runs, and which task of a cluster it is."""

from __future__ import annotations

import copy
import inspect
import os
import tempfile
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from dataflow.estimation.cluster_environment import (
    Place,
    default_session_config,
    model_dir_of,
    place_of,
    read_environment,
)
from dataflow.library.distribution.strategy import Strategy
from dataflow.proto.config_pb2 import ConfigProto
from dataflow.values import logging

_USE_DEFAULT: Final = object()
_BOTH: Final = "save_checkpoints_steps and save_checkpoints_secs cannot be both set."

_CHECKS: Final[dict[str, tuple[Callable[[Any], Any], str]]] = {
    "model_dir": (bool, "model_dir should be non-empty"),
    "save_summary_steps": (lambda n: n >= 0, "save_summary_steps should be >= 0"),
    "save_checkpoints_steps": (lambda n: n >= 0, "save_checkpoints_steps should be >= 0"),
    "save_checkpoints_secs": (lambda n: n >= 0, "save_checkpoints_secs should be >= 0"),
    "session_config": (
        lambda c: isinstance(c, ConfigProto),
        "session_config must be instance of ConfigProto",
    ),
    "keep_checkpoint_max": (lambda n: n >= 0, "keep_checkpoint_max should be >= 0"),
    "keep_checkpoint_every_n_hours": (
        lambda n: n > 0,
        "keep_checkpoint_every_n_hours should be > 0",
    ),
    "log_step_count_steps": (lambda n: n > 0, "log_step_count_steps should be > 0"),
    "tf_random_seed": (
        lambda n: isinstance(n, int) or hasattr(n, "__index__"),
        "tf_random_seed must be integer.",
    ),
    "device_fn": (
        lambda f: callable(f) and list(inspect.signature(f).parameters) == ["op"],
        'device_fn must be callable with exactly one argument "op".',
    ),
    "protocol": (lambda p: p in ("grpc", "grpc+verbs"), "protocol should be grpc or grpc+verbs"),
    "experimental_max_worker_delay_secs": (
        lambda n: isinstance(n, int),
        "experimental_max_worker_delay_secs must be an integer if set.",
    ),
    "session_creation_timeout_secs": (
        lambda n: n > 0,
        "session_creation_timeout_secs should be > 0",
    ),
}

_REPLACEABLE: Final = (
    "model_dir",
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    "train_distribute",
    "device_fn",
    "protocol",
    "eval_distribute",
    "experimental_distribute",
    "experimental_max_worker_delay_secs",
    "session_creation_timeout_secs",
)


class RunConfig:
    """How an estimator runs: where, how often it saves, and as which task.

    The task comes from the environment variable TF_CONFIG.
    """

    _replaceable: ClassVar[tuple[str, ...]] = _REPLACEABLE

    def __init__(
        self,
        model_dir: Any = None,
        tf_random_seed: int | None = None,
        save_summary_steps: Any = 100,
        save_checkpoints_steps: Any = _USE_DEFAULT,
        save_checkpoints_secs: Any = _USE_DEFAULT,
        session_config: ConfigProto | None = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: Any = None,
        device_fn: Any = None,
        protocol: str | None = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        experimental_max_worker_delay_secs: int | None = None,
        session_creation_timeout_secs: float = 7200,
    ) -> None:
        """Takes what differs from the default.

        Args:
          model_dir: Folder of checkpoints and summaries.
          tf_random_seed: The seed of each graph.
          save_summary_steps: Steps from one summary to the next.
          save_checkpoints_steps: Steps from one checkpoint to the next.
          save_checkpoints_secs: Seconds from one to the next: 600 if no steps are given.
          session_config: Options of sessions.
          keep_checkpoint_max: How many checkpoints are kept; 0 or None for all.
          keep_checkpoint_every_n_hours: After how many hours one is kept for good.
          log_step_count_steps: Steps from one logged loss and speed to the next.
          train_distribute: The strategy that the model is trained under, of one replica.
          device_fn: Gives the device of each operation.
          protocol: "grpc".
          eval_distribute: That which it is evaluated under.
          experimental_distribute: None: TF_CONFIG says what the cluster is.
          experimental_max_worker_delay_secs: The longest that workers wait before they begin.
          session_creation_timeout_secs: How long a worker waits for the chief.

        Raises:
          ValueError: A value is out of its range, or TF_CONFIG says no task of its cluster.
          NotImplementedError: A strategy is none of those of one replica.
        """
        for strategy in (train_distribute, eval_distribute, experimental_distribute):
            if strategy is not None and not isinstance(strategy, Strategy):
                raise NotImplementedError(
                    "Only distribution strategies of one replica are here: give estimators a "
                    "cluster by TF_CONFIG."
                )
        if save_checkpoints_steps is _USE_DEFAULT and save_checkpoints_secs is _USE_DEFAULT:
            save_checkpoints_steps, save_checkpoints_secs = None, 600
        elif save_checkpoints_secs is _USE_DEFAULT:
            save_checkpoints_secs = None
        elif save_checkpoints_steps is _USE_DEFAULT:
            save_checkpoints_steps = None
        elif save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise ValueError(_BOTH)
        environment = read_environment()
        self._set(
            model_dir=model_dir_of(environment, model_dir),
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            session_config=session_config or default_session_config(environment),
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            train_distribute=train_distribute,
            device_fn=device_fn,
            protocol=protocol,
            eval_distribute=eval_distribute,
            experimental_distribute=None,
            experimental_max_worker_delay_secs=experimental_max_worker_delay_secs,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        self._service = environment.get("service")
        place = self._find_place(environment)
        self._cluster_spec = place.cluster_spec
        self._task_type = place.task_type
        self._task_id = place.task_id
        self._global_id_in_cluster = place.global_id
        self._master = place.master
        self._evaluation_master = place.evaluation_master
        self._is_chief = place.is_chief
        self._num_ps_replicas = place.num_ps_replicas
        self._num_worker_replicas = place.num_worker_replicas

    def _find_place(self, environment: Mapping[str, Any]) -> Place:
        return place_of(environment)

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with other values; seconds and steps of checkpoints take each other's place.

        Raises:
          ValueError: A name is none of those that can be replaced, or a value is out of its range.
        """
        new = copy.deepcopy(self)
        for name in kwargs:
            if name not in self._replaceable:
                raise ValueError(
                    f"Replacing {name} is not supported. Allowed properties are "
                    f"{list(self._replaceable)}."
                )
        steps, seconds = (
            kwargs.get(name) for name in ("save_checkpoints_steps", "save_checkpoints_secs")
        )
        if steps is not None and seconds is not None:
            raise ValueError(_BOTH)
        if steps is not None:
            kwargs["save_checkpoints_secs"] = None
        if seconds is not None:
            kwargs["save_checkpoints_steps"] = None
        new._set(**kwargs)
        return new

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            if value is not None and name in _CHECKS:
                holds, text = _CHECKS[name]
                if not holds(value):
                    raise ValueError(text)
            setattr(self, f"_{name}", value)

    @property
    def model_dir(self) -> Any:
        """Folder of checkpoints and summaries."""
        return self._value("model_dir")

    @property
    def tf_random_seed(self) -> Any:
        """The seed of each graph."""
        return self._value("tf_random_seed")

    @property
    def save_summary_steps(self) -> Any:
        """Steps from one summary to the next."""
        return self._value("save_summary_steps")

    @property
    def save_checkpoints_steps(self) -> Any:
        """Steps from one checkpoint to the next."""
        return self._value("save_checkpoints_steps")

    @property
    def save_checkpoints_secs(self) -> Any:
        """Seconds from one checkpoint to the next."""
        return self._value("save_checkpoints_secs")

    @property
    def session_config(self) -> Any:
        """Options of sessions."""
        return self._value("session_config")

    @property
    def keep_checkpoint_max(self) -> Any:
        """How many checkpoints are kept."""
        return self._value("keep_checkpoint_max")

    @property
    def keep_checkpoint_every_n_hours(self) -> Any:
        """After how many hours a checkpoint is kept for good."""
        return self._value("keep_checkpoint_every_n_hours")

    @property
    def log_step_count_steps(self) -> Any:
        """Steps from one logged loss and speed to the next."""
        return self._value("log_step_count_steps")

    @property
    def train_distribute(self) -> Any:
        """The strategy that the model is trained under."""
        return self._value("train_distribute")

    @property
    def eval_distribute(self) -> Any:
        """The strategy that the model is evaluated under."""
        return self._value("eval_distribute")

    @property
    def device_fn(self) -> Any:
        """Gives the device of each operation."""
        return self._value("device_fn")

    @property
    def protocol(self) -> Any:
        """The protocol of servers."""
        return self._value("protocol")

    @property
    def experimental_max_worker_delay_secs(self) -> Any:
        """The longest that workers wait before they begin."""
        return self._value("experimental_max_worker_delay_secs")

    @property
    def session_creation_timeout_secs(self) -> Any:
        """How long a worker waits for the chief."""
        return self._value("session_creation_timeout_secs")

    @property
    def cluster_spec(self) -> Any:
        """The cluster; empty if there is none."""
        return self._cluster_spec

    @property
    def service(self) -> Any:
        """What TF_CONFIG says of a service."""
        return self._service

    @property
    def task_type(self) -> Any:
        """The job of this task."""
        return self._task_type

    @property
    def task_id(self) -> Any:
        """Its number in the job."""
        return self._task_id

    @property
    def global_id_in_cluster(self) -> Any:
        """Its number among all tasks, the chief first; None for the evaluator."""
        return self._global_id_in_cluster

    @property
    def master(self) -> str:
        """The target of sessions that train and predict."""
        return self._master

    @property
    def evaluation_master(self) -> str:
        """The target of sessions that evaluate."""
        return self._evaluation_master

    @property
    def is_chief(self) -> bool:
        """Whether this task initialises and saves the model."""
        return self._is_chief

    @property
    def num_ps_replicas(self) -> int:
        """How many parameter servers there are."""
        return self._num_ps_replicas

    @property
    def num_worker_replicas(self) -> int:
        """How many workers there are, the chief among them."""
        return self._num_worker_replicas

    def _value(self, name: str) -> Any:
        return getattr(self, f"_{name}")


def with_model_dir(config: Any, model_dir: Any) -> RunConfig:
    """The configuration of an estimator, which may be given its folder, too.

    Raises:
      ValueError: It is no RunConfig, or has another folder.
    """
    if config is None:
        config = RunConfig()
        logging.info("Using default config.")
    if not isinstance(config, RunConfig):
        raise ValueError(f"config must be an instance of `RunConfig`, but provided {config}.")
    if config.session_config is None:
        config = config.replace(session_config=default_session_config(read_environment()))
    if model_dir is not None:
        model_dir = os.fspath(model_dir)
        if config.model_dir is not None and config.model_dir != model_dir:
            raise ValueError(
                "`model_dir` are set both in constructor and `RunConfig`, but with different "
                f"values. In constructor: '{model_dir}', in `RunConfig`: '{config.model_dir}' "
            )
    found: RunConfig = config
    if not model_dir and found.model_dir is None:
        model_dir = tempfile.mkdtemp()
        logging.warning("Using temporary folder as model directory: %s", model_dir)
    return found.replace(model_dir=model_dir) if model_dir else found
