"""Answers the messages of PredictionService and ModelService, in this process."""

from __future__ import annotations

import asyncio
import os
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from dataflow import errors
from dataflow.errors import (
    DeadlineExceededError,
    InvalidArgumentError,
    NotFoundError,
    ResourceExhaustedError,
    UnimplementedError,
)
from dataflow.proto.serving_classification_pb2 import (
    ClassificationRequest,
    ClassificationResponse,
)
from dataflow.proto.serving_get_model_metadata_pb2 import (
    GetModelMetadataRequest,
    GetModelMetadataResponse,
    SignatureDefMap,
)
from dataflow.proto.serving_get_model_status_pb2 import (
    GetModelStatusRequest,
    GetModelStatusResponse,
)
from dataflow.proto.serving_inference_pb2 import MultiInferenceRequest, MultiInferenceResponse
from dataflow.proto.serving_model_management_pb2 import ReloadConfigRequest, ReloadConfigResponse
from dataflow.proto.serving_model_pb2 import ModelSpec
from dataflow.proto.serving_predict_pb2 import PredictRequest, PredictResponse
from dataflow.proto.serving_regression_pb2 import RegressionRequest, RegressionResponse
from dataflow.serving.batching import Batcher
from dataflow.serving.config import models_of
from dataflow.serving.loaded import LoadedModel
from dataflow.serving.manager import Lease, Manager
from dataflow.serving.metrics import Metrics
from dataflow.serving.options import Batching, Limits
from dataflow.serving.work import (
    Work,
    classify_work,
    multi_inference_work,
    predict_work,
    regress_work,
)
from dataflow.values import logging

_SIGNATURE_DEF = "signature_def"
_PREFIX = "/tensorflow.serving"


