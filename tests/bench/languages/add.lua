-- SPDX-License-Identifier: Apache-2.0
-- tests/bench/languages/add.lua: add of 64 from LuaJIT; see languages.py.
local ffi = require("ffi")
local tenon = require("tenon")
local C = ffi.load("tenon")
local n, times = 20000, 50

ffi.cdef([[
typedef struct { long seconds, nanoseconds; } moment;
int clock_gettime(int clock, moment* out);
]])
local moment = ffi.new("moment")
local function now()
  ffi.C.clock_gettime(1, moment)
  return tonumber(moment.seconds) * 1e9 + tonumber(moment.nanoseconds)
end

local function functions(context, op, inputs, out)
  for _ = 1, n do
    if C.tenon_op_call(context, op, inputs, 2, nil, 0, out, 1) ~= 0 then error("tenon_op_call") end
    C.tenon_tensor_release(out[0])
  end
end

local function client(a, b)
  for _ = 1, n / 100 do
    tenon.region(function()
      for _ = 1, 100 do
        tenon.call("tenon.add", { a, b })
      end
    end)
  end
end

tenon.open({ threads = 1 })
local zeros = {}
for i = 1, 64 do
  zeros[i] = 0
end
local a, b = tenon.tensor({ 64 }, zeros), tenon.tensor({ 64 }, zeros)
local context = tenon.context()
local op, out = ffi.new("const tenon_op *[1]"), ffi.new("tenon_tensor *[1]")
assert(C.tenon_op_find(context, "tenon.add", 9, 0, op) == 0)
local inputs = ffi.new("tenon_value[2]")
for i, tensor in ipairs({ a, b }) do
  inputs[i - 1].tag, inputs[i - 1].as.tensor = tenon.constant.VALUE_TENSOR, tensor
end
local best = { math.huge, math.huge }
for _ = 1, times do
  local begin = now()
  functions(context, op[0], inputs, out)
  local middle = now()
  client(a, b)
  best[1] = math.min(best[1], (middle - begin) / n)
  best[2] = math.min(best[2], (now() - middle) / n)
end
print(("%.1f %.1f"):format(best[1], best[2]))
tenon.close()
