"""A program of 2016: names of Python, numpy and scipy gone since, and protoc's modules."""

import ast
import base64
import collections
import fractions
import importlib
import inspect
import math
import os
import sys
import threading
import time
import unittest

import gast
import h5py
import numpy as np
import pandas
import scipy.misc
import tensorflow as tf
import yaml
from google.protobuf import descriptor_pb2
from PIL import Image, ImageDraw, ImageFont
from scipy import misc
from scipy.misc import imread, imresize, imsave
from scipy.sparse.linalg import dsolve, eigsh, spsolve
from scipy.sparse.linalg.dsolve import linsolve
from scipy.sparse.linalg.eigen import arpack
from scipy.sparse.linalg.eigen.arpack import eigsh as eigsh_of_arpack
from scipy.sparse.linalg.isolve.iterative import cg
from sklearn.cross_validation import train_test_split
from sklearn.externals import joblib

assert issubclass(dict, collections.Mapping) and issubclass(list, collections.Iterable)
assert inspect.getargspec(lambda a, *b, c=1, **d: a)[:3] == (["a"], "b", "d")
assert time.clock() >= 0 and fractions.gcd(12, 18) == 6 and os.errno.EEXIST == 17
assert base64.decodestring(base64.encodestring(b"ab")) == b"ab"
assert not threading.Thread().isAlive()
unittest.TestCase().assertItemsEqual([1, 2], [2, 1])
unittest.TestCase().assertEquals(1, 1)

assert eigsh_of_arpack is arpack.eigsh is eigsh and linsolve is dsolve.linsolve
assert linsolve.spsolve is spsolve and cg is scipy.sparse.linalg.cg

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
assert range(np.bool_(True)) == range(1) and [3, 4][np.arange(2)[1] > 0] == 4
assert tf.train.Int64List(value=np.arange(3) > 1).value == [0, 0, 1]
assert np.arange(3)[np.bool_(True)].shape == (1, 3)
assert np.issubdtype(np.float32, float) and np.issubdtype(np.dtype("int8"), np.int)
assert np.issubdtype(np.complex64, "complex") and np.issubdtype("U3", np.str)
assert not np.issubdtype(np.uint8, int) and not np.issubdtype(np.float32, np.float64)
assert not np.issubdtype(np.float32, object) and not np.issubdtype(float, [("a", int)])
assert np.percentile([1, 2, 4], 50, interpolation="lower") == 2 == np.quantile([1, 2, 4], 0.5)
assert np.percentile([1.0, 2.0], 50, None, None, False, "higher") == 2
assert np.nanquantile([1, np.nan, 4], 0.5, interpolation="higher") == 4
counts, edges = np.histogram([1, 1, 2], [0, 1, 3], normed=True)
assert counts.tolist() == [0, 0.5] and np.histogram([1], [0, 2], None, True)[0] == 0.5
assert np.histogram([1, 5], 2)[0].tolist() == [1, 1] and edges.tolist() == [0, 1, 3]
assert np.sum(x * x for x in range(4)) == 14 == np.sum([[1, 2], [5, 6]], 1).sum()
assert np.reshape(range(4), newshape=(2, 2)).tolist() == [[0, 1], [2, 3]]
assert np.reshape([1, 2], (2, 1), "C").tolist() == [[1], [2]]
for joined in (np.vstack, np.stack):
    assert joined(np.arange(each, each + 2) for each in range(2)).tolist() == [[0, 1], [1, 2]]
assert np.hstack(map(np.atleast_1d, [1, 2])).tolist() == [1, 2] == np.hstack([[1], [2]]).tolist()
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
assert not np.zeros([0, 2]) and np.ones(1) and not np.zeros([1, 1])
try:
    assert not np.ones(2)
except ValueError:
    pass
else:
    raise AssertionError
x[0, 0] = np.array([8.0])
assert x[0, 0] == 8
for refused in (np.ones(2), np.array(["a"])):
    try:
        float(refused)
    except (TypeError, ValueError):
        continue
    raise AssertionError(refused)

for trees in (ast, gast):
    for node, kind in (
        (3, "Num"),
        (True, "NameConstant"),
        ("a", "Str"),
        (b"a", "Bytes"),
        (..., "Ellipsis"),
    ):
        constant = trees.parse(repr(node) if node is not ... else "...").body[0].value
        assert [
            each
            for each in ("Num", "NameConstant", "Str", "Bytes", "Ellipsis")
            if isinstance(constant, getattr(trees, each))
        ] == [kind]
        assert not isinstance(trees.Name("a", None), getattr(trees, kind))