class Service:
    """Answers requests; lives on one event loop, and runs steps on threads of its own.

    Args:
      manager: The models.
      limits: What is taken on.
      batching: How requests are put together; None for each alone.
      metrics: Are told.
    """

    def __init__(
        self, manager: Manager, limits: Limits, batching: Batching | None, metrics: Metrics
    ) -> None:
        self._manager = manager
        self.limits = limits
        self._metrics = metrics
        threads = limits.threads or max(os.cpu_count() or 1, 2)
        if batching is not None:
            threads = max(threads, batching.num_batch_threads)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="serving")
        self._batcher = None
        if batching is not None:
            self._batcher = Batcher(batching, metrics.batches.add)
        self.taken = 0
        """Requests that are being answered."""
        self._loaded = asyncio.Event()
        self._methods: Mapping[str, tuple[Any, Callable[[Any], Awaitable[Any]]]] = {
            f"{_PREFIX}.PredictionService/Predict": (PredictRequest, self.predict),
            f"{_PREFIX}.PredictionService/Classify": (ClassificationRequest, self.classify),
            f"{_PREFIX}.PredictionService/Regress": (RegressionRequest, self.regress),
            f"{_PREFIX}.PredictionService/MultiInference": (
                MultiInferenceRequest,
                self.multi_inference,
            ),
            f"{_PREFIX}.PredictionService/GetModelMetadata": (
                GetModelMetadataRequest,
                self.metadata,
            ),
            f"{_PREFIX}.ModelService/GetModelStatus": (GetModelStatusRequest, self.status),
            f"{_PREFIX}.ModelService/HandleReloadConfigRequest": (
                ReloadConfigRequest,
                self.reload,
            ),
        }

    @property
    def ready(self) -> bool:
        """Whether each model can be asked."""
        return self._manager.ready

    def opened(self) -> None:
        """Lets requests through that have waited for the models."""
        self._loaded.set()

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Counts a request while it is answered.

        Raises:
          ResourceExhaustedError: There are too many.
        """
        if self.taken >= self.limits.concurrent_requests:
            raise ResourceExhaustedError(
                None, None, f"{self.taken} requests are being answered, and no more are taken on"
            )
        self.taken += 1
        try:
            yield
        finally:
            self.taken -= 1

    def parse(self, method: str, data: bytes) -> Any:
        """The message of a call.

        Raises:
          UnimplementedError: There is no such method.
          InvalidArgumentError: The message is malformed.
        """
        if method not in self._methods:
            raise UnimplementedError(None, None, f"there is no method {method}")
        kind, _ = self._methods[method]
        try:
            return kind.FromString(data)
        except (DecodeError, RecursionError) as error:
            raise InvalidArgumentError(
                None, None, f"The request is no {kind.DESCRIPTOR.name}: {error}"
            ) from None

    async def call(self, method: str, request: Any) -> bytes:
        """The response to a message that was parsed.

        Raises:
          OpError: What goes wrong.
        """
        kind, answer = self._methods[method]
        with self.taking():
            if kind is GetModelStatusRequest:
                response = await answer(request)
            else:
                response = await self.within(lambda: answer(request))
            data: bytes = response.SerializeToString()
            return data

    async def within(self, answer: Callable[[], Awaitable[Any]]) -> Any:
        """Waits for the models, and for an answer, as long as one may take.

        Raises:
          DeadlineExceededError: It takes longer.
        """
        try:
            return await asyncio.wait_for(
                self._after_loading(answer), self.limits.timeout_seconds or None
            )
        except asyncio.TimeoutError:
            raise DeadlineExceededError(
                None, None, f"No answer within {self.limits.timeout_seconds:g} s"
            ) from None

    async def _after_loading(self, answer: Callable[[], Awaitable[Any]]) -> Any:
        await self._loaded.wait()
        return await answer()

    async def on_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function that takes long."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, function, *arguments)

    @contextmanager
    def leased(self, spec: ModelSpec) -> Iterator[LoadedModel]:
        """The version that a request is about, while it is used.

        Raises:
          OpError: It is not served.
        """
        choice = spec.WhichOneof("version_choice")
        number = spec.version.value if choice == "version" else None
        lease: Lease = self._manager.lease(spec.name, number, spec.version_label)
        try:
            yield lease.model
        finally:
            lease.release()

    async def _run(self, model: LoadedModel, work: Work, api: str) -> Any:
        if work.examples:
            self._metrics.examples.add(model.name, by=work.examples)
        seconds = self.limits.timeout_seconds

        def timed(feeds: Mapping[str, np.ndarray], fetches: Sequence[str]) -> list[np.ndarray]:
            begin = time.perf_counter()
            try:
                return model.run(feeds, fetches, seconds)
            finally:
                spent = 1e6 * (time.perf_counter() - begin)
                self._metrics.runtime.add(spent, model.name, api, "TF1")

        def start(
            feeds: Mapping[str, np.ndarray], fetches: Sequence[str]
        ) -> asyncio.Future[list[np.ndarray]]:
            return asyncio.get_running_loop().run_in_executor(self._pool, timed, feeds, fetches)

        if self._batcher is None:
            values = await start(work.feeds, work.fetches)
        else:
            values = await self._batcher.run(model, start, work.feeds, work.fetches)
        return work.finish(values)

    async def predict(self, request: PredictRequest) -> PredictResponse:
        """PredictionService.Predict."""
        with self.leased(request.model_spec) as model:
            return await self.predict_with(model, request)

    async def predict_with(self, model: LoadedModel, request: PredictRequest) -> PredictResponse:
        """As `predict`, of a version that is leased."""
        work = predict_work(model.meta_graph, request, self.limits.request_bytes)
        response: PredictResponse = await self._run(model, work, "Predict")
        _say_version(response.model_spec, model)
        return response

    async def classify(self, request: ClassificationRequest) -> ClassificationResponse:
        """PredictionService.Classify."""
        with self.leased(request.model_spec) as model:
            work = classify_work(model.meta_graph, request)
            response: ClassificationResponse = await self._run(model, work, "Classify")
            _say_version(response.model_spec, model)
            return response

    async def regress(self, request: RegressionRequest) -> RegressionResponse:
        """PredictionService.Regress."""
        with self.leased(request.model_spec) as model:
            work = regress_work(model.meta_graph, request)
            response: RegressionResponse = await self._run(model, work, "Regress")
            _say_version(response.model_spec, model)
            return response

    async def multi_inference(self, request: MultiInferenceRequest) -> MultiInferenceResponse:
        """PredictionService.MultiInference."""
        if not request.tasks:
            raise InvalidArgumentError(None, None, "MultiInferenceRequest has no tasks.")
        with self.leased(request.tasks[0].model_spec) as model:
            work = multi_inference_work(model.meta_graph, request)
            response: MultiInferenceResponse = await self._run(model, work, "MultiInference")
            for result in response.results:
                _say_version(result.model_spec, model)
            return response

    async def metadata(self, request: GetModelMetadataRequest) -> GetModelMetadataResponse:
        """PredictionService.GetModelMetadata."""
        if not request.HasField("model_spec"):
            raise InvalidArgumentError(None, None, "Missing ModelSpec")
        if not request.metadata_field:
            raise InvalidArgumentError(
                None, None, "GetModelMetadataRequest must specify at least one metadata_field"
            )
        for name in request.metadata_field:
            if name != _SIGNATURE_DEF:
                raise InvalidArgumentError(None, None, f"Metadata field {name} is not supported")
        with self.leased(request.model_spec) as model:
            response = GetModelMetadataResponse()
            _say_version(response.model_spec, model)
            signatures = SignatureDefMap(signature_def=model.meta_graph.signature_def)
            # Named as clients know it; ours is of the same wire form.
            packed = response.metadata[_SIGNATURE_DEF]
            packed.type_url = "type.googleapis.com/tensorflow.serving.SignatureDefMap"
            packed.value = signatures.SerializeToString()
            return response

    async def status(self, request: GetModelStatusRequest) -> GetModelStatusResponse:
        """ModelService.GetModelStatus."""
        if not request.HasField("model_spec"):
            raise InvalidArgumentError(None, None, "Missing ModelSpec")
        spec = request.model_spec
        states = self._manager.states(spec.name)
        choice = spec.WhichOneof("version_choice")
        if choice is not None:
            number = spec.version.value
            if choice == "version_label":
                number = self._manager.number_of(spec.name, spec.version_label)
            if number not in states:
                raise NotFoundError(
                    None, None, f"Could not find version {number} of model {spec.name}"
                )
            states = {number: states[number]}
        if not states:
            raise NotFoundError(None, None, f"Could not find any versions of model {spec.name}")
        response = GetModelStatusResponse()
        for number, (state, code, message) in states.items():
            each = response.model_version_status.add(version=number, state=state)
            each.status.error_code = code  # type: ignore[assignment]
            each.status.error_message = message
        return response

    async def reload(self, request: ReloadConfigRequest) -> ReloadConfigResponse:
        """ModelService.HandleReloadConfigRequest."""
        sources = models_of(request.config)
        await self.on_thread(self._manager.reload, sources)
        response = ReloadConfigResponse()
        response.status.error_code = 0  # type: ignore[assignment]
        return response

    def close(self) -> None:
        """Ends the threads, when they have run what they were given."""
        self._pool.shutdown()


def _say_version(spec: ModelSpec, model: LoadedModel) -> None:
    spec.name = model.name
    spec.version.value = model.version


def unexpected(error: Exception) -> tuple[int, str]:
    """The code and the message of an error that is none of the client's, which the log tells."""
    where = "".join(traceback.format_exception(error))
    logging.error("A request met an error that is not its own:\n%s", where)
    return errors.INTERNAL, f"{type(error).__name__}: {error}"


def model_of(request: Any) -> str:
    """The name of the model that a message is about; "" if it is about none, or several."""
    if isinstance(request, MultiInferenceRequest):
        return request.tasks[0].model_spec.name if request.tasks else ""
    if isinstance(request, ReloadConfigRequest):
        return ""
    name: str = request.model_spec.name
    return name
