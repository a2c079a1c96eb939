"""Reads TensorFlow Serving's text files: the models of a server, and how requests are batched."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from google.protobuf import text_format
from google.protobuf.message import Message

from dataflow.errors import InvalidArgumentError
from dataflow.proto.serving_batching_pb2 import BatchingParameters
from dataflow.proto.serving_model_server_config_pb2 import ModelConfig, ModelServerConfig
from dataflow.serving.options import Batching, ModelSource, Policy

_M = TypeVar("_M", bound=Message)
_PLATFORM = "tensorflow"


def read_models(path: str) -> tuple[ModelSource, ...]:
    """The models in a `model_config_file`.

    Raises:
      OSError: There is no such file.
      InvalidArgumentError: It holds something else.
    """
    return models_of(_read(ModelServerConfig(), path))


def models_of(config: ModelServerConfig) -> tuple[ModelSource, ...]:
    """The models that a config lists.

    Raises:
      InvalidArgumentError: It lists none, a name twice, or what cannot be served.
    """
    if config.WhichOneof("config") != "model_config_list":
        raise _invalid("Server config must have a model_config_list")
    found = tuple(_source(each) for each in config.model_config_list.config)
    names = [each.name for each in found]
    for name in names:
        if names.count(name) > 1:
            raise _invalid(f"Illegal to list model {name} multiple times in config list")
    return found


def _source(config: ModelConfig) -> ModelSource:
    if not config.name:
        raise _invalid("Model config must have a name")
    if not config.base_path:
        raise _invalid(f"Model {config.name} must have a base_path")
    if config.model_platform not in ("", _PLATFORM):
        raise _invalid(
            f"Model {config.name} is of platform {config.model_platform}; only {_PLATFORM} is "
            "served"
        )
    labels = tuple(sorted(config.version_labels.items()))
    return ModelSource(config.name, config.base_path, _policy(config.model_version_policy), labels)


def _policy(proto: Any) -> Policy:
    kind = proto.WhichOneof("policy_choice")
    if kind == "all":
        return Policy(all=True)
    if kind == "specific":
        if not proto.specific.versions:
            raise _invalid("A specific version policy must list versions")
        return Policy(specific=tuple(proto.specific.versions))
    return Policy(latest=proto.latest.num_versions or 1) if kind else Policy()


def read_batching(path: str, threads: int) -> Batching:
    """How a `batching_parameters_file` says that requests are put together.

    Args:
      path: The file; "" for what TensorFlow Serving does without one.
      threads: How many batches run at once unless the file says so.

    Raises:
      OSError: There is no such file.
      InvalidArgumentError: It holds something else, or numbers that are out of range.
    """
    proto = _read(BatchingParameters(), path) if path else BatchingParameters()
    given = {
        name: getattr(proto, name).value
        for name in ("max_batch_size", "batch_timeout_micros", "max_enqueued_batches")
        if proto.HasField(name)
    }
    if proto.HasField("num_batch_threads"):
        threads = proto.num_batch_threads.value
    return Batching(
        **given,
        num_batch_threads=threads,
        allowed_batch_sizes=tuple(proto.allowed_batch_sizes),
        pad_variable_length_inputs=proto.pad_variable_length_inputs,
    )


def _read(message: _M, path: str) -> _M:
    try:
        return text_format.Parse(Path(path).read_text(encoding="utf-8"), message)
    except (text_format.ParseError, UnicodeDecodeError, RecursionError) as error:
        kind = message.DESCRIPTOR.name
        raise _invalid(f"{path} is no {kind} in text form: {error}") from None


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)
