# SPDX-License-Identifier: Apache-2.0
# tests/bench/languages/add.rb: add of 64 from Ruby; see languages.py.
#
# frozen_string_literal: true
require "tenon"

N, TIMES = 2_000, 50

def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_second) * 1e9

def functions(context, add, inputs)
  out = "\0".b * 8
  N.times do
    status = Tenon::C.tenon_op_call(context, add, inputs, 2, nil, 0, out, 1)
    raise "tenon_op_call" unless status.zero?

    Tenon::C.tenon_tensor_release(out.unpack1("J"))
  end
end

def client(tenon, first, second)
  (N / 100).times do
    tenon.region { 100.times { tenon.call("tenon.add", first, second) } }
  end
end

tenon = Tenon::Client.new(threads: 1)
first, second = Array.new(2) { tenon.tensor([64], [0] * 64) }
out = "\0".b * 8
tenon.check Tenon::C.tenon_op_find(tenon.context, "tenon.add", 9, 0, out)
add = out.unpack1("J")
inputs = [first, second].map { |tensor| Tenon::Value.new(tensor).bytes }.join
best = [Float::INFINITY] * 2
TIMES.times do
  start = now
  functions(tenon.context, add, inputs)
  middle = now
  client(tenon, first, second)
  best = [[best[0], (middle - start) / N].min, [best[1], (now - middle) / N].min]
end
puts format("%.1f %.1f", *best)
tenon.close
