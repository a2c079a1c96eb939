"""tf.quantization: numbers rounded to those that few bits can tell."""

import dataflow.ops.quantization.fake_quant as _fake_quant
from dataflow.ops.quantization.arithmetic import quantized_concat as quantized_concat
from dataflow.ops.quantization.conversions import dequantize as dequantize
from dataflow.ops.quantization.conversions import quantize as quantize
from dataflow.ops.quantization.fake_quant import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
)
from dataflow.ops.quantization.fake_quant import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from dataflow.ops.quantization.fake_quant import (
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
)
from dataflow.ops.quantization.fake_quant import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from dataflow.ops.quantization.fake_quant import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from dataflow.ops.quantization.imitation import quantize_and_dequantize as quantize_and_dequantize
from dataflow.ops.quantization.imitation import (
    quantize_and_dequantize_v2 as quantize_and_dequantize_v2,
)

fake_quant_with_min_max_vars_per_channel_gradient = (
    _fake_quant.fake_quant_with_min_max_vars_per_channel_gradient
)
