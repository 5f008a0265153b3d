// SPDX-License-Identifier: Apache-2.0
// sdk/tools/run_file.cc: the parts of a checkpoint, by the names that core/checkpoint gives them.
#include "run_file.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "entry_facts.h"

namespace tenon::tools {
namespace {

using Names = std::set<std::string>;
using Texts = std::map<std::string, std::string>;

const std::string kRandom = "rng";
const std::string kGroup = "group.";  // of an optimizer with several: "group.1.lr"
const std::string kGroupSizes = kGroup + "sizes";
// What a loader's place has in any file, and what it may have.
const Names kPlace = {"seed", "epoch", "position"};
const std::string kShare = "share.";
const Names kPlaceMore = {"samples", "shuffle", "pool", "batch", kShare + "count", kShare + "of"};

bool is_loader(const Names& names) {
  const auto is_known = [](const std::string& name) {
    return kPlace.contains(name) || kPlaceMore.contains(name);
  };
  return std::ranges::includes(names, kPlace) && std::ranges::all_of(names, is_known);
}

// What stands before the last dot, and after it.
std::pair<std::string, std::string> split_name(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == name.npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

bool is_whole_number(const std::string& text) {
  const char* const end = text.data() + text.size();
  uint64_t number = 0;
  const auto read = std::from_chars(text.data() + (text.starts_with('-') ? 1 : 0), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

// An entry of the registry whose parts a file would have.
struct Known {
  std::string name;
  Names options, states;
};

std::vector<Known> known_of(const Session& session, const std::string& kind) {
  std::vector<Known> all;
  for (const std::string& name : names_of_kind(session, kind)) {
    const EntryFacts entry = facts_of_entry(session, kind, name);
    Known known{name, {}, {}};
    for (const EntryOption& option : entry.options) known.options.insert(option.name);
    for (const EntryPart& state : entry.of_role(TENON_PART_STATE)) known.states.insert(state.name);
    all.push_back(known);
  }
  return all;
}

// "optimizer.0.3.exp_avg" within "optimizer.0": parameter 3, state "exp_avg".
struct StateTensor {
  uint32_t place = 0;  // in the list of the file's tensors
  uint64_t parameter = 0;
  std::string state;
};

class Run {
 public:
  Run(const Session& session, tenon_archive* archive, Inspection& found)
      : session_(session),
        archive_(archive),
        found_(found),
        optimizers_(known_of(session, "optimizer")),
        schedules_(known_of(session, "schedule")) {}

  void take_apart() {
    const Json& metadata = found_.content.at("metadata");
    for (const auto& [key, value] : metadata.items()) {
      const auto [part, name] = split_key(metadata, key);
      groups_[part][name] = value.get<std::string>();
    }
    for (const Json& tensor : found_.content.at("tensors")) rest_.push_back(tensor.at("name"));
    taken_.resize(rest_.size());
    for (const auto& [part, texts] : groups_) add_group(part, texts);
    add_tensors();
    std::stable_sort(parts_.begin(), parts_.end(), [](const Json& a, const Json& b) {
      return order_of(a.at("kind")) < order_of(b.at("kind"));
    });
    found_.content["kind"] = "checkpoint";
    found_.content["parts"] = parts_;
  }

 private:
  // As a program names them: what is trained first, then what trains it.
  static size_t order_of(const std::string& kind) {
    static const std::vector<std::string> order = {"layer",  "tensor", "optimizer",     "schedule",
                                                   "loader", "value",  "random numbers"};
    return static_cast<size_t>(std::find(order.begin(), order.end(), kind) - order.begin());
  }

  // What stands before the last dot, and after it; of an optimizer with several groups of
  // parameters, before "group." and after.
  static std::pair<std::string, std::string> split_key(const Json& metadata,
                                                       const std::string& key) {
    const size_t share = key.rfind("." + kShare);
    if (share != key.npos && metadata.contains(key.substr(0, share + 1) + "position")) {
      return {key.substr(0, share), key.substr(share + 1)};
    }
    const size_t group = key.rfind("." + kGroup);
    if (group == key.npos || !metadata.contains(key.substr(0, group + 1) + kGroupSizes)) {
      return split_name(key);
    }
    return {key.substr(0, group), key.substr(group + 1)};
  }

  void wrong(const std::string& what) { found_.findings.push_back(what); }

  void add_group(const std::string& part, const Texts& texts) {
    Names names;
    for (const auto& [name, value] : texts) {
      const bool grouped = texts.contains(kGroupSizes) && name.starts_with(kGroup);
      if (name != kGroupSizes) names.insert(grouped ? split_name(name).second : name);
    }
    if (part == kRandom) {
      return add_numbers("random numbers", part, texts, {"seed", "stream", "counter"});
    }
    const std::vector<StateTensor> states = states_of(part);
    if (part.empty()) return add_values(part, texts);
    if (is_loader(names) && states.empty()) return add_numbers("loader", part, texts, names);
    const std::vector<std::string> rules = optimizers_of(names, states);
    if (!rules.empty() || !states.empty()) return add_optimizer(part, texts, rules, states);
    std::vector<std::string> may_be;
    for (const Known& known : schedules_) {
      if (known.states == names) may_be.push_back(known.name);
    }
    may_be.empty() ? add_values(part, texts) : add_schedule(part, texts, may_be);
  }

  // A loader's place, or the random numbers.
  void add_numbers(const char* kind, const std::string& part, const Texts& texts,
                   const Names& expected) {
    Json json = {{"kind", kind}, {"name", part}};
    for (const std::string& name : expected) {
      const auto text = texts.find(name);
      if (text == texts.end()) {
        wrong(part + "." + name + " is missing");
      } else if (!is_whole_number(text->second)) {
        wrong(part + "." + name + " is \"" + one_line(text->second) + "\", not a whole number");
      } else {
        json[name] = text->second;
      }
    }
    for (const auto& [name, text] : texts) {
      if (expected.count(name) == 0) wrong(part + "." + name + " belongs to no " + kind);
    }
    parts_.push_back(std::move(json));
  }

  void add_values(const std::string& part, const Texts& texts) {
    for (const auto& [name, text] : texts) {
      const std::string full = part.empty() ? name : part + "." + name;
      parts_.push_back({{"kind", "value"}, {"name", full}, {"text", text}});
    }
  }

  void add_schedule(const std::string& part, const Texts& texts,
                    const std::vector<std::string>& may_be) {
    parts_.push_back({{"kind", "schedule"}, {"name", part}, {"may_be", may_be}, {"states", texts}});
  }

  // Tensors named as states of an optimizer of that name would be.
  std::vector<StateTensor> states_of(const std::string& part) const {
    std::vector<StateTensor> states;
    for (uint32_t i = 0; i < rest_.size() && !part.empty(); ++i) {
      if (!rest_[i].starts_with(part + ".")) continue;
      const std::string inside = rest_[i].substr(part.size() + 1);
      const size_t dot = inside.find('.');
      if (dot == inside.npos || dot == 0 || dot + 1 == inside.size()) continue;
      StateTensor state{i, 0, inside.substr(dot + 1)};
      const auto read = std::from_chars(inside.data(), inside.data() + dot, state.parameter);
      if (read.ec == std::errc() && read.ptr == inside.data() + dot) states.push_back(state);
    }
    return states;
  }

  // Those that have these hyper-parameters, and all the states.
  std::vector<std::string> optimizers_of(const Names& hypers,
                                         const std::vector<StateTensor>& states) const {
    std::vector<std::string> rules;
    for (const Known& known : optimizers_) {
      const bool has = std::all_of(states.begin(), states.end(), [&](const StateTensor& each) {
        return known.states.count(each.state) != 0;
      });
      if (has && known.options == hypers) rules.push_back(known.name);
    }
    return rules;
  }

  void add_optimizer(const std::string& part, const Texts& hypers,
                     const std::vector<std::string>& rules,
                     const std::vector<StateTensor>& states) {
    std::set<uint64_t> parameters;
    Names names;
    for (const StateTensor& each : states) {
      parameters.insert(each.parameter);
      names.insert(each.state);
      taken_[each.place] = true;
    }
    Json json = {{"kind", "optimizer"}, {"name", part},
                 {"may_be", rules},     {"parameters", parameters.size()},
                 {"states", names},     {"hypers", hypers}};
    if (const auto sizes = hypers.find(kGroupSizes); sizes != hypers.end()) {
      json["groups"] = sizes->second;
      json["hypers"].erase(kGroupSizes);
    }
    if (const std::optional<Json> steps = steps_of(states)) json["steps"] = *steps;
    if (rules.empty()) wrong(part + ": no optimizer of the registry has these names");
    parts_.push_back(std::move(json));
  }

  // The largest of the counters; those of parameters without a gradient are smaller.
  std::optional<Json> steps_of(const std::vector<StateTensor>& states) {
    std::optional<int64_t> most;
    for (const StateTensor& each : states) {
      const Json& tensor = found_.content.at("tensors")[each.place];
      if (each.state != "step" || tensor.at("dtype") != "i64" || !tensor.at("shape").empty()) {
        continue;
      }
      tenon_tensor* loaded = nullptr;
      int64_t steps = 0;
      session_.check(
          tenon_tensor_create_loaded(session_.context(), archive_, each.place, 0, &loaded));
      const tenon_status status =
          tenon_tensor_get_data(session_.context(), loaded, &steps, sizeof steps);
      tenon_tensor_release(loaded);
      session_.check(status);
      if (steps < 0) {
        wrong(rest_[each.place] + " is " + std::to_string(steps) + "; at least 0 is needed");
      } else {
        most = std::max(most.value_or(0), steps);
      }
    }
    return most ? std::optional<Json>(*most) : std::nullopt;
  }

  // What is left: a tensor of its own has no dot in its name, or is a layer's.
  void add_tensors() {
    std::map<std::string, Json> layers;
    for (uint32_t i = 0; i < rest_.size(); ++i) {
      if (taken_[i]) continue;
      const Json& tensor = found_.content.at("tensors")[i];
      const size_t dot = rest_[i].find('.');
      if (dot == rest_[i].npos) {
        parts_.push_back({{"kind", "tensor"},
                          {"name", rest_[i]},
                          {"dtype", tensor.at("dtype")},
                          {"shape", tensor.at("shape")}});
        if (tensor.contains("foreign")) parts_.back()["foreign"] = true;
        continue;
      }
      Json inside = tensor;
      inside["name"] = rest_[i].substr(dot + 1);
      layers[rest_[i].substr(0, dot)].push_back(inside);
    }
    for (const auto& [name, tensors] : layers) {
      parts_.push_back({{"kind", "layer"}, {"name", name}, {"tensors", tensors}});
    }
  }

  const Session& session_;
  tenon_archive* archive_;
  Inspection& found_;
  const std::vector<Known> optimizers_, schedules_;
  std::map<std::string, Texts> groups_;  // of metadata, by part
  std::vector<std::string> rest_;        // names of tensors
  std::vector<bool> taken_;
  std::vector<Json> parts_;
};

std::string pairs_text(const Json& texts) {
  std::string line;
  for (const auto& [name, text] : texts.items()) {
    line += (line.empty() ? "" : ", ") + one_line(name) + " " + one_line(text.get<std::string>());
  }
  return line;
}

std::string may_be_text(const Json& part) {
  std::string line;
  for (const std::string& name : names_of(part.at("may_be"))) {
    line += (line.empty() ? "" : " or ") + name;
  }
  return line.empty() ? "of a plugin that is not there" : line;
}

std::string text_of_part(const Json& part) {
  const std::string kind = part.at("kind");
  if (kind == "layer") return count_text(part.at("tensors").size(), "tensor");
  if (kind == "tensor") {
    return tensor_text(part);
  }
  if (kind == "value") return one_line(part.at("text").get<std::string>());
  if (kind == "schedule") return may_be_text(part) + "; " + pairs_text(part.at("states"));
  if (kind == "optimizer") {
    const std::string steps =
        part.contains("steps") ? ", " + count_text(part.at("steps").get<size_t>(), "step") : "";
    const std::string groups = part.contains("groups")
                                   ? ", groups of " + one_line(part.at("groups").get<std::string>())
                                   : "";
    return may_be_text(part) + ", " + count_text(part.at("parameters").get<size_t>(), "parameter") +
           " with states" + steps + groups + "; " + pairs_text(part.at("hypers"));
  }
  Json numbers = part;
  numbers.erase("kind");
  numbers.erase("name");
  return pairs_text(numbers);
}

}  // namespace

bool is_run_file(const Json& metadata) {
  return std::any_of(metadata.items().begin(), metadata.items().end(),
                     [](const auto& item) { return split_name(item.key()).first == kRandom; });
}

void take_apart(const Session& session, tenon_archive* archive, Inspection& found) {
  Run(session, archive, found).take_apart();
}

std::string tensor_text(const Json& tensor) {
  const std::string dtype = one_line(tensor.at("dtype").get<std::string>());
  const std::string shape = tensor.at("shape").dump();
  if (!tensor.contains("foreign")) return dtype + shape;
  return dtype + (tensor.at("shape").empty() ? "" : " " + shape) + ", foreign";
}

void print_run(const Json& content) {
  print("  format: " + content.at("format").get<std::string>() + "\n");
  for (const Json& part : content.at("parts")) {
    const std::string kind = part.at("kind");
    const std::string name = kind == "random numbers" ? "" : " " + one_line(part.at("name"));
    print("  " + kind + name + ": " + text_of_part(part) + "\n");
    if (kind != "layer") continue;
    for (const Json& tensor : part.at("tensors")) {
      print("    " + one_line(tensor.at("name").get<std::string>()) + ": " + tensor_text(tensor) +
            "\n");
    }
  }
}

}  // namespace tenon::tools
