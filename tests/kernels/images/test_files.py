"""Files of images of every kind: the pixels of TensorFlow, and errors where it has errors."""

from __future__ import annotations

import itertools
import struct
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.images.png_writing import SIGNATURE, chunk
from tests.ops.cases.image.image_files import BMPS, GIFS, JPEGS, PNGS
from tests.oracle import open_session, oracle

oracle.disable_v2_behavior()

Options = Mapping[str, Any]
_RANDOM = np.random.default_rng(5)
_ANY = [
    {"channels": channels, "dtype": dtype, "expand_animations": animated}
    for channels in (0, 1, 3, 4)
    for dtype in ("uint8", "uint16", "float32")
    for animated in (True, False)
]


def _decoded(library: Any, op: str, options: Iterable[Options], files: Iterable[bytes]) -> Any:
    """What becomes of each file with all options: an array, or the class of an error."""
    found = []
    with library.Graph().as_default(), open_session(library) as session:
        contents = library.placeholder(library.string)
        made = [getattr(library.raw_ops, op)(contents=contents, **each) for each in options]
        for data, tensor in itertools.product(files, made):
            try:
                found.append(session.run(tensor, {contents: data}))
            except library.errors.OpError as error:
                found.append(type(error).__name__)
    return found


def _assert_alike(op: str, options: list[dict[str, Any]], files: Mapping[str, bytes]) -> None:
    ours, theirs = (_decoded(each, op, options, files.values()) for each in (tf, oracle))
    asked = itertools.product(files, options)
    for (name, each), have, want in zip(asked, ours, theirs, strict=True):
        if isinstance(want, str) or isinstance(have, str):
            assert isinstance(have, str) and have == want, (op, name, each)
        else:
            assert have.dtype == want.dtype, (op, name, each)
            np.testing.assert_array_equal(have, want, err_msg=f"{op} {name} {each}")


@pytest.mark.parametrize("name", JPEGS)
def test_jpeg(name: str) -> None:
    options = [
        {"channels": channels, "ratio": ratio, "fancy_upscaling": smooth, "dct_method": method}
        for channels in (0, 1, 3)
        for ratio in (1, 2, 4, 8)
        for smooth in (True, False)
        for method in ("", "INTEGER_ACCURATE")
    ]
    _assert_alike("DecodeJpeg", options, {name: JPEGS[name]})


def test_png() -> None:
    options = [
        {"channels": c, "dtype": dtype} for c in (0, 1, 3, 4) for dtype in ("uint8", "uint16")
    ]
    _assert_alike("DecodePng", options, PNGS)


def _wide_png(channels: int, is_interlaced: bool) -> bytes:
    """16-bit numbers, each row by another filter; bytes are random, so all are right."""
    colors = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    header = struct.pack(">IIBBBBB", 9, 11, 16, colors, 0, 0, int(is_interlaced))
    passes = (
        (
            (0, 8, 0, 8),
            (0, 8, 4, 8),
            (4, 8, 0, 4),
            (0, 4, 2, 4),
            (2, 4, 0, 2),
            (0, 2, 1, 2),
            (1, 2, 0, 1),
        )
        if is_interlaced
        else ((0, 1, 0, 1),)
    )
    rows = []
    for top, down, left, across in passes:
        width = len(range(left, 9, across))
        for number in range(len(range(top, 11, down)) if width else 0):
            numbers = _RANDOM.integers(0, 256, width * channels * 2).astype(np.uint8)
            rows.append(bytes([number % 5]) + numbers.tobytes())
    packed = zlib.compress(b"".join(rows))
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def test_wide_png() -> None:
    files = {
        f"{channels} {is_interlaced}": _wide_png(channels, is_interlaced)
        for channels in (1, 2, 3, 4)
        for is_interlaced in (True, False)
    }
    options = [
        {"channels": c, "dtype": dtype} for c in (0, 1, 3, 4) for dtype in ("uint8", "uint16")
    ]
    _assert_alike("DecodePng", options, files)


def test_bmp() -> None:
    _assert_alike("DecodeBmp", [{"channels": channels} for channels in (0, 1, 3, 4)], BMPS)


def test_gif() -> None:
    _assert_alike("DecodeGif", [{}], GIFS)


def test_any_kind() -> None:
    files = {
        "jpeg": JPEGS["subsampled 1"],
        "gray jpeg": JPEGS["gray"],
        "png": PNGS["rgba"],
        "wide png": PNGS["wide gray"],
        "gif": GIFS["frames"],
        "bmp": BMPS["rgba"],
    }
    _assert_alike("DecodeImage", _ANY, files)
    for op in ("DecodeJpeg", "DecodePng", "DecodeGif", "DecodeBmp"):
        _assert_alike(op, [{}], files)


