"""Record files against TensorFlow's: each reads what the other wrote, and damage is found."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.records.framing import FrameReader
from dataflow.records.reading import open_bytes

RECORDS = [b"", b"a", bytes(range(256)) * 40, b"\0" * 300_000, b"last"]
KINDS = ("", "ZLIB", "GZIP")


def _write(library: Any, path: Path, kind: Any) -> None:
    with library.python_io.TFRecordWriter(str(path), kind) as writer:
        for record in RECORDS:
            writer.write(record)


def _options(library: Any, kind: str) -> Any:
    return library.io.TFRecordOptions(
        kind, compression_level=9, mem_level=2, compression_strategy=zlib.Z_FILTERED
    )


@pytest.mark.parametrize("kind", KINDS)
def test_each_reads_what_the_other_wrote(tmp_path: Path, kind: str) -> None:
    for options in (lambda _: kind, lambda library: _options(library, kind)):
        paths = [tmp_path / library.__name__ for library in (tf, oracle)]
        for library, path in zip((tf, oracle), paths, strict=True):
            _write(library, path, options(library))
        if not kind:
            assert paths[0].read_bytes() == paths[1].read_bytes()
        for path in paths:
            for library in (tf, oracle):
                assert list(library.io.tf_record_iterator(str(path), options(library))) == RECORDS


def _found(library: Any, path: Path, kind: str) -> Any:
    """The records before the end or the damage, and the error's class and text."""
    records, records_of = [], library.io.tf_record_iterator(str(path), kind)
    try:
        for record in records_of:
            records.append(record)
    except library.errors.OpError as error:
        return records, type(error).__name__, error.message
    return records, "", ""


