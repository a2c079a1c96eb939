"""reader_dataset_ops_test_base of tf.data's experimental tests: files, and what they hold."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dataflow.library.datasets.experimental.examples import make_batched_features_dataset
from dataflow.library.datasets.readers import TFRecordDataset
from dataflow.library.parsing.configs import FixedLenFeature, VarLenFeature
from dataflow.porting.spellings.data.testing import DatasetTestBase
from dataflow.proto.example_pb2 import Example
from dataflow.records.writing import TFRecordWriter
from dataflow.values import dtypes

_LABEL = b"fake-label"
Place = tuple[int, int]
"""The numbers of a file and of a record in it."""


class _FilesTestBase(DatasetTestBase):
    """A test with two files of seven records."""

    def setUp(self) -> None:
        super().setUp()
        self._num_files = 2
        self._num_records = 7

    def _path(self, name: str) -> str:
        return str(Path(self.get_temp_dir()) / name)

    def _written(self, record: Callable[[int, int], bytes]) -> list[str]:
        """Files of records."""
        names = [self._path(f"tf_record.{number}.txt") for number in range(self._num_files)]
        for number, name in enumerate(names):
            with TFRecordWriter(name) as writer:
                for place in range(self._num_records):
                    writer.write(record(number, place))
        return names

    def _interleave(self, iterators: list[Iterator[Any]], cycle_length: int) -> Iterator[Any]:
        """One element of each of so many iterators in turns; ended ones make way for others."""
        waiting = list(iterators)
        running: list[Iterator[Any] | None] = [*waiting[:cycle_length]]
        del waiting[:cycle_length]
        while any(each is not None for each in running):
            for turn, iterator in enumerate(running):
                if iterator is None:
                    continue
                try:
                    yield next(iterator)
                except StopIteration:
                    running[turn] = waiting.pop(0) if waiting else None

    def _places(self, files: Sequence[int], cycle_length: int) -> Iterator[Place]:
        """The records of files, in the order in which they are read."""
        each = [iter([(file, r) for r in range(self._num_records)]) for file in files]
        return self._interleave(each, max(1, cycle_length))


class FixedLengthRecordDatasetTestBase(_FilesTestBase):
    """A test with files of records of a fixed length, between a header and a footer."""

    def setUp(self) -> None:
        super().setUp()
        self._header_bytes = 5
        self._record_bytes = 3
        self._footer_bytes = 2

    def _record(self, f: int, r: int) -> bytes:
        return str(2 * f + r).encode() * self._record_bytes

    def _createFiles(self) -> list[str]:
        names = []
        for file in range(self._num_files):
            names.append(self._path(f"fixed_length_record.{file}.txt"))
            records = b"".join(self._record(file, place) for place in range(self._num_records))
            Path(names[-1]).write_bytes(
                b"H" * self._header_bytes + records + b"F" * self._footer_bytes
            )
        return names


class MakeBatchedFeaturesDatasetTestBase(_FilesTestBase):
    """A test with files of examples, which are read in batches."""

    outputs: Callable[[], Any]
    """Gives the next batch; set by the test."""

    def setUp(self) -> None:
        super().setUp()
        self.test_filenames = self._createFiles()

    def make_batch_feature(
        self,
        filenames: Any,
        num_epochs: int | None,
        batch_size: int,
        label_key: str | None = None,
        reader_num_threads: int = 1,
        parser_num_threads: int = 1,
        shuffle: bool = False,
        shuffle_seed: int | None = None,
        drop_final_batch: bool = False,
    ) -> Any:
        """A dataset of batches of the examples in files."""
        self.filenames, self.num_epochs, self.batch_size = filenames, num_epochs, batch_size
        return make_batched_features_dataset(
            filenames,
            batch_size,
            {
                "file": FixedLenFeature([], dtypes.int64),
                "record": FixedLenFeature([], dtypes.int64),
                "keywords": VarLenFeature(dtypes.string),
                "label": FixedLenFeature([], dtypes.string),
            },
            reader=TFRecordDataset,
            label_key=label_key,
            num_epochs=num_epochs,
            shuffle=shuffle,
            shuffle_seed=shuffle_seed,
            reader_num_threads=reader_num_threads,
            parser_num_threads=parser_num_threads,
            drop_final_batch=drop_final_batch,
        )

    def _record(self, f: int, r: int, l: Any) -> bytes:  # noqa: E741
        example = Example()
        feature = example.features.feature
        feature["file"].int64_list.value.append(f)
        feature["record"].int64_list.value.append(r)
        feature["keywords"].bytes_list.value.extend(self._get_keywords(f, r))
        feature["label"].bytes_list.value.append(l.encode() if isinstance(l, str) else l)
        return example.SerializeToString()

    def _get_keywords(self, f: int, r: int) -> list[bytes]:
        return [b"keyword0", b"keyword1"][: 1 + (f + r) % 2]

    def _sum_keywords(self, num_files: int) -> int:
        places = ((f, r) for f in range(num_files) for r in range(self._num_records))
        return sum(len(self._get_keywords(*place)) for place in places)

    def _createFiles(self) -> list[str]:
        return self._written(lambda file, place: self._record(file, place, _LABEL))

    def _run_actual_batch(self, outputs: Any, label_key_provided: bool = False) -> list[Any]:
        found = self.evaluate(outputs())
        features, label = found if label_key_provided else (found, found["label"])
        words = features["keywords"]
        shown = words.indices, words.values, words.dense_shape
        return [features["file"], *shown, features["record"], label]

    def _next_actual_batch(self, label_key_provided: bool = False) -> list[Any]:
        return self._run_actual_batch(self.outputs, label_key_provided)

    def _next_expected_batch(
        self, file_indices: Sequence[int], batch_size: int, num_epochs: int, cycle_length: int = 1
    ) -> Iterator[list[Any]]:
        places = [
            place for _ in range(num_epochs) for place in self._places(file_indices, cycle_length)
        ]
        for start in range(0, len(places), batch_size):
            batch = places[start : start + batch_size]
            words = [self._get_keywords(*place) for place in batch]
            yield [
                [file for file, _ in batch],
                [[row, column] for row, held in enumerate(words) for column in range(len(held))],
                [word for held in words for word in held],
                [len(batch), max(map(len, words))],
                [record for _, record in batch],
                [_LABEL] * len(batch),
            ]

    def verify_records(
        self,
        batch_size: int,
        file_index: int | None = None,
        num_epochs: int = 1,
        label_key_provided: bool = False,
        interleave_cycle_length: int = 1,
    ) -> None:
        """The batches that come next are those of these files, or of all."""
        files = range(self._num_files) if file_index is None else [file_index]
        for wanted in self._next_expected_batch(
            files, batch_size, num_epochs, interleave_cycle_length
        ):
            for part, found in zip(
                wanted, self._next_actual_batch(label_key_provided), strict=True
            ):
                self.assertAllEqual(part, found)

    _verify_records = verify_records


class TextLineDatasetTestBase(_FilesTestBase):
    """A test with text files."""

    def _lineText(self, f: int, l: int) -> bytes:  # noqa: E741
        return b"%d: %d" % (f, l)

    def _createFiles(
        self, num_files: int, num_lines: int, crlf: bool = False, compression_type: Any = None
    ) -> list[str]:
        """Files of lines; the last line of all but the first one does not end."""
        names = []
        end = b"\r\n" if crlf else b"\n"
        for file in range(num_files):
            text = end.join(self._lineText(file, line) for line in range(num_lines))
            if not file and num_lines:
                text += end
            if compression_type == "GZIP":
                text = gzip.compress(text)
            elif compression_type == "ZLIB":
                text = zlib.compress(text)
            elif compression_type:
                raise ValueError("Unsupported compression_type", compression_type)
            names.append(self._path(f"text_line.{file}.txt"))
            Path(names[-1]).write_bytes(text)
        return names


class TFRecordDatasetTestBase(_FilesTestBase):
    """A test with files of records."""

    def setUp(self) -> None:
        super().setUp()
        self.test_filenames = self._filenames = self._createFiles()

    def _record(self, f: int, r: int) -> bytes:
        return b"Record %d of file %d" % (r, f)

    def _createFiles(self) -> list[str]:
        return self._written(self._record)

    def _next_expected_batch(
        self,
        file_indices: Sequence[int],
        batch_size: int,
        num_epochs: int,
        cycle_length: int,
        drop_final_batch: bool,
        use_parser_fn: bool,
    ) -> Iterator[list[bytes]]:
        records = [
            self._record(*place)[1 if use_parser_fn else 0 :]
            for _ in range(num_epochs)
            for place in self._places(file_indices, cycle_length)
        ]
        for start in range(0, len(records), batch_size):
            batch = records[start : start + batch_size]
            if len(batch) == batch_size or not drop_final_batch:
                yield batch

    def _verify_records(
        self,
        outputs: Callable[[], Any],
        batch_size: int,
        file_index: int | list[int] | None,
        num_epochs: int,
        interleave_cycle_length: int,
        drop_final_batch: bool,
        use_parser_fn: bool,
    ) -> None:
        files: Sequence[int] = range(self._num_files)
        if file_index is not None:
            files = file_index if isinstance(file_index, list) else [file_index]
        for batch in self._next_expected_batch(
            files, batch_size, num_epochs, interleave_cycle_length, drop_final_batch, use_parser_fn
        ):
            self.assertAllEqual(batch, self.evaluate(outputs()))

    def _writeFile(self, name: str, data: Sequence[Any]) -> str:
        with TFRecordWriter(self._path(name)) as writer:
            for each in data:
                writer.write(str(each).encode())
        return self._path(name)


TFRecordTestBase = TFRecordDatasetTestBase
FeaturesTestBase = MakeBatchedFeaturesDatasetTestBase
