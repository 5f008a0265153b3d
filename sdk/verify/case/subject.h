// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/subject.h: the plugin that is judged, what it declares, and the runtimes it is
// judged in. Everything is learned through the public C API.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "case/array.h"
#include "case/request.h"
#include "session.h"
#include "signature.h"

namespace tenon::verify {

using tools::Session;
using tools::Signature;

struct Kernel {
  std::string plugin;
  std::string device;
  bool canonical = false;
  bool capture_safe = false;
  bool index_64 = false;
  std::vector<std::string> rows;   // "f32", or "f32 i64" for two type variables
  std::vector<std::string> slots;  // "in strided zero_stride"
};

struct SampleText {
  uint32_t number = 0;  // among all samples of its op, in the registry's order
  std::string plugin;
  std::string text;
  std::string fragment;  // of the message, if it must be refused
  tenon_status expect = TENON_OK;
};

// One op and what the subject has to do with it.
struct Entry {
  std::string name;
  Signature signature;
  std::string doc;
  std::string plugin;              // whose op it is
  std::vector<std::string> flags;  // "elementwise", "random", "view", "effect", "transfer"
  bool has_vjp = false;
  bool composes = false;
  std::string vjp_plugin;
  std::vector<Kernel> kernels;                  // of all plugins
  std::vector<SampleText> samples;              // good ones and error samples
  std::map<std::string, Tolerance> tolerances;  // by dtype of the output

  bool defined = false;           // the subject registers the op
  bool rule = false;              // the subject's backward rule is the one that is used
  std::set<std::string> devices;  // kinds on which the subject has a kernel

  bool has_flag(std::string_view flag) const;
  // The subject's kernel on a device kind; NULL if there is none.
  const Kernel* own_kernel(const std::string& subject, const std::string& device) const;
  Tolerance tolerance(tenon_dtype output) const;
};

class Subject {
 public:
  // `id` was found by the parent; `options` exclude what has nothing to do with it. Throws Failure
  // with the host's verdict if it did not open.
  Subject(const Options& options, const std::string& id);

  const std::string& id() const { return id_; }
  const Options& options() const { return options_; }
  std::string folder();  // "" if the session has no such plugin
  const std::vector<Entry>& entries() const { return entries_; }  // ops it defines or extends
  const Entry& entry(const std::string& op) const;                // throws Failure
  const std::vector<Entry>& all_ops() const { return all_; }      // of every plugin in the session
  const Json& optimizer_samples() const { return optimizer_samples_; }
  // Its own entries of each kind, as of the queries "optimizers" and so on; one of them (throws
  // Failure).
  const std::vector<std::pair<std::string, Json>>& parts() const { return parts_; }
  const Json& part(const std::string& topic, const std::string& name) const;

  // Its kernels are pinned in all three. Each is made when first asked for.
  const Session& session();
  const Session& guarded();  // check mode layout
  const Session& strict();   // check mode threads
  // A new one with so many compute threads.
  std::unique_ptr<Session> with_threads(int threads) const;
  // Without the subject; NULL if nothing can run the op then. For plugins that others cannot do
  // without (the op's definition, the only kernel on host memory) there is none.
  const Session* without(const Entry& op);

  // The device kinds on which to run an op: those of the subject's kernels; for ops without any,
  // and for rules, host memory.
  std::vector<std::string> backends_for(const Entry& op);
  tenon_device device(const std::string& kind);
  // The numbers of kinds differ between runtimes.
  tenon_device device_in(const Session& session, const std::string& kind) const;
  bool is_host_memory(const std::string& kind);
  // Why this machine has no device of that kind; "" if it has one.
  std::string why_absent(const std::string& kind) const;

 private:
  void check_open() const;
  std::unique_ptr<Session> make(const std::string& check, int threads, bool with_subject) const;

  Options options_;
  std::string id_;
  std::vector<Entry> entries_, all_;
  Json optimizer_samples_, devices_;
  std::vector<std::pair<std::string, Json>> parts_;  // by topic
  std::unique_ptr<Session> session_, guarded_, strict_, without_;
  bool tried_without_ = false;
  std::vector<Entry> others_;  // ops of without_
};

}  // namespace tenon::verify