def _damaged() -> list[bytes]:
    """Files that were cut off, with bits and bytes changed."""
    files = [*JPEGS.values(), *PNGS.values(), *GIFS.values(), *BMPS.values()]
    files += [_wide_png(3, False), _wide_png(4, True)]
    found = []
    for number in range(240):
        data = bytearray(files[number % len(files)])
        how = number % 3
        if how == 0:
            data = data[: _RANDOM.integers(len(data))]
        for _ in range(3 if how == 1 else 0):
            data[_RANDOM.integers(len(data))] ^= 1 << _RANDOM.integers(8)
        for _ in range(2 if how == 2 else 0):
            data[_RANDOM.integers(min(60, len(data)))] = _RANDOM.integers(256)
        found.append(bytes(data))
    return found


def test_damaged_files_are_refused_or_read() -> None:
    found = _decoded(tf, "DecodeImage", [{}], _damaged())
    assert {each for each in found if isinstance(each, str)} == {"InvalidArgumentError"}
    assert any(not isinstance(each, str) for each in found)


def test_cut_files_are_refused() -> None:
    files = [JPEGS["subsampled 2"], PNGS["rgb"], GIFS["plain"], BMPS["rgb"], _wide_png(3, False)]
    cut = {
        f"{n} {part}": data[: int(len(data) * part)]
        for n, data in enumerate(files)
        for part in (0.2, 0.6, 0.97)
    }
    _assert_alike("DecodeImage", [{}], cut)


def test_a_cut_jpeg_is_recovered() -> None:
    data = JPEGS["subsampled 2"]
    options = [{"try_recover_truncated": True, "dct_method": "INTEGER_ACCURATE"}]
    _assert_alike("DecodeJpeg", options, {"cut": data[: len(data) * 4 // 5]})


def test_large_images_in_small_files_are_refused_without_memory() -> None:
    """Of the sizes that these say, hundreds of megabytes would be needed."""
    large = 1 << 14
    empty = zlib.compress(bytes(1 << 16))
    ihdr = [struct.pack(">IIBBBBB", large, large, depth, 2, 0, 0, 0) for depth in (8, 16)]
    pngs = [SIGNATURE + chunk(b"IHDR", each) + chunk(b"IDAT", empty) for each in ihdr]
    gif = bytearray(GIFS["plain"])
    place = gif.index(b"\x2c", 6 + 7 + 3 * 16)
    gif[place + 5 : place + 9] = b"\xff\x7f\xff\x7f"
    bmp = bytearray(BMPS["rgb"])
    bmp[18:26] = struct.pack("<ii", large, large)
    jpeg = bytearray(JPEGS["gray"])
    frame = jpeg.index(b"\xff\xc0")
    jpeg[frame + 5 : frame + 9] = b"\xff\xff\xff\xff"
    files = [*pngs, bytes(gif), bytes(bmp), bytes(jpeg)]
    found = _decoded(tf, "DecodeImage", [{}], files)
    assert found == ["InvalidArgumentError"] * len(files)


def test_in_a_session_of_another_process(session_factory: Any) -> None:
    """Files and images travel, wherever the device is."""
    with tf.Graph().as_default() as graph:
        contents = tf.placeholder(tf.string)
        image = tf.image.decode_jpeg(contents, channels=3)
        small = tf.image.resize_images(image, [8, 8])
        again = tf.image.encode_png(tf.cast(small, tf.uint8))
        session = session_factory(graph)
        found, file = session.run([small, again], {contents: JPEGS["rgb"]})
    with oracle.Graph().as_default(), open_session(oracle) as session:
        image = oracle.image.decode_jpeg(JPEGS["rgb"], channels=3)
        expected = session.run(oracle.image.resize_images(image, [8, 8]))
        read = session.run(oracle.image.decode_png(file))
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_array_equal(read, expected.astype(np.uint8))


def _packed(file: bytes) -> tuple[bytes, list[int], bytes]:
    """What a PNG file's compressed data begin with, the sizes of its chunks, the filtered rows."""
    parts, place = [], len(SIGNATURE)
    while place < len(file):
        (size,) = struct.unpack(">I", file[place : place + 4])
        if file[place + 4 : place + 8] == b"IDAT":
            parts.append(file[place + 8 : place + 8 + size])
        place += 12 + size
    data = b"".join(parts)
    return data[:2], [len(part) for part in parts[:-1]], zlib.decompress(data)


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_png_files_are_laid_out_as_those_of_libpng(dtype: str) -> None:
    random = np.random.default_rng(7)
    sizes = ((1, 1, 1), (3, 3, 3), (1, 7, 4), (7, 1, 2), (64, 85, 3), (64, 86, 3), (30, 29, 1))
    images = [random.integers(0, 200, size).astype(dtype) for size in sizes]
    images += [np.sort(image, axis=1) for image in images]

    def files(library: Any) -> Any:
        with library.Graph().as_default(), open_session(library) as session:
            return session.run([library.image.encode_png(image) for image in images])

    assert [_packed(file) for file in files(tf)] == [_packed(file) for file in files(oracle)]
