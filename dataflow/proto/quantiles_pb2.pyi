from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class QuantileConfig(_message.Message):
    __slots__ = ("eps", "num_quantiles")
    EPS_FIELD_NUMBER: _ClassVar[int]
    NUM_QUANTILES_FIELD_NUMBER: _ClassVar[int]
    eps: float
    num_quantiles: int
    def __init__(self, eps: _Optional[float] = ..., num_quantiles: _Optional[int] = ...) -> None: ...

class QuantileEntry(_message.Message):
    __slots__ = ("value", "weight", "min_rank", "max_rank")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    MIN_RANK_FIELD_NUMBER: _ClassVar[int]
    MAX_RANK_FIELD_NUMBER: _ClassVar[int]
    value: float
    weight: float
    min_rank: float
    max_rank: float
    def __init__(self, value: _Optional[float] = ..., weight: _Optional[float] = ..., min_rank: _Optional[float] = ..., max_rank: _Optional[float] = ...) -> None: ...

class QuantileSummaryState(_message.Message):
    __slots__ = ("entries",)
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[QuantileEntry]
    def __init__(self, entries: _Optional[_Iterable[_Union[QuantileEntry, _Mapping]]] = ...) -> None: ...

class QuantileStreamState(_message.Message):
    __slots__ = ("summaries",)
    SUMMARIES_FIELD_NUMBER: _ClassVar[int]
    summaries: _containers.RepeatedCompositeFieldContainer[QuantileSummaryState]
    def __init__(self, summaries: _Optional[_Iterable[_Union[QuantileSummaryState, _Mapping]]] = ...) -> None: ...
