"""Reinterpret floats as integers and back, in compiled code."""

from typing import Any

from numba import types
from numba.extending import intrinsic


def _float_bits(typingctx, value):
    """The bits of a float."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(types.int64))

    return types.int64(types.float64), codegen


def _bits_float(typingctx, value):
    """The float with these bits."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(types.float64))

    return types.float64(types.int64), codegen


float_bits: Any = intrinsic(_float_bits)
bits_float: Any = intrinsic(_bits_float)
