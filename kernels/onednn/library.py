"""Finds oneDNN and loads it; `find()` is None where it is absent, unfit or switched off."""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from dataflow.kernels.onednn.team import Team, spinning
from dataflow.kernels.threads.parallel import register_team

_DISTRIBUTION: Final = "onednn-cpu-gomp"
_FILE: Final = "libdnnl.so.3"
FLOAT32: Final = np.dtype(np.float32)
SWITCH: Final = "TF_ENABLE_ONEDNN_OPTS"
"""Environment variable, TensorFlow's: "0" switches oneDNN off. It is read when oneDNN is first
asked for."""

_INT: Final = ctypes.c_int
_LONG: Final = ctypes.c_int64
_FLOAT: Final = ctypes.c_float
_POINTER: Final = ctypes.c_void_p
_OUT: Final = ctypes.POINTER(ctypes.c_void_p)
_DIMS: Final = ctypes.POINTER(ctypes.c_int64)

_AVX512: Final = 0x20
"""In what oneDNN says of the processor."""
_CPU: Final = 1
_IN_ORDER: Final = 1

BINARY: Final = "dnnl_binary_primitive_desc_create"
MATMUL: Final = "dnnl_matmul_primitive_desc_create"
REORDER: Final = "dnnl_reorder_primitive_desc_create"
CONVOLVE: Final = "dnnl_convolution_forward_primitive_desc_create"
CONVOLVE_INPUT: Final = "dnnl_convolution_backward_data_primitive_desc_create"
CONVOLVE_FILTER: Final = "dnnl_convolution_backward_weights_primitive_desc_create"
POOL: Final = "dnnl_pooling_forward_primitive_desc_create"
POOL_GRADIENT: Final = "dnnl_pooling_backward_primitive_desc_create"
SOFTMAX: Final = "dnnl_softmax_forward_primitive_desc_create"
NORMALIZE: Final = "dnnl_batch_normalization_forward_primitive_desc_create"
NORMALIZE_GRADIENT: Final = "dnnl_batch_normalization_backward_primitive_desc_create"
TRAINING: Final = 64
INFERENCE: Final = 96
"""What a forward computation is for, by oneDNN's numbers."""

_FUNCTIONS: Final = {
    BINARY: (_OUT, _POINTER, _INT, *(_POINTER,) * 4),
    MATMUL: (_OUT, _POINTER, *(_POINTER,) * 5),
    REORDER: (_OUT, *(_POINTER,) * 5),
    CONVOLVE: (_OUT, _POINTER, _INT, _INT, *(_POINTER,) * 4, *(_DIMS,) * 4, _POINTER),
    CONVOLVE_INPUT: (_OUT, _POINTER, _INT, *(_POINTER,) * 3, *(_DIMS,) * 4, *(_POINTER,) * 2),
    CONVOLVE_FILTER: (_OUT, _POINTER, _INT, *(_POINTER,) * 4, *(_DIMS,) * 4, *(_POINTER,) * 2),
    POOL: (_OUT, _POINTER, _INT, _INT, *(_POINTER,) * 2, *(_DIMS,) * 5, _POINTER),
    POOL_GRADIENT: (_OUT, _POINTER, _INT, *(_POINTER,) * 2, *(_DIMS,) * 5, *(_POINTER,) * 2),
    SOFTMAX: (_OUT, _POINTER, _INT, _INT, *(_POINTER,) * 2, _INT, _POINTER),
    NORMALIZE: (_OUT, _POINTER, _INT, *(_POINTER,) * 2, _FLOAT, ctypes.c_uint, _POINTER),
    NORMALIZE_GRADIENT: (
        *(_OUT, _POINTER, _INT, *(_POINTER,) * 3),
        *(_FLOAT, ctypes.c_uint, _POINTER, _POINTER),
    ),
    "dnnl_engine_create": (_OUT, _INT, ctypes.c_size_t),
    "dnnl_stream_create": (_OUT, _POINTER, ctypes.c_uint),
    "dnnl_memory_desc_create_with_strides": (_OUT, _INT, _DIMS, _INT, _DIMS),
    "dnnl_memory_desc_create_with_tag": (_OUT, _INT, _DIMS, _INT, _INT),
    "dnnl_memory_desc_destroy": (_POINTER,),
    "dnnl_memory_create": (_OUT, _POINTER, _POINTER, _POINTER),
    "dnnl_memory_destroy": (_POINTER,),
    "dnnl_memory_set_data_handle": (_POINTER, _POINTER),
    "dnnl_primitive_create": (_OUT, _POINTER),
    "dnnl_primitive_destroy": (_POINTER,),
    "dnnl_primitive_desc_destroy": (_POINTER,),
    "dnnl_primitive_desc_query": (_POINTER, _INT, _INT, _POINTER),
    "dnnl_primitive_attr_create": (_OUT,),
    "dnnl_primitive_attr_destroy": (_POINTER,),
    "dnnl_primitive_attr_set_scratchpad_mode": (_POINTER, _INT),
    "dnnl_primitive_attr_set_post_ops": (_POINTER, _POINTER),
    "dnnl_post_ops_create": (_OUT,),
    "dnnl_post_ops_destroy": (_POINTER,),
    "dnnl_post_ops_append_binary": (_POINTER, _INT, _POINTER),
    "dnnl_post_ops_append_eltwise": (_POINTER, _INT, _FLOAT, _FLOAT),
    "dnnl_post_ops_append_sum": (_POINTER, _FLOAT, ctypes.c_int32, _INT),
}
"""Argument types of the functions that return a status."""

