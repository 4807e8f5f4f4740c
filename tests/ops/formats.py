# Knows: the element types of the ops' tensors, for numpy, which has no bfloat16. Does not know ops.
from dataclasses import dataclass

import dsops
import numpy as np
import reference


@dataclass(frozen=True)
class Format:
    name: str
    store: type  # of the numpy array: bfloat16 is kept as uint16
    bits: int    # of the significand
    smallest_exponent: int
    round: callable

    def half_step(self, x):
        """Half the distance of its numbers at x."""
        exponent = np.maximum(np.frexp(x)[1] - 1, self.smallest_exponent)
        return np.ldexp(0.5, exponent - (self.bits - 1))

    def from_double(self, x):
        if self.store is not np.uint16:
            return np.asarray(x).astype(self.store)
        with np.errstate(over="ignore"):
            return (self.round(np.asarray(x)).astype(np.float32).view(np.uint32) >> 16).astype(
                np.uint16)

    def to_double(self, array):
        if self.store is np.uint16:
            array = (array.astype(np.uint32) << 16).view(np.float32)
        with np.errstate(invalid="ignore"):  # signalling NaNs
            return array.astype(np.float64)

    def from_float(self, x):
        """Nearest numbers of float32 ones, each NaN as one."""
        if self.store is np.float32:
            return x
        with np.errstate(invalid="ignore", over="ignore"):
            exact = np.where(np.isnan(x), np.nan, self.round(x.astype(np.float64)))
        return self.from_double(exact)

    def argument(self, array):
        """As an op takes it."""
        return dsops.as_dtype(array, "bfloat16") if self.store is np.uint16 else array


FORMATS = {
    "fp32": Format("fp32", np.float32, 24, -126, lambda x: np.asarray(x).astype(np.float32)),
    "bf16": Format("bf16", np.uint16, 8, -126, reference.to_bf16),
    "fp16": Format("fp16", np.float16, 11, -14, reference.to_fp16),
}
