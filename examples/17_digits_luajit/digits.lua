-- SPDX-License-Identifier: Apache-2.0
-- examples/17_digits_luajit/digits.lua: a training run in LuaJIT: the one that 09_short is in C,
-- with the same bits; an op of somebody else's plugin, the record of an error, a curve.
--
--   luajit digits.lua FOLDER EPOCHS RUN PLUGINS
--
-- FOLDER has the four idx files, RUN is saved at the end and RUN.svg shows the loss, PLUGINS holds
-- what examples/02_third_party_plugin builds.
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local tenon = require("tenon")

local function open_part(stem, shuffle)
  local set = tenon.dataset("tenon.idx", {
    images = stem .. "-images-idx3-ubyte",
    labels = stem .. "-labels-idx1-ubyte",
  })
  local pixels = {
    tenon.transform("tenon.normalise", { scale = 16 }),
    tenon.transform("tenon.flatten"),
  }
  local options = { batch = 32, seed = 5, shuffle = shuffle, workers = 4, transforms = pixels }
  return tenon.loader(set, options)
end

local function accuracy_of(model, test)
  local right = 0
  test:begin(0)
  for images, labels in test:batches() do
    local guess = tenon.call("tenon.argmax", { model:forward(images) }, { axis = 1 })
    right = right + tenon.call("tenon.sum", { tenon.call("tenon.eq", { guess, labels }) }):item()
  end
  return right / tonumber(test:info().length)
end

local function train(folder, epochs, saved)
  local train, test = open_part(folder .. "/train", true), open_part(folder .. "/t10k", false)
  local model = tenon.layer("tenon.sequential", {}, {
    tenon.layer("tenon.linear", { inputs = 64, outputs = 128 }),
    tenon.layer("tenon.activation", { op = "tenon.relu" }),
    tenon.layer("tenon.linear", { inputs = 128, outputs = 10 }),
  })
  local adam = tenon.optimizer("tenon.adam", model)
  local cosine = tenon.schedule("tenon.cosine", 0.01, { period = 20 })
  local parts = { model = model, ["optimizer.0"] = adam, schedule = cosine, loader = train }
  local run, history = tenon.checkpoint(parts), tenon.history()
  for epoch = 1, epochs do
    local total, batches = 0, 0
    adam:set("lr", cosine:next())
    for images, labels in train:batches() do
      local loss = tenon.call("tenon.softmax_cross_entropy", { model:forward(images), labels })
      loss:backward()
      adam:step()
      total, batches = total + loss:item(), batches + 1
    end
    history:add("loss", epoch, total / batches)
    print(("loss %.4f, accuracy %.4f"):format(total / batches, accuracy_of(model, test)))
    train:begin(epoch)
  end
  run:save(saved)
  history:save(saved .. ".svg", "Digits", "epoch")
end

if #arg ~= 4 then
  io.stderr:write("usage: luajit digits.lua FOLDER EPOCHS RUN PLUGINS\n")
  os.exit(2)
end
local done, failure = pcall(function()
  tenon.open({ seed = 5, plugins = { arg[4] } })
  tenon.region(function()
    local x = tenon.tensor({ 3 }, { -1, 0, 3 })
    print("softsign", unpack(tenon.call("acme.softsign", { x }):floats()))
    local wide = tenon.tensor({ 2, 4 }, { 1, 2, 3, 4, 5, 6, 7, 8 })
    print(select(2, pcall(tenon.call, "tenon.add", { wide, x })))
    train(arg[1], tonumber(arg[2]), arg[3])
  end)
  print("tensors left: " .. tenon.tensors())
  tenon.close()
end)
if not done then
  io.stderr:write("error: ", tostring(failure), "\n")
  os.exit(1)
end
