-- SPDX-License-Identifier: Apache-2.0
-- examples/17_digits_luajit/tenon.lua: a client of Tenon in LuaJIT, to be copied: the declarations
-- of the installed headers through ffi, calls by name, errors as values.
--
-- A state of Lua is one thread at a time, so it has one context: that of tenon.open. What a
-- function returns is released at the end of the region it was made in, else by tenon.close.
-- Nothing has a finalizer (ffi.gc): the collector does not see how much memory a tensor holds, and
-- would run late.
local ffi = require("ffi")

-- ---- Declarations, as the headers have them -----------------------------------------------------

-- Constants of the headers without "TENON_", for example E_SHAPE and DTYPE_F32.
local constant = {}

local function add_constant(line)
  local name, text = line:match("^#define TENON_([%w_]+)%s+(.+)$")
  if not name then return end
  local code, bits = text:match("TENON_DTYPE_MAKE%((%d+), (%d+)%)")
  if code then
    constant[name] = code + bits * 256 + 65536
  else
    constant[name] = tonumber(text:match("^%(?%(?[%w_]-%)?(%d+)u?%)?%s*$"))
  end
end

-- What a header and all that it includes declare, each once, as ffi.cdef reads it.
local function declarations(folder, name, seen)
  if seen[name] then return "" end
  seen[name] = true
  local file = assert(io.open(folder .. "/" .. name))
  local source = file:read("*a"):gsub("//[^\n]*", ""):gsub("\\\n", " ")
  file:close()
  source = source:gsub("#ifdef __cplusplus\n.-#endif", "")
  local lines = {}
  for line in source:gmatch("[^\n]+") do
    local included = line:match("^#include <(tenon/[^>]+)>")
    if included then
      lines[#lines + 1] = declarations(folder, included, seen)
    elseif line:match("^#") then
      add_constant(line)
    else
      line = line:gsub("TENON_EXPORT", ""):gsub("TENON_([A-Z_]+)", constant)
      lines[#lines + 1] = line
    end
  end
  return table.concat(lines, "\n")
end

local function folder_of_headers()
  local process = assert(io.popen("pkg-config --variable=includedir tenon"))
  local folder = process:read("*l")
  process:close()
  return folder or error("pkg-config does not find tenon: set PKG_CONFIG_PATH", 0)
end

local headers, seen = folder_of_headers(), {}
for _, name in ipairs({ "tenon", "ext/draft/checkpoints", "ext/draft/progress" }) do
  ffi.cdef(declarations(headers, "tenon/" .. name .. ".h", seen))
end
local C = ffi.load("tenon")

-- ---- Errors -------------------------------------------------------------------------------------

local tenon = { constant = constant }
local runtime, context
local ops = {} -- by name
local kinds, handles, n_kept = {}, {}, 0 -- what regions hold

-- The whole record of a call that failed; fields that are not known are empty.
tenon.Error = {}
tenon.Error.__index = tenon.Error
function tenon.Error:__tostring()
  local lines = { self.message }
  local function add(label, text)
    if text ~= "" then lines[#lines + 1] = ("  %-9s %s"):format(label, text) end
  end
  for _, label in ipairs({ "status", "op", "operand", "expected", "found", "plugin" }) do
    add(label, self[label])
  end
  add("in", self.scope)
  for _, cause in ipairs(self.causes) do
    add("because", cause)
  end
  add("hint", self.hint)
  return table.concat(lines, "\n")
end

local fields = { "message", "op", "operand", "expected", "found", "plugin", "scope", "hint" }

local function fail(status, message)
  local record = ffi.new("tenon_error", { struct_size = ffi.sizeof("tenon_error") })
  local failure = { status = ffi.string(C.tenon_status_get_name(status)), causes = {} }
  local known = context and C.tenon_context_get_error(context, record) == 0
    and record.status == status
  for _, field in ipairs(fields) do
    failure[field] = known and ffi.string(record[field]) or ""
  end
  for i = 1, known and record.n_causes or 0 do
    failure.causes[i] = ffi.string(record.causes[i - 1])
  end
  if not known then
    failure.message = message or failure.status .. (context and "" or ": the client is closed")
  end
  error(setmetatable(failure, tenon.Error), 0)
end

local function check(status)
  if status ~= 0 then fail(status) end
end

-- ---- Regions ------------------------------------------------------------------------------------

local function keep(kind, handle)
  n_kept = n_kept + 1
  kinds[n_kept], handles[n_kept] = kind, handle
  return handle
end

local function release(begin)
  while n_kept > begin do
    local kind, handle = kinds[n_kept], handles[n_kept]
    n_kept = n_kept - 1
    if kind == "tensor" then
      C.tenon_tensor_release(handle)
    else
      C["tenon_" .. kind .. "_release"](handle)
    end
  end
end

-- Runs work(...), releases what was made in it, the last one first, and returns what it returned.
function tenon.region(work, ...)
  local begin = n_kept
  local results = { pcall(work, ...) }
  release(begin)
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2, table.maxn(results))
end

-- Finds plugins in the list of folders, too. options: threads, seed, plugins.
function tenon.open(options)
  local paths = options.plugins or {}
  local list = ffi.new("tenon_string[?]", #paths + 1)
  for i, path in ipairs(paths) do
    list[i - 1].data, list[i - 1].length = path, #path
  end
  local wanted = ffi.new("tenon_runtime_options", {
    struct_size = ffi.sizeof("tenon_runtime_options"),
    paths = list,
    n_paths = #paths,
    threads = options.threads or 0,
  })
  local diag, out = ffi.new("tenon_diag"), ffi.new("tenon_runtime *[1]")
  local made = ffi.new("tenon_context *[1]")
  local status = C.tenon_runtime_create(wanted, diag, out)
  if status == 0 then status = C.tenon_context_create(out[0], diag, made) end
  if status ~= 0 then
    C.tenon_runtime_release(out[0])
    fail(status, ffi.string(diag.message))
  end
  runtime, context = out[0], made[0]
  check(C.tenon_context_set_seed(context, options.seed or 0, 0))
end

function tenon.close()
  release(0)
  C.tenon_context_release(context)
  C.tenon_runtime_release(runtime)
  runtime, context, ops = nil, nil, {}
end

-- The context, for functions of C that are not in here.
function tenon.context() return context end

-- How many tensors there are in the runtime just now.
function tenon.tensors()
  local stats = ffi.new("tenon_stats", { struct_size = ffi.sizeof("tenon_stats") })
  check(C.tenon_runtime_get_stats(context, stats))
  return tonumber(stats.tensors)
end

-- ---- Values -------------------------------------------------------------------------------------

-- What the attribute of that name takes: tenon.dtype("I64").
function tenon.dtype(name) return ffi.new("tenon_dtype", constant["DTYPE_" .. name]) end

local function is_whole(number) return number % 1 == 0 and math.abs(number) < 2 ^ 53 end

-- What arguments point to, until the next call.
local anchors = {}

local function set_list(to, list)
  if type(list[1]) == "cdata" then
    anchors[#anchors + 1] = ffi.new("tenon_tensor *[?]", #list, list)
    to.tag, to.count, to.as.tensors = constant.VALUE_TENSOR_LIST, #list, anchors[#anchors]
    return
  end
  local are_whole = true
  for _, number in ipairs(list) do
    are_whole = are_whole and is_whole(number)
  end
  local numbers = ffi.new(are_whole and "int64_t[?]" or "double[?]", #list + 1, list)
  to.tag, to.count = are_whole and constant.VALUE_INT_LIST or constant.VALUE_FLOAT_LIST, #list
  to.as.ints = ffi.cast("const int64_t*", numbers)
  anchors[#anchors + 1] = numbers
end

-- Writes a Lua value.
local function set_value(to, value)
  local kind = type(value)
  to.count = 0
  if kind == "cdata" and ffi.istype("tenon_dtype", value) then
    to.tag, to.as.dtype = constant.VALUE_DTYPE, value
  elseif kind == "cdata" then
    to.tag, to.as.tensor = constant.VALUE_TENSOR, value
  elseif kind == "number" and is_whole(value) then
    to.tag, to.as.i64 = constant.VALUE_I64, value
  elseif kind == "number" then
    to.tag, to.as.f64 = constant.VALUE_F64, value
  elseif kind == "boolean" then
    to.tag, to.as.i64 = constant.VALUE_BOOL, value and 1 or 0
  elseif kind == "string" then
    to.tag, to.count, to.as.string = constant.VALUE_STRING, #value, value
  elseif kind == "table" then
    set_list(to, value)
  else
    to.tag = constant.VALUE_NONE
  end
end

-- Names, values, and how many.
local function lists(named)
  local n, count = 0, 0
  anchors = {}
  for _ in pairs(named or {}) do
    count = count + 1
  end
  local names = ffi.new("tenon_string[?]", count + 1)
  local values = ffi.new("tenon_value[?]", count + 1)
  for name, value in pairs(named or {}) do
    names[n].data, names[n].length = name, #name
    set_value(values[n], value)
    n = n + 1
  end
  return names, values, n
end

-- ---- Tensors and ops ----------------------------------------------------------------------------

local Tensor = {}
Tensor.__index = Tensor

-- f32[shape] with these numbers.
function tenon.tensor(shape, numbers)
  local sizes, data = ffi.new("int64_t[8]", shape), ffi.new("float[?]", #numbers + 1, numbers)
  local out = ffi.new("tenon_tensor *[1]")
  local dtype, bytes = constant.DTYPE_F32, 4 * #numbers
  check(C.tenon_tensor_create_from(context, dtype, nil, #shape, sizes, data, bytes, out))
  return keep("tensor", out[0])
end

-- All numbers of a tensor of any dtype, row by row; whole ones past 2^53 are rounded.
function Tensor:floats()
  return tenon.region(function()
    local wide = tenon.call("tenon.cast", { self }, { dtype = tenon.dtype("F64") })
    local info = ffi.new("tenon_tensor_info", { struct_size = ffi.sizeof("tenon_tensor_info") })
    check(C.tenon_tensor_get_info(context, wide, info))
    local n = tonumber(info.elements)
    local data, numbers = ffi.new("double[?]", n + 1), {}
    check(C.tenon_tensor_get_data(context, wide, data, 8 * n))
    for i = 1, n do
      numbers[i] = data[i - 1]
    end
    return numbers
  end)
end

-- The one element of a tensor.
function Tensor:item()
  local value = ffi.new("tenon_value")
  check(C.tenon_tensor_get_item(context, self, value))
  return value.tag == constant.VALUE_F64 and value.as.f64 or tonumber(value.as.i64)
end

-- Adds the gradients of a scalar to the leaves it depends on.
function Tensor:backward()
  check(C.tenon_backward_run(context, ffi.new("tenon_tensor *[1]", self), nil, 1, 0))
end

-- The arguments of a call are read before it returns, so that one set of them is enough.
local inputs = ffi.new("tenon_value[64]")
local outputs = ffi.new("tenon_tensor *[1]")

-- Calls an op by its name. inputs: tensors, lists of them, numbers, or nil for an absent one.
function tenon.call(name, arguments, named)
  local op = ops[name]
  if not op then
    local out = ffi.new("const tenon_op *[1]")
    check(C.tenon_op_find(context, name, #name, 0, out))
    op = out[0]
    ops[name] = op
  end
  local n, attrs, n_attrs = table.maxn(arguments), nil, 0
  if #anchors > 0 then anchors = {} end
  for i = 1, n do
    set_value(inputs[i - 1], arguments[i])
  end
  if named then
    attrs = ffi.new("tenon_value[64]")
    local at = ffi.new("uint32_t[1]")
    for key, value in pairs(named) do
      check(C.tenon_op_find_attribute(context, op, key, #key, at))
      set_value(attrs[at[0]], value)
      n_attrs = math.max(n_attrs, at[0] + 1)
    end
  end
  check(C.tenon_op_call(context, op, inputs, n, attrs, n_attrs, outputs, 1))
  return keep("tensor", outputs[0])
end

-- ---- The objects of a training run --------------------------------------------------------------

-- `extra` is what some kinds take beside the name: a device, a first value, a layer.
local function create(kind, creator, name, named, has_extra, extra)
  local names, values, n = lists(named)
  local out = ffi.new("tenon_" .. kind .. " *[1]")
  if has_extra then
    check(C[creator](context, name, #name, extra, names, values, n, out))
  else
    check(C[creator](context, name, #name, names, values, n, out))
  end
  return keep(kind, out[0])
end

function tenon.dataset(name, named)
  return create("dataset", "tenon_dataset_create", name, named)
end

function tenon.transform(name, named)
  return create("transform", "tenon_transform_create", name, named)
end

function tenon.schedule(name, base, named)
  return create("schedule", "tenon_schedule_create", name, named, true, base)
end

function tenon.optimizer(name, layer, named)
  return create("optimizer", "tenon_optimizer_create_for_layer", name, named, true, layer)
end

-- With the layers of a list in it, if it is a container.
function tenon.layer(name, named, children)
  local layer = create("layer", "tenon_layer_create", name, named, true, nil)
  for _, child in ipairs(children or {}) do
    check(C.tenon_layer_set_child(context, layer, "", 0, child))
  end
  return layer
end

local Layer, Optimizer, Schedule, Loader, Checkpoint, History = {}, {}, {}, {}, {}, {}

-- Of one input and one output.
function Layer:forward(x)
  set_value(inputs[0], x)
  check(C.tenon_layer_call(context, self, inputs, 1, outputs, 1))
  return keep("tensor", outputs[0])
end

function Optimizer:set(name, value)
  set_value(inputs[0], value)
  check(C.tenon_optimizer_set(context, self, name, #name, inputs))
end

-- Updates the parameters by their gradients, and drops these.
function Optimizer:step()
  check(C.tenon_optimizer_run(context, self, constant.OPTIMIZER_CLEAR_GRAD))
end

-- The number of the next step.
function Schedule:next()
  local value = ffi.new("double[1]")
  check(C.tenon_schedule_run(context, self, nil, value))
  return value[0]
end

-- options: batch, seed, shuffle, workers, transforms (of field 0).
function tenon.loader(set, options)
  local out = ffi.new("tenon_loader *[1]")
  local flags = options.shuffle and constant.LOADER_SHUFFLE or 0
  check(C.tenon_loader_create(context, set, options.batch, options.seed or 0, flags, out))
  local loader, list = keep("loader", out[0]), options.transforms or {}
  local transforms = ffi.new("tenon_transform *[?]", #list + 1, list)
  local zeros = ffi.new("uint32_t[?]", #list + 1)
  check(C.tenon_loader_set_transforms(context, loader, transforms, zeros, #list))
  check(C.tenon_loader_set_workers(context, loader, options.workers or 0))
  return loader
end

function Loader:info()
  local info = ffi.new("tenon_loader_info", { struct_size = ffi.sizeof("tenon_loader_info") })
  check(C.tenon_loader_get_info(context, self, info))
  return info
end

function Loader:begin(epoch)
  check(C.tenon_loader_begin(context, self, epoch, 0))
end

-- for images, labels in loader:batches() do: what is left of the epoch. Each batch is a region.
function Loader:batches()
  local begin, n_fields = n_kept, self:info().n_fields
  local handles, n = ffi.new("tenon_tensor *[?]", n_fields), ffi.new("int64_t[1]")
  return function()
    release(begin)
    check(C.tenon_loader_run(context, self, handles, n_fields, n))
    local batch = {}
    for i = 1, n[0] > 0 and n_fields or 0 do
      batch[i] = keep("tensor", handles[i - 1])
    end
    return unpack(batch)
  end
end

function tenon.checkpoint(parts)
  local out = ffi.new("tenon_checkpoint *[1]")
  check(C.tenon_checkpoint_create(context, out))
  local run = keep("checkpoint", out[0])
  for name, part in pairs(parts) do
    local kind = tostring(ffi.typeof(part)):match("tenon_(%w+)")
    check(C["tenon_checkpoint_set_" .. kind](context, run, name, #name, part))
  end
  return run
end

function Checkpoint:save(path)
  check(C.tenon_checkpoint_save(context, self, path, #path))
end

function tenon.history()
  local out = ffi.new("tenon_history *[1]")
  check(C.tenon_history_create(context, out))
  return keep("history", out[0])
end

function History:add(name, step, value)
  check(C.tenon_history_set(context, self, name, #name, step, value))
end

-- Draws all series as one picture (SVG).
function History:save(path, title, axis)
  check(C.tenon_history_save(context, self, path, #path, title, #title, axis, #axis))
end

for kind, methods in pairs({
  tensor = Tensor,
  layer = Layer,
  optimizer = Optimizer,
  schedule = Schedule,
  loader = Loader,
  checkpoint = Checkpoint,
  history = History,
}) do
  ffi.metatype("struct tenon_" .. kind, { __index = methods })
end

return tenon
