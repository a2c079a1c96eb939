"""tf.compat: text and bytes, number types, and dimensions that are numbers or `Dimension`s."""

import typing as _typing

import dataflow.library.compatibility as _compatibility
import dataflow.values.submodules as _submodules
from dataflow.library.compatibility import as_bytes as as_bytes
from dataflow.library.compatibility import as_str as as_str
from dataflow.library.compatibility import as_str_any as as_str_any
from dataflow.library.compatibility import as_text as as_text
from dataflow.library.compatibility import bytes_or_text_types as bytes_or_text_types
from dataflow.library.compatibility import complex_types as complex_types
from dataflow.library.compatibility import (
    forward_compatibility_horizon as forward_compatibility_horizon,
)
from dataflow.library.compatibility import forward_compatible as forward_compatible
from dataflow.library.compatibility import integral_types as integral_types
from dataflow.library.compatibility import path_to_str as path_to_str
from dataflow.library.compatibility import real_types as real_types
from dataflow.values.shapes import dimension_at_index as dimension_at_index
from dataflow.values.shapes import dimension_value as dimension_value

if _typing.TYPE_CHECKING:
    from dataflow.compat import v1 as v1
else:
    __getattr__, __dir__ = _submodules.on_demand(
        __name__, hidden=("v2",), mistakes={"": {"v2": _compatibility.NO_V2}}
    )
