// SPDX-License-Identifier: Apache-2.0
// core/checkpoint/checkpoint.h: a training run in one file: which parts it has, and how each is
// saved and put back.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "core/data/loader.h"
#include "core/layers/layer.h"
#include "core/optim/optimizer.h"
#include "core/optim/schedule.h"

namespace tenon::checkpoint {

// A number or a text of the program's.
class Value {
 public:
  explicit Value(const tenon_value& value);
  tenon_value get() const;

  tenon_value number{};  // its tag alone if it is a text
  std::string text;
};

using Part = std::variant<layers::Shared, std::shared_ptr<optim::Optimizer>,
                          std::shared_ptr<optim::Schedule>, std::shared_ptr<data::Loader>,
                          tensor::Ref, Value>;
// By name. An empty name, of a part that is alone, puts nothing before the names in it.
using Parts = std::map<std::string, Part, std::less<>>;

// An optimizer with more than one group of parameters has a text that says how many each has, "12
// 2", and hyper-parameters by group, "group.1.lr"; one group alone has "lr".
constexpr std::string_view kGroupSizes = "group.sizes";
std::string group_sizes(const optim::Optimizer& optimizer);
std::string hyper_name(const optim::Optimizer& optimizer, uint32_t group, std::string_view name);

// A whole run has its random numbers too, and is a safetensors file whatever its name; what is no
// run has the format of its name's ending.
enum class Extent : uint8_t { Run, Alone };
const registry::Entry& format_of(Context& context, Extent extent, const std::string& path);

// Writes the file as a whole.
void save(Context& context, const Parts& parts, Extent extent, const std::string& path);
// Checks all of the file, then puts every part back. Throws TENON_E_DATA and changes nothing.
void load(Context& context, Parts& parts, Extent extent, const std::string& path);

class Checkpoint : public OfRuntime {
 public:
  explicit Checkpoint(Runtime& runtime) : OfRuntime(runtime) {}

  void set(std::string_view name, Part part);
  tenon_value value(std::string_view name) const;  // throws TENON_E_NOT_FOUND
  const Parts& parts() const { return parts_; }
  Parts& parts() { return parts_; }

 private:
  Parts parts_;
};

}  // namespace tenon::checkpoint
