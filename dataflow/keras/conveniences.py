"""Arrays, files and batches by number: what programs take from tf.keras.utils."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import threading
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from typing import Any, ClassVar, NoReturn

import numpy as np

from dataflow.keras.engine.node import history_of
from dataflow.keras.engine.summary import print_summary as print_summary
from dataflow.keras.objects import CustomObjectScope as CustomObjectScope
from dataflow.keras.objects import custom_object_scope as custom_object_scope
from dataflow.keras.objects import deserialize_keras_object as deserialize_keras_object
from dataflow.keras.objects import get_custom_objects as get_custom_objects
from dataflow.keras.objects import serialize_keras_object as serialize_keras_object
from dataflow.keras.progress import Progbar as Progbar
from dataflow.values import nest


def to_categorical(y: Any, num_classes: int | None = None, dtype: str = "float32") -> Any:
    """A vector for each number of a class, with 1 there."""
    y = np.array(y, dtype="int")
    shape = y.shape[:-1] if y.ndim > 1 and y.shape[-1] == 1 else y.shape
    flat = y.ravel()
    count = num_classes or int(np.max(flat)) + 1
    categorical = np.zeros((flat.shape[0], count), dtype=dtype)
    categorical[np.arange(flat.shape[0]), flat] = 1
    return categorical.reshape((*shape, count))


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """Vectors of the length 1."""
    lengths = np.atleast_1d(np.linalg.norm(x, order, axis))
    lengths[lengths == 0] = 1
    return x / np.expand_dims(lengths, axis)


class Sequence:
    """Batches by their number: subclasses write `__getitem__` and `__len__`."""

    def __getitem__(self, index: int) -> Any:
        """The batch of a number."""
        raise NotImplementedError

    def __len__(self) -> int:
        """How many there are."""
        raise NotImplementedError

    def on_epoch_end(self) -> None:
        """An epoch is over."""

    def __iter__(self) -> Iterator[Any]:
        """All batches."""
        for index in range(len(self)):
            yield self[index]


class SequenceEnqueuer:
    """Gives batches one after the other, each when it is asked for."""

    def __init__(self, sequence: Any, use_multiprocessing: bool = False) -> None:
        self.sequence = sequence
        self._running = False

    def is_running(self) -> bool:
        """Whether `start` has been called."""
        return self._running

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Begins."""
        self._running = True

    def stop(self, timeout: float | None = None) -> None:
        """Ends."""
        self._running = False

    def get(self) -> Iterator[Any]:
        """The batches."""
        raise NotImplementedError


class OrderedEnqueuer(SequenceEnqueuer):
    """The batches of a `Sequence`, epoch after epoch."""

    def __init__(
        self, sequence: Any, use_multiprocessing: bool = False, shuffle: bool = False
    ) -> None:
        super().__init__(sequence, use_multiprocessing)
        self.shuffle = shuffle

    def get(self) -> Iterator[Any]:
        """The batches."""
        while self.is_running():
            order = np.arange(len(self.sequence))
            if self.shuffle:
                np.random.shuffle(order)
            for index in order:
                yield self.sequence[int(index)]
            self.sequence.on_epoch_end()


class GeneratorEnqueuer(SequenceEnqueuer):
    """The batches of a generator."""

    def __init__(
        self, sequence: Any, use_multiprocessing: bool = False, random_seed: Any = None
    ) -> None:
        super().__init__(sequence, use_multiprocessing)
        self._lock = threading.Lock()

    def get(self) -> Iterator[Any]:
        """The batches."""
        while self.is_running():
            with self._lock:
                batch = next(self.sequence, None)
            if batch is None:
                return
            yield batch


