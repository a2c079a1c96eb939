"""Ops that graphs may not have from some version of the format on, and what to use instead."""

from __future__ import annotations

from typing import Final

from dataflow.errors import UnimplementedError

_LINES: Final = """
2 AdjustContrast: Use AdjustContrastv2 instead
7 TopK: Use TopKV2 instead
8 RandomCrop: Random crop is now pure Python
9 BatchNormWithGlobalNormalization BatchNormWithGlobalNormalizationGrad: \
Use tf.nn.batch_normalization()
10 Conv3DBackpropFilter: Use Conv3DBackpropFilterV2
10 Conv3DBackpropInput: Use Conv3DBackpropInputV2
11 BatchSelfAdjointEig SelfAdjointEig: Use SelfAdjointEigV2 instead.
13 BatchSelfAdjointEigV2: Use SelfAdjointEigV2 instead.
13 BatchCholesky: Use Cholesky instead.
13 BatchCholeskyGrad: Use CholeskyGrad instead.
13 BatchMatrixDeterminant: Use MatrixDeterminant instead.
13 BatchMatrixInverse: Use MatrixInverse instead.
13 BatchMatrixSolve: Use MatrixSolve instead.
13 BatchMatrixSolveLs: Use MatrixSolveLs instead.
13 BatchMatrixTriangularSolve: Use MatrixTriangularSolve instead.
13 BatchSvd: Use Svd instead.
14 BatchMatrixBandPart: Use MatrixBandPart
14 BatchMatrixDiag: Use MatrixDiag
14 BatchMatrixDiagPart: Use MatrixDiagPart
14 BatchMatrixSetDiag: Use MatrixSetDiag
15 AudioSummary: Use AudioSummaryV2.
16 TensorArray: Use TensorArrayV3
16 TensorArrayClose: Use TensorArrayCloseV3
16 TensorArrayConcat TensorArrayGrad: Use TensorArrayGradV3
16 TensorArrayGather: Use TensorArrayGatherV3
16 TensorArrayPack: Use TensorArrayGatherV3 with RangeOp
16 TensorArrayRead: Use TensorArrayReadV3
16 TensorArraySize: Use TensorArraySizeV3
16 TensorArraySplit: Use TensorArraySplitV3
16 TensorArrayWrite: Use TensorArrayWriteV3
19 TensorArrayScatter: Use TensorArrayGradV3
20 TensorArrayUnpack: Use TensorArrayScatterV3 with RangeOp
22 QuantizeAndDequantize: Replaced by QuantizeAndDequantizeV2
23 PlaceholderV2: Placeholder now behaves the same as PlaceholderV2.
25 RandomPoisson: Replaced by RandomPoissonV2
26 FixedLengthRecordReader: Use FixedLengthRecordReaderV2
26 IdentityReader: Use IdentityReaderV2
26 TFRecordReader: Use TFRecordReaderV2
26 TextLineReader: Use TextLineReaderV2
26 TensorArrayCloseV2: Use TensorArrayCloseV3
26 TensorArrayGatherV2: Use TensorArrayGatherV3
26 TensorArrayGradV2: Use TensorArrayGradV3
26 TensorArrayReadV2: Use TensorArrayReadV3
26 TensorArrayScatterV2: Use TensorArrayScatterV3
26 TensorArraySizeV2: Use TensorArraySizeV3
26 TensorArraySplitV2: Use TensorArraySplitV3
26 TensorArrayV2: Use TensorArrayV3
26 TensorArrayWriteV2: Use TensorArrayWriteV3
27 MatrixExponential: Use Python implementation tf.linalg.matrix_exponential instead.
29 StatefulStandardNormal: Use StatefulStandardNormalV2 instead
"""
"""A version, ops that graphs of it and of later ones do not have, and what TensorFlow says."""


def _parsed() -> dict[str, tuple[int, str]]:
    found = {}
    for line in _LINES.strip().splitlines():
        names, _, advice = line.partition(": ")
        version, *ops = names.split()
        found.update(dict.fromkeys(ops, (int(version), advice)))
    return found


DEPRECATED: Final = _parsed()
"""Op type -> the first version without it, and what to use."""


def refusal(op_type: str, producer: int) -> str:
    """Why a graph of a version may not have an op; "" if it may."""
    found = DEPRECATED.get(op_type)
    if found is None or producer < found[0]:
        return ""
    return (
        f"Op {op_type} is not available in GraphDef version {producer}. It has been removed in "
        f"version {found[0]}. {found[1]}."
    )


def check_available(op_type: str, producer: int) -> None:
    """Whether a graph of a version may have an op.

    Raises:
      UnimplementedError: It may not.
    """
    told = refusal(op_type, producer)
    if told:
        raise UnimplementedError(None, None, told)
