"""Frozen classifiers: where their graphs come from, and their outputs of images."""

from __future__ import annotations

import os
import sys
import tarfile
import urllib.request
from collections.abc import Callable
from typing import Any, Final

import dataflow.ops.array.shape as array_shape
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.importing.import_graph import import_graph_def
from dataflow.library.files.gfile import FastGFile
from dataflow.library.layers.flatten import flatten
from dataflow.library.program.files import load_resource
from dataflow.ops.basic.cast import cast
from dataflow.ops.image.resize import resize_bilinear
from dataflow.proto.graph_pb2 import GraphDef
from dataflow.values import dtypes

INCEPTION_URL: Final = "http://download.tensorflow.org/models/frozen_inception_v1_2015_12_05.tar.gz"
INCEPTION_FROZEN_GRAPH: Final = "inceptionv1_for_inception_score.pb"
INCEPTION_INPUT: Final = "Mul:0"
INCEPTION_OUTPUT: Final = "logits:0"
INCEPTION_FINAL_POOL: Final = "pool_3:0"
INCEPTION_DEFAULT_IMAGE_SIZE: Final = 299


def preprocess_image(
    images: Any,
    height: int = INCEPTION_DEFAULT_IMAGE_SIZE,
    width: int = INCEPTION_DEFAULT_IMAGE_SIZE,
    scope: str | None = None,
) -> Any:
    """Images as an Inception net takes them: resized, with values from -1 to 1.

    Args:
      images: `[batch, height, width, channels]`, or one image; values from 0 to 255.
      height: New height.
      width: New width.
      scope: A name scope.

    Returns:
      float32, of the rank of `images`.
    """
    with scopes.name_scope(scope, "preprocess", [images, height, width]):
        is_single = images.shape.rank == 3
        if not images.dtype.is_floating:
            images = cast(images, dtypes.float32)
        if is_single:
            images = array_shape.expand_dims(images, axis=0)
        resized = (resize_bilinear(images, [height, width]) - 128.0) / 128.0
        return array_shape.squeeze(resized, axis=[0]) if is_single else resized


def get_graph_def_from_disk(filename: str) -> GraphDef:
    """The GraphDef of a file.

    Raises:
      NotFoundError: There is no such file.
    """
    with FastGFile(filename, "rb") as file:
        return GraphDef.FromString(file.read())


def get_graph_def_from_resource(filename: str) -> GraphDef:
    """The GraphDef of a file that lies beside the program.

    Raises:
      OSError: The file cannot be read.
    """
    return GraphDef.FromString(load_resource(filename))


def get_graph_def_from_url_tarball(
    url: str, filename: str, tar_filename: str | None = None
) -> GraphDef:
    """The GraphDef of a file in an archive on the web.

    Args:
      url: Where the archive is.
      filename: The file's name within it.
      tar_filename: Where the archive is kept: it is not fetched if that is there already. A
        temporary file if None.

    Raises:
      OSError: The archive cannot be fetched.
      KeyError: It has no such file.
    """

    def progress(count: int, block_size: int, total_size: int) -> None:
        sys.stdout.write(f"\r>> Downloading {url} {count * block_size / total_size * 100.0:.1f}%")
        sys.stdout.flush()

    if not (tar_filename and os.path.exists(tar_filename)):
        tar_filename, _ = urllib.request.urlretrieve(url, tar_filename, progress)
    with tarfile.open(tar_filename, "r:gz") as archive:
        file = archive.extractfile(filename)
        if file is None:
            raise KeyError(f"{filename} in {tar_filename} is not a file")
        return GraphDef.FromString(file.read())


def default_inception() -> GraphDef:
    """Inception v1 as the published scores use it, fetched into the working folder once."""
    return get_graph_def_from_url_tarball(
        INCEPTION_URL, INCEPTION_FROZEN_GRAPH, os.path.basename(INCEPTION_URL)
    )


def run_image_classifier(
    tensor: Any,
    graph_def: GraphDef,
    input_tensor: str,
    output_tensor: Any,
    scope: str = "RunClassifier",
) -> Any:
    """Outputs of a frozen graph.

    Args:
      tensor: What the graph is given.
      graph_def: The graph.
      input_tensor: The name of the tensor that `tensor` stands for.
      output_tensor: The name of a tensor, or a list of names.
      scope: The name scope of the graph's nodes.

    Returns:
      A tensor, or a list of them if `output_tensor` is one.

    Raises:
      ValueError: The graph has no such tensors.
    """
    names = [output_tensor] if isinstance(output_tensor, str) else output_tensor
    outputs: Any = import_graph_def(graph_def, {input_tensor: tensor}, names, name=scope)
    return outputs[0] if isinstance(output_tensor, str) else outputs


def run_inception(
    images: Any,
    graph_def: GraphDef | None = None,
    default_graph_def_fn: Callable[[], GraphDef] | None = default_inception,
    image_size: int = INCEPTION_DEFAULT_IMAGE_SIZE,
    input_tensor: str = INCEPTION_INPUT,
    output_tensor: Any = INCEPTION_OUTPUT,
) -> Any:
    """Outputs of an Inception net as rows, one for each image.

    Args:
      images: `[batch, image_size, image_size, channels]`, see `preprocess_image`.
      graph_def: The net; that of `default_graph_def_fn` if None.
      default_graph_def_fn: Gives the net; the default one fetches it from the web.
      image_size: Height and width of the images.
      input_tensor: The net's input.
      output_tensor: The net's output, or a list of outputs.

    Returns:
      A matrix, or a list of them if `output_tensor` is one.

    Raises:
      ValueError: Images are of another size, or there is no net.
    """
    images = convert_to_tensor(images)
    images.shape.with_rank(4)
    images.shape.assert_is_compatible_with([None, image_size, image_size, None])
    if graph_def is None:
        if default_graph_def_fn is None:
            raise ValueError("If `graph_def` is `None`, must provide `default_graph_def_fn`.")
        graph_def = default_graph_def_fn()
    outputs = run_image_classifier(images, graph_def, input_tensor, output_tensor)
    return [flatten(each) for each in outputs] if isinstance(outputs, list) else flatten(outputs)
