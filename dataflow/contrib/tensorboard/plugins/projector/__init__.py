"""tf.contrib.tensorboard.plugins.projector: embeddings in two or three dimensions."""

from dataflow.contrib.tensorboard.plugins.projector.configuration import (
    visualize_embeddings as visualize_embeddings,
)
from dataflow.proto.projector_config_pb2 import EmbeddingInfo as EmbeddingInfo
from dataflow.proto.projector_config_pb2 import ProjectorConfig as ProjectorConfig
from dataflow.proto.projector_config_pb2 import SpriteMetadata as SpriteMetadata