@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_found_where_tensorflow_finds_it(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "records"
    _write(oracle, path, kind)
    whole = path.read_bytes()
    places = {0, 1, 8, 11, 12, 16, 20, 28, 33, len(whole) // 2, len(whole) - 9, len(whole) - 5}
    broken = [whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :] for at in sorted(places)]
    broken += [whole[:at] for at in (0, 5, 12, 13, 40, len(whole) - 3)]
    broken += [b"This is a text, and no record file at all.", whole + whole]
    for data in broken:
        path.write_bytes(data)
        ours, theirs = _found(tf, path, kind), _found(oracle, path, kind)
        assert ours[0] == theirs[0]
        assert ours[1] == theirs[1]
        if theirs[1]:
            assert ours[2] == f"{path}; {theirs[2]}"


def test_an_absurd_length_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "records"
    _write(oracle, path, "")
    # A length of eight bytes of 255, with the checksum that belongs to it.
    path.write_bytes(b"\xff" * 8 + bytes.fromhex("00000000"))
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at 0"):
        next(tf.io.tf_record_iterator(str(path)))
    from dataflow.values.crc32c import crc32c, masked

    length = b"\xff" * 8
    path.write_bytes(length + masked(crc32c(length)).to_bytes(4, "little") + b"abc")
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 0"):
        next(tf.io.tf_record_iterator(str(path)))


def test_reading_goes_on_when_the_file_grows(tmp_path: Path) -> None:
    whole, path = tmp_path / "whole", tmp_path / "records"
    _write(tf, whole, "")
    data = whole.read_bytes()
    path.write_bytes(data[:21])
    records = tf.io.tf_record_iterator(str(path))
    assert list(records) == [b""]
    with path.open("ab") as file:
        file.write(data[21:50])
        file.flush()
        assert next(records) == b"a"
        with pytest.raises(tf.errors.DataLossError, match=f"{path}; truncated record at 33'"):
            next(records)
        file.write(data[50:])
    assert list(records) == RECORDS[2:]


def test_gzip_files_one_after_the_other_are_one(tmp_path: Path) -> None:
    first, second, both = (tmp_path / name for name in ("first", "second", "both"))
    for path in (first, second):
        _write(tf, path, "GZIP")
    both.write_bytes(first.read_bytes() + second.read_bytes())
    assert list(tf.io.tf_record_iterator(str(both), "GZIP")) == RECORDS * 2


def test_what_is_flushed_can_be_read(tmp_path: Path) -> None:
    for kind in KINDS:
        path = tmp_path / f"records{kind}"
        with tf.io.TFRecordWriter(str(path), kind) as writer:
            writer.write("text")
            writer.flush()
            assert list(oracle.io.tf_record_iterator(str(path), kind)) == [b"text"]


def test_a_writer_that_is_dropped_completes_its_file(tmp_path: Path) -> None:
    path = tmp_path / "records"
    writer = tf.io.TFRecordWriter(str(path), tf.io.TFRecordCompressionType.GZIP)
    writer.write(b"kept")
    del writer
    assert list(oracle.io.tf_record_iterator(str(path), "GZIP")) == [b"kept"]


def test_refusals(tmp_path: Path) -> None:
    path = str(tmp_path / "records")

    def closed(library: Any, method: str, options: Any = None) -> None:
        writer = library.io.TFRecordWriter(path, options)
        writer.close()
        getattr(writer, method)(*([b"a"] if method == "write" else []))

    for call in (
        lambda library: library.io.TFRecordWriter(path, "LZ4"),
        lambda library: library.io.TFRecordOptions(7),
        lambda library: library.io.tf_record_iterator(path, "LZ4"),
        lambda library: library.io.TFRecordWriter(str(tmp_path / "no" / "folder")),
        lambda library: library.io.tf_record_iterator(str(tmp_path / "nothing")),
        lambda library: list(library.io.tf_record_iterator(str(tmp_path))),
        lambda library: closed(library, "write"),
        lambda library: closed(library, "write", "ZLIB"),
        lambda library: closed(library, "flush"),
    ):
        errors = []
        for library in (oracle, tf):
            with pytest.raises(Exception) as caught:
                call(library)
            errors.append(caught.value)
        theirs, ours = errors
        assert type(ours).__name__ == type(theirs).__name__
        assert getattr(ours, "message", str(ours)) == getattr(theirs, "message", str(theirs))
    with tf.io.TFRecordWriter(path) as writer, pytest.raises(TypeError, match="not int"):
        writer.write(3)


def test_records_that_were_read_already_are_taken_at_once(tmp_path: Path) -> None:
    path = tmp_path / "records"
    written = [b"%d" % number * (number % 5) for number in range(40)]
    with oracle.python_io.TFRecordWriter(str(path)) as writer:
        for record in written:
            writer.write(record)
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[whole.index(written[29]) + 1] ^= 4
    for data, until in ((whole, 40), (bytes(damaged), 29)):
        path.write_bytes(data)
        reader = FrameReader(open_bytes(path), str(path))
        assert reader.ahead(3) == []
        # The first one has it read on.
        found = [reader.next(), reader.next()]
        for most in (1, 4, 100):
            found += reader.ahead(most)
            assert reader.offset == sum(16 + len(record or b"") for record in found)
        assert found == written[: min(39, until)]
        if until < 40:
            with pytest.raises(tf.errors.DataLossError, match=f"at {reader.offset + 12}"):
                reader.next()
        ours, theirs = (_batches(library, path) for library in (tf, oracle))
        assert ours[0] == theirs[0]
        where = "" if until == 40 else f"corrupted record at {reader.offset + 12}"
        assert all(where in text for _, text in (ours, theirs))


def _batches(library: Any, path: Path) -> tuple[list[Any], str]:
    """The batches of records before the end or the damage, and the error's text."""
    found: list[Any] = []
    with library.Graph().as_default(), library.Session() as session:
        dataset = library.data.TFRecordDataset(str(path)).batch(8)
        get_next = library.data.make_one_shot_iterator(dataset).get_next()
        try:
            while True:
                found.append(session.run(get_next).tolist())
        except library.errors.OutOfRangeError:
            return found, ""
        except library.errors.DataLossError as error:
            return found, error.message
