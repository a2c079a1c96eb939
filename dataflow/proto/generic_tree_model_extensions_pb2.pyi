from dataflow.proto import generic_tree_model_pb2 as _generic_tree_model_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MatchingValuesTest(_message.Message):
    __slots__ = ("feature_id", "value", "inverse")
    FEATURE_ID_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    INVERSE_FIELD_NUMBER: _ClassVar[int]
    feature_id: _generic_tree_model_pb2.FeatureId
    value: _containers.RepeatedCompositeFieldContainer[_generic_tree_model_pb2.Value]
    inverse: bool
    def __init__(self, feature_id: _Optional[_Union[_generic_tree_model_pb2.FeatureId, _Mapping]] = ..., value: _Optional[_Iterable[_Union[_generic_tree_model_pb2.Value, _Mapping]]] = ..., inverse: bool = ...) -> None: ...

class ConstResultTest(_message.Message):
    __slots__ = ("feature_id", "value_for_dtype", "test_result")
    FEATURE_ID_FIELD_NUMBER: _ClassVar[int]
    VALUE_FOR_DTYPE_FIELD_NUMBER: _ClassVar[int]
    TEST_RESULT_FIELD_NUMBER: _ClassVar[int]
    feature_id: _generic_tree_model_pb2.FeatureId
    value_for_dtype: _generic_tree_model_pb2.Value
    test_result: bool
    def __init__(self, feature_id: _Optional[_Union[_generic_tree_model_pb2.FeatureId, _Mapping]] = ..., value_for_dtype: _Optional[_Union[_generic_tree_model_pb2.Value, _Mapping]] = ..., test_result: bool = ...) -> None: ...
