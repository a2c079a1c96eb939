"""Names that Python, numpy and scipy have dropped are there for a program that runs, not else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dataflow.porting.former import scipy_images
from tests.house.tree import ROOT
from tests.porting.test_run import PROGRAMS, run


def test_a_program_of_2016(tmp_path: Path) -> None:
    done = run("run", str(PROGRAMS / "former_names.py"), str(tmp_path))
    assert done.returncode == 0, done.stderr
    found = np.load(tmp_path / "found.npz")
    # Scaled so that 0 to 94 become 0 to 255.
    image = (np.arange(48).reshape(4, 4, 3) * 255 / 47 + 0.5).astype(np.uint8)
    drawn = Image.fromarray(image)
    np.testing.assert_array_equal(found["read"], image)
    # ITU-R 601: the weights of grey.
    np.testing.assert_allclose(found["grey"], image @ [0.299, 0.587, 0.114], rtol=1e-3)
    np.testing.assert_array_equal(found["half"], drawn.resize((2, 2), Image.Resampling.BILINEAR))
    rows = [0, 1, 1, 2, 2, 3]  # Of the middles of six pixels in four.
    np.testing.assert_array_equal(found["percent"], image[rows][:, rows])
    plane = Image.fromarray(image[..., 0])
    np.testing.assert_array_equal(found["sized"], plane.resize((5, 3), Image.Resampling.BICUBIC))
    np.testing.assert_array_equal(found["turned"], np.rot90(image))
    np.testing.assert_array_equal(found["planes"], np.arange(48).reshape(4, 4, 3) * 2)
    np.testing.assert_array_equal(found["floats"], np.arange(0, 96, 6).reshape(4, 4))


def test_nothing_comes_back_without_being_asked_for() -> None:
    program = (
        "import sys, numpy as np, collections\n"
        "import dataflow as tf\n"
        "tf.as_tensorflow(former_names=False)\n"
        "import tensorflow\n"
        "assert not hasattr(np, 'float_') and not hasattr(np.ones(1), 'tostring')\n"
        "assert not hasattr(collections, 'Mapping')\n"
        "try: float(np.ones(1))\n"
        "except TypeError: pass\n"
        "else: raise AssertionError\n"
        "assert not any('former' in type(each).__module__ for each in sys.meta_path)\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=120)


def test_what_is_not_an_image() -> None:
    for shape in [(3,), (2, 5, 7), (3, 3, 3, 3)]:
        with pytest.raises(ValueError, match="suitable array shape"):
            scipy_images.toimage(np.zeros(shape))
    with pytest.raises(ValueError, match="suitable array shape"):
        scipy_images.toimage(np.zeros((3, 5, 5)), channel_axis=2)
    with pytest.raises(ValueError, match="complex"):
        scipy_images.toimage(np.zeros((2, 2), complex))
    with pytest.raises(ValueError, match="of 3 channels"):
        scipy_images.toimage(np.zeros((2, 2, 3)), mode="RGBA")
    with pytest.raises(ValueError, match="mode L"):
        scipy_images.toimage(np.zeros((2, 2)), mode="RGB")
    with pytest.raises(TypeError, match="not a PIL image"):
        scipy_images.fromimage(np.zeros((2, 2)))
    with pytest.raises(AttributeError, match=r"scipy\.misc\.face is not here"):
        _ = scipy_images.face  # type: ignore[attr-defined, unused-ignore]


def test_bytes_are_scaled() -> None:
    scaled = scipy_images.bytescale
    assert scaled([[0.0, 1.0], [2.0, 4.0]]).tolist() == [[0, 64], [128, 255]]
    assert scaled([0, 5, 10], cmin=0, cmax=5, high=100, low=20).tolist() == [20, 100, 100]
    assert scaled([3.0, 3.0]).tolist() == [0, 0]
    assert scaled(np.array([7], np.uint8)).tolist() == [7]
    for wrong in ({"high": 256}, {"low": -1}, {"low": 9, "high": 8}):
        with pytest.raises(ValueError, match="low <= high"):
            scaled([1.0], **wrong)
    with pytest.raises(ValueError, match="larger than"):
        scaled([1.0], cmin=2, cmax=1)


def test_modes_of_planes() -> None:
    plane = np.array([[0.0, 300.0], [20.0, 10.0]])
    assert np.asarray(scipy_images.toimage(plane, mode="I")).tolist() == [[0, 255], [17, 8]]
    assert np.asarray(scipy_images.toimage(plane, mode="1")).tolist() == [
        [False, True],
        [False] * 2,
    ]
    coloured = scipy_images.toimage(plane, mode="P", pal=[[i, 0, 255 - i] for i in range(256)])
    assert scipy_images.fromimage(coloured)[0].tolist() == [[0, 0, 255], [255, 0, 0]]
    grey = scipy_images.toimage(plane, mode="P")
    assert scipy_images.fromimage(grey)[0].tolist() == [[0, 0, 0], [255, 255, 255]]