_T = TypeVar("_T")


class OneDnnError(RuntimeError):
    """oneDNN refused a call; the caller computes without it."""


class Library:
    """The loaded library, ready to be called from any thread.

    Calls that compute release Python's lock, calls that take less than a microsecond keep it.
    """

    def __init__(self, path: str) -> None:
        # RTLD_LOCAL, so that another copy in the process (TensorFlow has its own) stays apart.
        with spinning():
            computing = ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
        brief = ctypes.PyDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
        self._functions: dict[str, Callable[..., int]] = {}
        for name, arguments in _FUNCTIONS.items():
            function = getattr(brief, name)
            function.argtypes, function.restype = arguments, _INT
            self._functions[name] = function
        self.set_handle: Any = self._functions["dnnl_memory_set_data_handle"]
        """`f(memory, address)`."""
        self.sgemm: Any = _declared(
            computing.dnnl_sgemm,
            _INT,
            *(ctypes.c_char,) * 2,
            *(_LONG,) * 3,
            _FLOAT,
            *(_POINTER, _LONG) * 2,
            _FLOAT,
            _POINTER,
            _LONG,
        )
        self.execute: Any = _declared(
            computing.dnnl_primitive_execute, _INT, _POINTER, _POINTER, _INT, _POINTER
        )
        self.query_layout: Any = _declared(
            brief.dnnl_primitive_desc_query_md, _POINTER, _POINTER, _INT, _INT
        )
        self.layout_size: Any = _declared(
            brief.dnnl_memory_desc_get_size, ctypes.c_size_t, _POINTER
        )
        self.same_layout: Any = _declared(brief.dnnl_memory_desc_equal, _INT, _POINTER, _POINTER)
        # Found through oneDNN, so that they are those of the OpenMP library that it uses.
        self.threads: Any = _declared(brief.omp_get_max_threads, _INT)
        self.set_threads: Any = _declared(brief.omp_set_num_threads, None, _INT)
        self.team: Final = Team(computing, brief)
        self.has_avx512: Final = bool(_declared(brief.dnnl_get_effective_cpu_isa, _INT)() & _AVX512)
        """Its code uses vectors of 16 numbers."""
        self.engine: int = self.create("dnnl_engine_create", _CPU, 0)
        self.stream: int = self.create("dnnl_stream_create", self.engine, _IN_ORDER)

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function that returns a status.

        Raises:
          OneDnnError: The status is not success.
        """
        status = self._functions[name](*arguments)
        if status:
            raise OneDnnError(f"{name} failed with status {status}.")

    def create(self, name: str, *arguments: Any) -> int:
        """Calls a function that creates something, and returns its handle.

        Raises:
          OneDnnError: It could not be created.
        """
        handle = ctypes.c_void_p()
        self.call(name, ctypes.byref(handle), *arguments)
        return handle.value or 0


class Threads:
    """The context in which OpenMP calls of this thread use so many; its bound is put back after."""

    __slots__ = ("_before", "_count", "_library")

    def __init__(self, library: Library, count: int) -> None:
        self._library = library
        self._count = count
        self._before = count

    def __enter__(self) -> None:
        self._before = self._library.threads()
        if self._before != self._count:
            self._library.set_threads(self._count)

    def __exit__(self, *_: object) -> None:
        if self._before != self._count:
            self._library.set_threads(self._before)


_finding: Final = threading.Lock()


@functools.cache
def find() -> Library | None:
    """The library, or None: not installed, not for this processor, or switched off."""
    # Threads that ask for the first time all at once get one library, with one team.
    with _finding:
        return _find_once()


def compiled(make: Callable[[Library], _T], threads: int = 1) -> _T | None:
    """What `make` compiles for so many threads; None if oneDNN is absent or cannot."""
    library = find()
    if library is None:
        return None
    try:
        with Threads(library, threads):
            return make(library)
    except OneDnnError:
        return None


@functools.cache
def _find_once() -> Library | None:
    if os.environ.get(SWITCH, "1").strip() == "0" or not sys.platform.startswith("linux"):
        return None
    for path in candidates():
        try:
            library = Library(str(path))
            if _works(library):
                register_team(library.team)
                return library
        except (OSError, AttributeError, OneDnnError):
            # It cannot be loaded here, is too old, or does not know this processor.
            continue
    return None


def candidates() -> Iterator[Path]:
    """Where the package puts it: as it says, else beside the interpreter."""
    try:
        for file in importlib.metadata.files(_DISTRIBUTION) or ():
            if file.name == _FILE:
                yield Path(str(file.locate())).resolve()
    except importlib.metadata.PackageNotFoundError:
        return
    beside = Path(sys.prefix) / "lib" / _FILE
    if beside.exists():
        yield beside


def _works(library: Library) -> bool:
    """Tries a product on numbers that are exact in float32."""
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    b = np.arange(12, dtype=np.float32).reshape(3, 4)
    c = np.full((2, 4), np.float32("nan"))
    with Threads(library, 1):
        status = library.sgemm(
            b"N", b"N", 2, 4, 3, 1.0, a.ctypes.data, 3, b.ctypes.data, 4, 0.0, c.ctypes.data, 4
        )
    return not status and bool((c == [[20, 23, 26, 29], [56, 68, 80, 92]]).all())


def _declared(function: Any, result: Any, *arguments: Any) -> Any:
    function.argtypes, function.restype = arguments, result
    return function
