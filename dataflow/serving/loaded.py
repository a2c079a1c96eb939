"""One version of a model: its graph, its session, and the steps that run in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dataflow.errors import (
    UNKNOWN,
    ErrorReport,
    InvalidArgumentError,
    NotFoundError,
    OpError,
)
from dataflow.graph.graph import Graph
from dataflow.proto.config_pb2 import ConfigProto, RunOptions
from dataflow.proto.meta_graph_pb2 import MetaGraphDef
from dataflow.proto.serving_prediction_log_pb2 import PredictionLog
from dataflow.records.reading import tf_record_iterator
from dataflow.saving.saved_model.files import maybe_saved_model_directory
from dataflow.saving.saved_model.loader import SavedModelLoader
from dataflow.serving.work import (
    Work,
    classify_work,
    multi_inference_work,
    predict_work,
    regress_work,
)
from dataflow.session.session import Session

WARM_UP_FILE = os.path.join("assets.extra", "tf_serving_warmup_requests")
_PLACE = re.compile(r" \(defined at [^)]*\) ?")
_MOST_RECORDS = 1000
_MOST_BYTES = 1 << 31


class LoadedModel:
    """A version that can be asked. Many threads may ask at once.

    Args:
      name: The model's.
      version: Its number.
      path: The folder of the SavedModel.
      tags: Of its graph.
      target: Where it runs.
      config: Of the session.

    Raises:
      OSError: There is no SavedModel.
      RuntimeError: It has no graph of these tags.
      OpError: It cannot be loaded.
    """

    def __init__(
        self,
        name: str,
        version: int,
        path: str,
        tags: Sequence[str],
        target: str = "",
        config: ConfigProto | None = None,
    ) -> None:
        self.name = name
        self.version = version
        self.path = path
        loader = SavedModelLoader(path)
        graph = Graph()
        self._session = Session(target, graph=graph, config=config)
        try:
            self.meta_graph: MetaGraphDef = loader.load(self._session, list(tags))
        except BaseException:
            self._session.close()
            raise
        graph.finalize()

    def run(
        self, feeds: Mapping[str, np.ndarray], fetches: Sequence[str], seconds: float = 0.0
    ) -> list[np.ndarray]:
        """Runs a step.

        Args:
          feeds: Arrays by the names of tensors.
          fetches: The names of tensors.
          seconds: How long it may take; 0 for any time.

        Raises:
          OpError: The step fails.
        """
        options = RunOptions(timeout_in_ms=max(int(1000 * seconds), 1)) if seconds > 0 else None
        try:
            values = self._session.run(list(fetches), dict(feeds), options)
        except OpError as error:
            raise _told(error) from None
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidArgumentError(None, None, str(error)) from error
        return [_array(value) for value in values]

    def work(self, work: Work) -> Any:
        """The response to a request, alone."""
        return work.finish(self.run(work.feeds, work.fetches))

    def warm_up(self) -> int:
        """Asks what stands in the model's own file of requests, and says how much that was.

        Raises:
          OpError: The file is damaged, has too many records, or a request fails.
        """
        count = 0
        for log in _logged(os.path.join(self.path, WARM_UP_FILE)):
            count += 1
            if count > _MOST_RECORDS:
                raise InvalidArgumentError(
                    None, None, f"Number of warmup records exceeds the maximum ({_MOST_RECORDS})"
                )
            work = _work_of(self.meta_graph, log)
            if work is not None:
                self.work(work)
        return count

    def close(self) -> None:
        """Ends the session."""
        self._session.close()


def _array(value: Any) -> np.ndarray:
    """What was fetched, as an array: a session gives single strings as they are."""
    if isinstance(value, bytes | str):
        return np.array(value, object)
    return np.asarray(value)


def _told(error: OpError) -> OpError:
    """The error as clients are told, without places in the server's own code."""
    message = _PLACE.sub("", error.message)
    if message == error.message:
        return error
    return ErrorReport(error.error_code or UNKNOWN, message).to_exception()


def _logged(path: str) -> Iterator[PredictionLog]:
    if not os.path.exists(path):
        return
    for record in tf_record_iterator(path):
        try:
            yield PredictionLog.FromString(record)
        except Exception as error:
            raise InvalidArgumentError(
                None, None, f"Failed to parse warmup record of {path}: {error}"
            ) from None


def _work_of(meta_graph: MetaGraphDef, log: PredictionLog) -> Work | None:
    kind = log.WhichOneof("log_type")
    if kind == "predict_log":
        return predict_work(meta_graph, log.predict_log.request, _MOST_BYTES)
    if kind == "classify_log":
        return classify_work(meta_graph, log.classify_log.request)
    if kind == "regress_log":
        return regress_work(meta_graph, log.regress_log.request)
    if kind == "multi_inference_log":
        return multi_inference_work(meta_graph, log.multi_inference_log.request)
    if kind is None:
        return None
    raise InvalidArgumentError(None, None, f"Unsupported log_type for warmup: {kind}")


def versions_in(base_path: str) -> dict[int, str]:
    """The folders of a model's versions: those whose names are numbers.

    A folder without such folders that is a SavedModel itself is version 1.

    Raises:
      NotFoundError: There is no such folder.
    """
    try:
        names = os.listdir(base_path)
    except OSError as error:
        raise NotFoundError(
            None, None, f"Could not find base path {base_path} for servable: {error.strerror}"
        ) from None
    found = {}
    for name in sorted(names):
        path = os.path.join(base_path, name)
        if name.isascii() and name.isdecimal() and len(name) < 20 and os.path.isdir(path):
            found[int(name)] = path
    if not found and maybe_saved_model_directory(base_path):
        return {1: base_path}
    return found
