-- SPDX-License-Identifier: Apache-2.0
-- tests/languages/values/values.lua: arguments of every type, from LuaJIT; see ../values.py.
local tenon = require("tenon")

local function show(what, x)
  for _, number in ipairs(x:floats()) do
    what = what .. (" %.3f"):format(number)
  end
  print(what)
end

tenon.open({})
local x = tenon.tensor({ 2, 3 }, { 1, 2, 3, 4, 5, 6 })
local ones = tenon.tensor({ 3 }, { 1, 1, 1 })
show("concat", tenon.call("tenon.concat", { { x, x } }, { axis = 1 }))
show("pad", tenon.call("tenon.pad", { x }, { pads = { 1, 0 }, axes = { 1 }, mode = "reflect" }))
show("sum", tenon.call("tenon.sum", { x }, { axes = { 1 }, keepdims = true }))
show("norm", tenon.call("tenon.layer_norm", { x, nil, ones }, { eps = 0.5 }))
show("mul", tenon.call("tenon.mul", { tenon.call("tenon.mul", { x, 2.5 }), 2 }))
local whole = tenon.call("tenon.cast", { x }, { dtype = tenon.dtype("I64") })
show("whole", whole)
show("compared", tenon.call("tenon.gt", { whole, 3 }))
tenon.transform("tenon.normalise", { mean = { 0.5, 1.5, 2.5 } })
print(select(2, pcall(tenon.transform, "tenon.normalise", { mean = "none" })))
tenon.close()
