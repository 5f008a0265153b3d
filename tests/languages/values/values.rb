# SPDX-License-Identifier: Apache-2.0
# tests/languages/values/values.rb: arguments of every type, from Ruby; see ../values.py.
#
# frozen_string_literal: true
require "training"

def show(what, tensor) = puts([what, *tensor.floats.map { |each| format("%.3f", each) }].join(" "))

tenon = Tenon::Client.new
x = tenon.tensor([2, 3], [1, 2, 3, 4, 5, 6])
ones = tenon.tensor([3], [1, 1, 1])
show("concat", tenon.call("tenon.concat", [x, x], axis: 1))
show("pad", tenon.call("tenon.pad", x, pads: [1, 0], axes: [1], mode: "reflect"))
show("sum", tenon.call("tenon.sum", x, axes: [1], keepdims: true))
show("norm", tenon.call("tenon.layer_norm", x, nil, ones, eps: 0.5))
show("mul", tenon.call("tenon.mul", tenon.call("tenon.mul", x, 2.5), 2))
whole = tenon.call("tenon.cast", x, dtype: Tenon::I64)
show("whole", whole)
show("compared", tenon.call("tenon.gt", whole, 3))
Tenon::Transform.new(tenon, "tenon.normalise", mean: [0.5, 1.5, 2.5])
begin
  Tenon::Transform.new(tenon, "tenon.normalise", mean: "none")
rescue Tenon::Error => error
  puts error.message
end
tenon.close
