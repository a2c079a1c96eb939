"""A program of 2016: names of Python, numpy and scipy that are gone since."""

import base64
import collections
import fractions
import inspect
import math
import os
import sys
import threading
import time
import unittest

import h5py
import numpy as np
import pandas
import scipy.misc
import tensorflow as tf
import yaml
from PIL import Image, ImageDraw, ImageFont
from scipy import misc
from scipy.misc import imread, imresize, imsave
from sklearn.cross_validation import train_test_split
from sklearn.externals import joblib

assert issubclass(dict, collections.Mapping) and issubclass(list, collections.Iterable)
assert inspect.getargspec(lambda a, *b, c=1, **d: a)[:3] == (["a"], "b", "d")
assert time.clock() >= 0 and fractions.gcd(12, 18) == 6 and os.errno.EEXIST == 17
assert base64.decodestring(base64.encodestring(b"ab")) == b"ab"
assert not threading.Thread().isAlive()
unittest.TestCase().assertItemsEqual([1, 2], [2, 1])
unittest.TestCase().assertEquals(1, 1)

x = np.arange(6, dtype=np.float_).reshape(2, 3)
assert x.tostring() == x.tobytes() and x.ptp() == 5 and np.asscalar(x[1, 1:2]) == 4
assert (x.newbyteorder().byteswap() == x).all()
x.itemset((0, 1), 7)
x.itemset(5, np.NINF)
assert x.tolist() == [[0, 7, 2], [3, 4, -np.Inf]]
assert np.fromstring(b"\x01\x02", dtype=np.uint8).tolist() == [1, 2]
assert np.array([1, 2], copy=False).tolist() == [1, 2] and np.array(x, copy=False) is x
assert np.array(x) is not x
assert np.fromstring("1 2", sep=" ").tolist() == [1, 2]
assert np.zeros(1, np.int).dtype == np.int64 and np.zeros(1, np.float).dtype == np.float64
assert np.product([2, 3]) == 6 and np.in1d([1, 2], [2]).tolist() == [False, True]
assert np.find_common_type([np.float32], [np.int64]) == np.float64
assert np.asfarray([1]).dtype == np.float64 and np.float16 in np.sctypes["float"]
rows = np.array([(np.arange(3), np.zeros(2)), (np.arange(3), np.ones(2))])
assert rows.shape == (2, 2) and rows[1, 0].tolist() == [0, 1, 2]
assert np.asarray([[1], [2, 3]]).tolist() == [[1], [2, 3]]
assert np.isnan(np.NAN) and np.lib.pad([1], 1, "constant").tolist() == [0, 1, 0]
assert np.cast[np.float32]([1]).dtype == np.float32 and np.math.pi == math.pi
np.warnings.filterwarnings("ignore", category=np.VisibleDeprecationWarning)
for ragged in (lambda: np.array([[1], [2, 3]], np.float32), lambda: tf.constant([[1], [2, 3]])):
    try:
        ragged()
    except (TypeError, ValueError):
        continue
    raise AssertionError("of unequal lengths")
assert yaml.load("a: [1]") == {"a": [1]}
table = pandas.DataFrame({"a": [1, 2], "b": [3, 4]})
assert table.as_matrix(["b"]).tolist() == [[3], [4]] and table["a"].as_matrix().tolist() == [1, 2]
assert callable(train_test_split) and callable(joblib.dump)
one = np.array([[2.5]])
assert (int(one), float(one), complex(one), np.math.sqrt(one * 4)) == (2, 2.5, 2.5, 10**0.5)
assert (int(np.mat([[3]])), float(np.array(4, np.float32)), float(np.ma.array([5]))) == (3, 4, 5)
x[0, 0] = np.array([8.0])
assert x[0, 0] == 8
for refused in (np.ones(2), np.array(["a"])):
    try:
        float(refused)
    except (TypeError, ValueError):
        continue
    raise AssertionError(refused)

folder = sys.argv[1]
assert Image.new("L", (4, 4)).resize((2, 2), Image.ANTIALIAS).size == (2, 2)
width, height = ImageFont.load_default().getsize("text")
drawn = ImageDraw.Draw(Image.new("L", (40, 40))).textsize("text")
assert width > height > 0 and drawn == (width, height)
with h5py.File(os.path.join(folder, "attributes.h5"), "w") as file:
    file.attrs["one"], file.attrs["two"] = b"text", [b"a", b"bc"]
    assert file.attrs["one"].decode("utf8") == file.attrs["one"] == "text"
    assert [each.decode() for each in file.attrs["two"]] == ["a", "bc"]
with tf.Session() as session:
    image = session.run(tf.reshape(tf.range(48, dtype=tf.float32), [4, 4, 3])) * np.float(2)
imsave(os.path.join(folder, "image.png"), image)
read = imread(os.path.join(folder, "image.png"))
np.savez(
    os.path.join(folder, "found.npz"),
    read=read,
    grey=misc.imread(os.path.join(folder, "image.png"), flatten=True),
    half=imresize(read, 0.5),
    percent=scipy.misc.imresize(read, 150, interp="nearest"),
    sized=imresize(read[..., 0], (3, 5), "bicubic"),
    turned=misc.imrotate(read, 90),
    planes=misc.fromimage(misc.toimage(image.transpose(2, 0, 1), cmin=0, cmax=255)),
    floats=misc.fromimage(misc.toimage(image[..., 0], mode="F")),
)
