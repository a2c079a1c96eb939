from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class AutotuneAlgorithm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEFAULT: _ClassVar[AutotuneAlgorithm]
    HILL_CLIMB: _ClassVar[AutotuneAlgorithm]
    GRADIENT_DESCENT: _ClassVar[AutotuneAlgorithm]
    MAX_PARALLELISM: _ClassVar[AutotuneAlgorithm]
    STAGE_BASED: _ClassVar[AutotuneAlgorithm]
DEFAULT: AutotuneAlgorithm
HILL_CLIMB: AutotuneAlgorithm
GRADIENT_DESCENT: AutotuneAlgorithm
MAX_PARALLELISM: AutotuneAlgorithm
STAGE_BASED: AutotuneAlgorithm
