#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# examples/04_ctypes/gradient.py: y = x * x and its gradient from Python without a binding, with
# nothing but the standard library. Usage: gradient.py [path of libtenon.so]
import ctypes
import sys

lib = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libtenon.so")
pointer, ref, u32, u64 = ctypes.c_void_p, ctypes.byref, ctypes.c_uint32, ctypes.c_uint64


class Value(ctypes.Structure):
    _fields_ = [("tag", u32), ("count", u32), ("tensor", pointer)]


runtime, cx, mul, x, y, gradient = (pointer() for _ in range(6))
three = ctypes.c_double(3)
lib.tenon_runtime_create(None, None, ref(runtime))
lib.tenon_context_create(runtime, None, ref(cx))
lib.tenon_op_find(cx, b"tenon.mul", u64(9), 0, ref(mul))
lib.tenon_tensor_create_from(cx, 0x14002, None, 0, None, ref(three), u64(8), ref(x))
lib.tenon_tensor_set_requires_grad(cx, x, 1)
lib.tenon_op_call(cx, mul, (Value * 2)((1, 0, x), (1, 0, x)), 2, None, 0, ref(y), 1)  # y = x * x
lib.tenon_backward_run(cx, ref(y), None, 1, 0)
lib.tenon_tensor_get_grad(cx, x, ref(gradient))  # dy/dx = 2 x = 6
value = ctypes.c_double()
status = lib.tenon_tensor_get_data(cx, gradient, ref(value), ctypes.c_uint64(8))
print("dy/dx =", value.value)
for tensor in (y, x):
    lib.tenon_tensor_release(tensor)
lib.tenon_context_release(cx)
lib.tenon_runtime_release(runtime)
sys.exit(0 if status == 0 and value.value == 6.0 else 1)