class HDF5Matrix:
    """Rows of a data set in a file of HDF5, like an array."""

    refs: ClassVar[dict[str, Any]] = {}
    """The files that are open, by their paths: matrices of one file share it."""

    def __init__(
        self, datapath: str, dataset: str, start: int = 0, end: Any = None, normalizer: Any = None
    ) -> None:
        from dataflow.keras.saving.hdf5 import h5py_module

        if datapath not in self.refs or not self.refs[datapath]:
            self.refs[datapath] = h5py_module().File(datapath, "r")
        self.data = self.refs[datapath][dataset]
        self.start = start
        self.end = self.data.shape[0] if end is None else end
        self.normalizer = normalizer

    def __len__(self) -> int:
        return int(self.end - self.start)

    def __getitem__(self, key: Any) -> Any:
        """The rows of a number, of a slice that ends inside, or of numbers.

        Raises:
          IndexError: There are fewer rows.
          TypeError: It is none of these.
        """
        if isinstance(key, slice):
            if key.stop is not None and key.stop > len(self):
                raise IndexError(f"There are {len(self)} rows, the slice ends at {key.stop}.")
        elif not isinstance(key, (int, np.integer)) and not np.iterable(key):
            raise TypeError(f"Rows are taken by numbers, slices and lists of numbers, not {key!r}.")
        rows = np.arange(len(self))[key] + self.start
        unique, back = np.unique(rows, return_inverse=True)
        values = self.data[unique][back] if np.ndim(rows) else self.data[int(rows)]
        return values if self.normalizer is None else self.normalizer(values)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows and their shape."""
        return (len(self), *self.data.shape[1:])

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape))

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self.data.dtype


def get_file(
    fname: str,
    origin: str,
    untar: bool = False,
    md5_hash: str | None = None,
    file_hash: str | None = None,
    cache_subdir: str = "datasets",
    hash_algorithm: str = "auto",
    extract: bool = False,
    archive_format: str = "auto",
    cache_dir: str | None = None,
) -> str:
    """The path of a file that is loaded from an address, unless it is there.

    Raises:
      OSError: It cannot be loaded.
      ValueError: Its hash is another.
    """
    folder = os.path.join(
        cache_dir or os.path.join(os.path.expanduser("~"), ".keras"), cache_subdir
    )
    os.makedirs(folder, exist_ok=True)
    wanted = file_hash or md5_hash
    path = os.path.join(folder, f"{fname}.tar.gz" if untar else fname)
    if not os.path.exists(path) or (wanted and not validate_file(path, wanted, hash_algorithm)):
        part = f"{path}.part"
        try:
            with urllib.request.urlopen(origin) as source, open(part, "wb") as file:
                shutil.copyfileobj(source, file)
        except urllib.error.URLError as error:
            raise OSError(
                f"URL fetch failure on {origin}: {error.reason}. A file that is at hand is taken "
                f"from {path}."
            ) from error
        if wanted and not validate_file(part, wanted, hash_algorithm):
            os.remove(part)
            raise ValueError(f"The file of {origin} has another hash than {wanted}.")
        os.replace(part, path)
    if untar or extract:
        _extract(path, folder)
    return os.path.join(folder, fname) if untar else path


def hash_file(fpath: str, algorithm: str = "sha256", chunk_size: int = 65535) -> str:
    """The hash of a file in hexadecimal digits.

    Args:
      fpath: Its path.
      algorithm: "sha256" or "md5".
      chunk_size: Bytes read at a time.
    """
    digest = hashlib.sha256() if algorithm == "sha256" else hashlib.md5()
    with open(fpath, "rb") as file:
        for block in iter(lambda: file.read(chunk_size), b""):
            digest.update(block)
    return digest.hexdigest()


def validate_file(
    fpath: str, file_hash: str, algorithm: str = "auto", chunk_size: int = 65535
) -> bool:
    """True if a file has this hash, of "sha256", of "md5", or of what its length tells."""
    is_sha = algorithm == "sha256" or (algorithm == "auto" and len(file_hash) == 64)
    return hash_file(fpath, "sha256" if is_sha else "md5", chunk_size) == file_hash


def _extract(path: str, folder: str) -> None:
    if tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            archive.extractall(folder, filter="data")
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            packed.extractall(folder)


def get_source_inputs(tensor: Any, layer: Any = None, node_index: int | None = None) -> list[Any]:
    """The tensors of `Input` that a tensor comes of."""
    found: dict[int, Any] = {}
    waiting, seen = [tensor], set()
    while waiting:
        each = waiting.pop()
        history = history_of(each)
        if history is None or id(each) in seen:
            continue
        seen.add(id(each))
        node = history.layer._inbound_nodes[history.node_index]
        if node.input_tensors is node.output_tensors:
            found[id(each)] = each
        waiting += nest.flatten(node.input_tensors)[::-1]
    return list(found.values())


def convert_all_kernels_in_model(model: Any) -> None:
    """Nothing: kernels are as they are, whatever Theano did."""


def _needs(what: str, package: str) -> NoReturn:
    raise ImportError(
        f"{what} needs {package}, which dataflow does not use: model.summary() "
        "prints the layers, and TensorBoard shows graphs."
    )


def model_to_dot(
    model: Any,
    show_shapes: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
    subgraph: bool = False,
) -> NoReturn:
    """Raises ImportError: drawing needs pydot and graphviz."""
    _needs("model_to_dot", "pydot and graphviz")


def plot_model(
    model: Any,
    to_file: str = "model.png",
    show_shapes: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
) -> NoReturn:
    """Raises ImportError: drawing needs pydot and graphviz."""
    _needs("plot_model", "pydot and graphviz")


def multi_gpu_model(
    model: Any, gpus: Any, cpu_merge: bool = True, cpu_relocation: bool = False
) -> Any:
    """The model: `tf.device` says where layers run.

    Raises:
      ValueError: There are fewer than two GPUs in the list.
    """
    if isinstance(gpus, int) and gpus <= 1:
        raise ValueError(
            "For multi-gpu usage to be effective, call `multi_gpu_model` with `gpus >= 2`. "
            f"Received: `gpus={gpus}`"
        )
    return model


def has_arg(fn: Any, name: str, accept_all: bool = False) -> bool:
    """Whether a function takes an argument of a name."""
    import inspect

    found = inspect.signature(fn).parameters
    if accept_all and any(each.kind is each.VAR_KEYWORD for each in found.values()):
        return True
    return name in found


def to_list(x: Any) -> list[Any]:
    """A list as it is, anything else in one."""
    return x if isinstance(x, list) else [x]
