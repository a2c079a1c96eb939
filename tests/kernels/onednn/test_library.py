"""oneDNN is found where it is installed, and done without where it is not."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from dataflow.kernels.onednn import library
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import OneDnnError
from dataflow.kernels.onednn.primitive import Description, Layout
from dataflow.kernels.products import products
from tests.kernels.onednn_paths import looked_for_again, switched_off


def _installed() -> library.Library:
    found = library.find()
    assert found is not None
    return found


def test_it_is_found_where_we_depend_on_it() -> None:
    wanted = sys.platform == "linux" and platform.machine() == "x86_64"
    assert (library.find() is not None) == wanted


def test_the_switch_is_tensorflows() -> None:
    with switched_off():
        assert library.find() is None
        a = np.arange(640_000, dtype=np.float32).reshape(800, 800) % 7
        np.testing.assert_array_equal(products.product(a, a), np.dot(a, a))
    with looked_for_again() as patch:
        patch.setenv(library.SWITCH, "1")
        assert library.find() is not None


def _distribution(folder: Path, content: bytes) -> Path:
    """An installed package of oneDNN's name whose library is this."""
    info = folder / "onednn_cpu_gomp-2023.2.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: onednn-cpu-gomp\n")
    info.joinpath("RECORD").write_text("libdnnl.so.3,,\n")
    folder.joinpath("libdnnl.so.3").write_bytes(content)
    return folder


def _other_library() -> bytes:
    """A library that can be loaded and is not oneDNN."""
    import _ctypes

    return Path(_ctypes.__file__).read_bytes()


@pytest.mark.parametrize("content", [b"", b"not a library", _other_library()])
def test_a_broken_library_is_done_without(tmp_path: Path, content: bytes) -> None:
    with looked_for_again() as patch:
        patch.syspath_prepend(str(_distribution(tmp_path, content)))
        patch.setattr(sys, "prefix", str(tmp_path))
        assert library.find() is None
        a = np.ones((300, 300), np.float32)
        np.testing.assert_array_equal(products.product(a, a), np.full((300, 300), 300.0))


def test_it_is_not_installed(tmp_path: Path) -> None:
    with looked_for_again() as patch:
        patch.setattr(sys, "path", [str(tmp_path)])
        assert library.find() is None


def test_importing_the_kernels_loads_nothing() -> None:
    code = (
        "import dataflow.kernels.load as l, sys; l.load_generic();"
        "sys.exit('libdnnl' in open('/proc/self/maps').read())"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_what_it_refuses_is_an_error_that_names_the_call() -> None:
    with pytest.raises(OneDnnError, match="dnnl_memory_desc_create_with_strides failed with stat"):
        Layout(_installed(), (-3, 4), (4, 1))
    with pytest.raises(OneDnnError, match="dnnl_matmul_primitive_desc_create failed with status"):
        sizes = [Layout(_installed(), (n, n), (n, 1)) for n in (2, 3, 4)]
        Description(_installed(), library.MATMUL, sizes[0], sizes[1], None, sizes[2])


def test_the_thread_keeps_its_own_bound_of_openmp() -> None:
    found = _installed()
    before = found.threads()
    found.set_threads(3)
    try:
        a = np.ones((300, 300), np.float32)
        products.product(a, a)
        products.batch_product(np.ones((40, 64, 64), np.float32), np.ones((40, 64, 64), np.float32))
        assert found.threads() == 3
    finally:
        found.set_threads(before)


_FORK = """
import os, sys
import numpy as np
from dataflow.kernels.products import products
a = np.arange(90_000, dtype=np.float32).reshape(300, 300) % 5
want = products.product(a, a)
child = os.fork()
if not child:
    os._exit(0 if np.array_equal(products.product(a, a), want) else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_process_computes_on() -> None:
    subprocess.run([sys.executable, "-c", _FORK], check=True, timeout=120)


def test_addresses_are_those_that_numpy_says() -> None:
    whole = np.arange(24, dtype=np.float32).reshape(4, 6)
    readonly = whole.copy()
    readonly.flags.writeable = False
    for array in (whole, whole[1:, ::2], whole.T, whole[::-1], readonly, np.empty((0, 3))):
        assert address_of(array) == array.ctypes.data


def test_threads_that_ask_all_at_once_get_one_library() -> None:
    """One for all: each would have a team of its own."""
    for _ in range(5):
        with looked_for_again() as patch:
            patch.delenv("GOMP_SPINCOUNT", raising=False)
            start = threading.Barrier(8)

            def ask(start: threading.Barrier = start) -> library.Library | None:
                start.wait(30)
                return library.find()

            with ThreadPoolExecutor(8) as pool:
                found = [task.result() for task in [pool.submit(ask) for _ in range(8)]]
            assert found[0] is not None
            assert all(one is found[0] for one in found)
            assert "GOMP_SPINCOUNT" not in os.environ