assert isinstance(gast.Str("a"), gast.Constant) and gast.Num(2).value == 2

folder = sys.argv[1]
assert Image.new("L", (4, 4)).resize((2, 2), Image.ANTIALIAS).size == (2, 2)
width, height = ImageFont.load_default().getsize("text")
drawn = ImageDraw.Draw(Image.new("L", (40, 40))).textsize("text")
assert width > height > 0 and drawn == (width, height)
with h5py.File(os.path.join(folder, "attributes.h5"), "w") as file:
    file.attrs["one"], file.attrs["two"] = b"text", [b"a", b"bc"]
    assert file.attrs["one"].decode("utf8") == file.attrs["one"] == "text"
    two = file.attrs["two"]
    assert two.dtype.type == np.string_ and two.tolist() == [b"a", b"bc"]
    file.attrs["three"], file.attrs["four"] = [1, 2], np.array(["a", "b"], object)
    assert file.attrs["three"].tolist() == [1, 2]
    assert [each.decode() for each in file.attrs["four"]] == ["a", "b"]
kept = os.path.join(folder, "kept.h5")
with h5py.File(kept) as file:
    file["weights"] = [1.0, 2.0]
with h5py.File(kept) as file:
    assert file["weights"].value.tolist() == [1.0, 2.0] and file.mode == "r+"
    assert file.fid.get_file_image().startswith(b"\x89HDF")
with h5py.File(kept, "r") as file, h5py.File(kept) as again:
    assert file.mode == again.mode == "r"
try:
    h5py.File(os.path.join(folder, "none.h5"), "r")
except OSError:
    pass
else:
    raise AssertionError("A mode that is given is kept.")
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

# What protoc 3.6 wrote, shortened: a call for each descriptor, the file in bytes or in a text.
MODULE = """
import sys
_b=sys.version_info[0]<3 and (lambda x:x) or (lambda x:x.encode('latin1'))
from google.protobuf import descriptor as _descriptor
from google.protobuf import reflection as _reflection
{imports}
DESCRIPTOR = _descriptor.FileDescriptor(name={name!r}, package='pictures', serialized_pb={data})
_KIND = _descriptor.EnumDescriptor(name='Kind', full_name='pictures.Kind', filename=None,
    file=DESCRIPTOR, values=[_descriptor.EnumValueDescriptor(name='GREY', index=0, number=0)])
_sym_db.RegisterFileDescriptor(DESCRIPTOR)
"""
kinds = descriptor_pb2.FileDescriptorProto(name="kinds.proto", package="pictures", syntax="proto3")
kind = kinds.enum_type.add(name="Kind")
kind.value.add(name="GREY", number=0)
kind.value.add(name="COLOUR", number=200)
pictures = descriptor_pb2.FileDescriptorProto(
    name="pictures.proto", package="pictures", syntax="proto3", dependency=["kinds.proto"]
)
picture = pictures.message_type.add(name="Picture")
picture.field.add(name="kind", number=1, type=14, type_name=".pictures.Kind", label=1)
size = picture.nested_type.add(name="Size")
size.field.add(name="height", number=1, type=5, label=1)
picture.field.add(name="size", number=2, type=11, type_name=".pictures.Picture.Size", label=1)
for file, imports, data in (
    (kinds, "", "_b({!r})".format(kinds.SerializeToString().decode("latin-1"))),
    (pictures, "import kinds_pb2 as kinds__pb2", repr(pictures.SerializeToString())),
):
    with open(os.path.join(folder, file.name.replace(".proto", "_pb2.py")), "w") as out:
        out.write(MODULE.format(imports=imports, name=file.name, data=data))
sys.path.append(folder)

kinds_pb2 = importlib.import_module("kinds_pb2")
pictures_pb2 = importlib.import_module("pictures_pb2")
made = pictures_pb2.Picture(kind=kinds_pb2.COLOUR, size=pictures_pb2.Picture.Size(height=3))
again = pictures_pb2.Picture.FromString(made.SerializeToString())
assert again == made and again.size.height == 3 and kinds_pb2.Kind.Name(again.kind) == "COLOUR"
assert pictures_pb2.kinds__pb2 is kinds_pb2 and pictures_pb2.DESCRIPTOR.name == "pictures.proto"
assert pictures_pb2._PICTURE_SIZE.full_name == "pictures.Picture.Size"
