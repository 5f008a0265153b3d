// SPDX-License-Identifier: Apache-2.0
// sdk/tools/probe_samples.cc: see probe_samples.h. Results are not compared with anything: that is
// the business of the conformance tests.
#include "probe_samples.h"

#include <algorithm>
#include <map>
#include <set>
#include <tenon/sdk/plugin/draw.hpp>

#include "operands.h"
#include "signature.h"

namespace tenon::tools {
namespace {

struct Sample {
  std::string op, text, fragment;
  uint32_t revision = 0;
  tenon_status expect = TENON_OK;
  bool own = false;  // of the plugin's own op
};

// Why an op concerns the plugin.
struct Part {
  bool vjp = false;
  std::set<std::string> devices;  // kinds it has a kernel on
};

// Outputs of a call.
class Tensors {
 public:
  explicit Tensors(size_t count) : all_(count, nullptr) {}
  ~Tensors() {
    for (tenon_tensor* tensor : all_) tenon_tensor_release(tensor);
  }
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;
  std::vector<tenon_tensor*>& all() { return all_; }

 private:
  std::vector<tenon_tensor*> all_;
};

class Runner {
 public:
  Runner(const Session& session, ProbeReport& report) : session_(session), report_(report) {}

  // `device`: NULL for the context's own.
  void run(const Sample& sample, const tenon_device* device, const std::string& where,
           bool backward) {
    const std::string name =
        "sample \"" + sample.text + "\" of " + sample.op + (where.empty() ? "" : " on " + where);
    report_.phase("running " + name);
    try {
      call(sample, device, name, backward);
    } catch (const Failure& failure) {
      report_.problem(name + " cannot be called: " + one_line(failure.text));
    }
  }
  size_t calls() const { return calls_; }
  size_t without_kernel() const { return without_kernel_; }

 private:
  void call(const Sample& sample, const tenon_device* device, const std::string& name,
            bool backward) {
    tenon_context* context = session_.context();
    session_.check(tenon_context_set_device(context, device));
    const tenon_op* op = nullptr;
    session_.check(
        tenon_op_find(context, sample.op.data(), sample.op.size(), sample.revision, &op));
    tenon_op_info info{};
    info.struct_size = sizeof info;
    session_.check(tenon_op_get_info(context, op, &info));
    const Operands operands(session_, op, sample.text, {device, sdk::kDrawSeed});
    // What is written in place may not require a gradient.
    backward = backward && sample.expect == TENON_OK && !writes_inputs(sample);
    const std::vector<tenon_tensor*> leaves =
        backward ? leaves_of(operands) : std::vector<tenon_tensor*>();
    Tensors outputs(info.n_outputs);
    const tenon_status status = tenon_op_call(
        context, op, operands.inputs().data(), static_cast<uint32_t>(operands.inputs().size()),
        operands.attrs().data(), static_cast<uint32_t>(operands.attrs().size()),
        outputs.all().data(), info.n_outputs);
    // Who has kernels for another's op need not have them for every dtype.
    if (status == TENON_E_NO_KERNEL && sample.expect != status && !sample.own) {
      ++without_kernel_;
      return;
    }
    ++calls_;
    compare(sample, status, name);
    if (status != TENON_OK) return;
    if (!leaves.empty()) run_backward(outputs.all(), leaves, name);
    wait(name);
  }

  bool writes_inputs(const Sample& sample) const {
    const std::string topic = "ops/" + sample.op + "@" + std::to_string(sample.revision);
    const std::vector<Operand> inputs = signature_of(session_.query(topic)).inputs;
    return std::any_of(inputs.begin(), inputs.end(),
                       [](const Operand& input) { return input.mutated; });
  }

  void compare(const Sample& sample, tenon_status status, const std::string& name) {
    if (status == sample.expect && status == TENON_OK) return;
    const std::string words = status == TENON_OK ? "" : words_of(status);
    if (status != sample.expect) {
      return report_.problem(name + " should give " + tenon_status_get_name(sample.expect) +
                             ", and gives " + (status == TENON_OK ? "TENON_OK" : one_line(words)));
    }
    if (words.find(sample.fragment) == std::string::npos) {
      report_.problem(name + " should be refused with words that contain \"" + sample.fragment +
                      "\"; they are: " + one_line(words));
    }
  }

  std::string words_of(tenon_status status) {
    try {
      session_.check(status);
    } catch (const Failure& failure) {
      return failure.text;
    }
    return {};
  }

