"""tf.contrib.framework.python.ops.audio_ops: what recognizers of speech read and compute."""

from dataflow.ops.signal.sound import audio_spectrogram as audio_spectrogram
from dataflow.ops.signal.sound import decode_wav as decode_wav
from dataflow.ops.signal.sound import encode_wav as encode_wav
from dataflow.ops.signal.sound import mfcc as mfcc
