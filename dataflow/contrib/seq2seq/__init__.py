"""tf.contrib.seq2seq: decoders, what they sample, attention, beam search and losses."""

from dataflow.contrib.seq2seq.attention import AttentionMechanism as AttentionMechanism
from dataflow.contrib.seq2seq.attention import BahdanauAttention as BahdanauAttention
from dataflow.contrib.seq2seq.attention import LuongAttention as LuongAttention
from dataflow.contrib.seq2seq.attention import hardmax as hardmax
from dataflow.contrib.seq2seq.attention_monotonic import (
    BahdanauMonotonicAttention as BahdanauMonotonicAttention,
)
from dataflow.contrib.seq2seq.attention_monotonic import (
    LuongMonotonicAttention as LuongMonotonicAttention,
)
from dataflow.contrib.seq2seq.attention_state import AttentionWrapperState as AttentionWrapperState
from dataflow.contrib.seq2seq.attention_wrapper import AttentionWrapper as AttentionWrapper
from dataflow.contrib.seq2seq.basic_decoder import BasicDecoder as BasicDecoder
from dataflow.contrib.seq2seq.basic_decoder import BasicDecoderOutput as BasicDecoderOutput
from dataflow.contrib.seq2seq.beam_search_decoder import BeamSearchDecoder as BeamSearchDecoder
from dataflow.contrib.seq2seq.beam_search_state import (
    BeamSearchDecoderOutput as BeamSearchDecoderOutput,
)
from dataflow.contrib.seq2seq.beam_search_state import (
    BeamSearchDecoderState as BeamSearchDecoderState,
)
from dataflow.contrib.seq2seq.beam_search_state import (
    FinalBeamSearchDecoderOutput as FinalBeamSearchDecoderOutput,
)
from dataflow.contrib.seq2seq.decoder import Decoder as Decoder
from dataflow.contrib.seq2seq.decoder import dynamic_decode as dynamic_decode
from dataflow.contrib.seq2seq.inference_inputs import (
    GreedyEmbeddingHelper as GreedyEmbeddingHelper,
)
from dataflow.contrib.seq2seq.inference_inputs import InferenceHelper as InferenceHelper
from dataflow.contrib.seq2seq.inference_inputs import (
    SampleEmbeddingHelper as SampleEmbeddingHelper,
)
from dataflow.contrib.seq2seq.loss import sequence_loss as sequence_loss
from dataflow.contrib.seq2seq.monotonic import monotonic_attention as monotonic_attention
from dataflow.contrib.seq2seq.monotonic import safe_cumprod as safe_cumprod
from dataflow.contrib.seq2seq.scheduled_inputs import (
    ScheduledEmbeddingTrainingHelper as ScheduledEmbeddingTrainingHelper,
)
from dataflow.contrib.seq2seq.scheduled_inputs import (
    ScheduledOutputTrainingHelper as ScheduledOutputTrainingHelper,
)
from dataflow.contrib.seq2seq.tiling import gather_tree as gather_tree
from dataflow.contrib.seq2seq.tiling import gather_tree_from_array as gather_tree_from_array
from dataflow.contrib.seq2seq.tiling import tile_batch as tile_batch
from dataflow.contrib.seq2seq.training_inputs import CustomHelper as CustomHelper
from dataflow.contrib.seq2seq.training_inputs import Helper as Helper
from dataflow.contrib.seq2seq.training_inputs import TrainingHelper as TrainingHelper