  // Float inputs, now requiring a gradient.
  std::vector<tenon_tensor*> leaves_of(const Operands& operands) {
    std::vector<tenon_tensor*> leaves;
    const auto add = [&](tenon_tensor* tensor) {
      if (tenon_tensor_set_requires_grad(session_.context(), tensor, 1) == TENON_OK) {
        leaves.push_back(tensor);
      }
    };
    for (const tenon_value& input : operands.inputs()) {
      if (input.tag == TENON_VALUE_TENSOR) add(input.as.tensor);
      for (uint32_t i = 0; input.tag == TENON_VALUE_TENSOR_LIST && i < input.count; ++i) {
        add(input.as.tensors[i]);
      }
    }
    return leaves;
  }

  // The outputs serve as their own seeds.
  void run_backward(const std::vector<tenon_tensor*>& outputs,
                    const std::vector<tenon_tensor*>& leaves, const std::string& name) {
    std::vector<tenon_tensor*> roots;
    for (tenon_tensor* tensor : outputs) {
      tenon_tensor_info info{};
      info.struct_size = sizeof info;
      if (tensor == nullptr) continue;
      session_.check(tenon_tensor_get_info(session_.context(), tensor, &info));
      if ((info.flags & TENON_TENSOR_REQUIRES_GRAD) != 0) roots.push_back(tensor);
    }
    if (roots.empty()) return;
    report_.phase("running backward of " + name);
    Tensors grads(leaves.size());
    const tenon_status status = tenon_gradient_call(
        session_.context(), roots.data(), roots.data(), static_cast<uint32_t>(roots.size()),
        leaves.data(), static_cast<uint32_t>(leaves.size()), 0, grads.all().data());
    if (status == TENON_OK) return;
    report_.problem("backward of " + name + " fails: " + one_line(words_of(status)));
  }

  void wait(const std::string& name) {
    const tenon_status status = tenon_device_wait(session_.context(), nullptr);
    if (status == TENON_OK) return;
    report_.problem("waiting for the device after " + name +
                    " fails: " + one_line(words_of(status)));
  }

  const Session& session_;
  ProbeReport& report_;
  size_t calls_ = 0;
  size_t without_kernel_ = 0;
};

std::map<std::string, Part> parts_of(const Session& session, const std::string& id) {
  std::map<std::string, Part> parts;
  for (const Json& op : session.query("ops")) {
    Part part;
    part.vjp = op.at("vjp") == id;
    for (const Json& kernel : op.at("kernels")) {
      if (kernel.at("plugin") == id) part.devices.insert(kernel.at("device").get<std::string>());
    }
    if (part.vjp || !part.devices.empty() || op.at("plugin") == id) {
      parts.emplace(op.at("name").get<std::string>(), std::move(part));
    }
  }
  return parts;
}

}  // namespace

size_t run_samples(const Session& session, const std::string& id, ProbeReport& report) {
  const std::map<std::string, Part> parts = parts_of(session, id);
  const Json samples = session.query("samples");
  // Its kernels, if there are others.
  session.check(tenon_runtime_set_pin(session.context(), "", 0, id.data(), id.size()));
  Runner runner(session, report);
  std::set<std::string> absent;
  for (const Json& entry : samples) {
    const auto part = parts.find(entry.at("op"));
    if (part == parts.end() && entry.at("plugin") != id) continue;
    const Sample sample{entry.at("op"),       entry.at("text"),   entry.at("fragment"),
                        entry.at("revision"), entry.at("expect"), entry.at("plugin") == id};
    const bool vjp = part != parts.end() && part->second.vjp;
    if (part == parts.end() || part->second.devices.empty()) {
      runner.run(sample, nullptr, "", vjp);
      continue;
    }
    for (const std::string& kind : part->second.devices) {
      tenon_device device{};
      if (tenon_device_find(session.context(), kind.data(), kind.size(), 0, &device) != TENON_OK) {
        absent.insert(kind);
        continue;
      }
      runner.run(sample, &device, kind, vjp);
    }
  }
  if (runner.without_kernel() > 0) {
    report.send("note", std::to_string(runner.without_kernel()) +
                            " sample calls of other plugins' ops found no kernel: it has none for "
                            "their dtypes");
  }
  for (const std::string& kind : absent) {
    report.send("note", "its kernels for " + kind + " were not run: no such device is usable");
  }
  return runner.calls();
}

}  // namespace tenon::tools
