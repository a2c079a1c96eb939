"""tf.audio: sound in WAV files."""

from dataflow.ops.signal.sound import decode_wav as decode_wav
from dataflow.ops.signal.sound import encode_wav as encode_wav
