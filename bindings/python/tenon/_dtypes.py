# SPDX-License-Identifier: Apache-2.0
# bindings/python/tenon/_dtypes.py: what numbers a dtype has, as numpy.finfo and numpy.iinfo say it.

from tenon import _core

_FLOAT, _INTEGER = 8, 2


class finfo:
    """Limits of a float dtype: bits, eps, max, min, tiny (smallest_normal), smallest_subnormal,
    precision (decimal digits) and resolution."""

    dtype: _core.Dtype
    bits: int
    precision: int
    min: float
    max: float
    eps: float
    tiny: float
    smallest_normal: float
    smallest_subnormal: float
    resolution: float

    def __init__(self, dtype):
        self.dtype = _core.as_dtype(getattr(dtype, "dtype", dtype))
        flags, self.bits, self.precision, _, _, *numbers = _core.dtype_info(self.dtype)
        if not flags & _FLOAT:
            raise ValueError(f"finfo: {self.dtype.name} is not a float dtype; see iinfo")
        self.min, self.max, self.eps, self.tiny, self.smallest_subnormal = numbers
        self.smallest_normal = self.tiny
        self.resolution = 10.0**-self.precision

    def __repr__(self):
        return f"finfo({self.dtype.name}, min={self.min}, max={self.max}, eps={self.eps})"


class iinfo:
    """Limits of an integer dtype: bits, max, min."""

    dtype: _core.Dtype
    bits: int
    min: int
    max: int

    def __init__(self, dtype):
        self.dtype = _core.as_dtype(getattr(dtype, "dtype", dtype))
        flags, self.bits, _, self.min, self.max, *_ = _core.dtype_info(self.dtype)
        if not flags & _INTEGER:
            raise ValueError(f"iinfo: {self.dtype.name} is not an integer dtype; see finfo")

    def __repr__(self):
        return f"iinfo({self.dtype.name}, min={self.min}, max={self.max})"
