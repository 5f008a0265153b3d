// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_loader_support.cc: right calls of transforms, loaders and checkpoints.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/api/fault_sweep_support.h"

namespace tenon::tests {
namespace {

// Made before any call, in which allocations fail.
const std::string kFile = (std::filesystem::temp_directory_path() /
                           ("tenon-fault-run-" + std::to_string(getpid()) + ".safetensors"))
                              .string();

void remove_file(FaultWorld&) { std::filesystem::remove(kFile); }

void add_transforms(FaultRows& rows) {
  const auto make = [](FaultWorld& w) {
    static constexpr tenon_string name = {"scale", TENON_NUL};
    const tenon_value two = value_of(2.0);
    return tenon_transform_create(w.cx, "tenon.normalise", TENON_NUL, &name, &two, 1,
                                  &w.outs.transform);
  };
  sweep(rows, "tenon_transform_create", "normalise", make);
  sweep(
      rows, "tenon_transform_release", "",
      [](FaultWorld& w) {
        tenon_transform_release(w.outs.transform);
        return TENON_OK;
      },
      [](FaultWorld& w) { w.reset_outs(); },
      [make](FaultWorld& w) { EXPECT_EQ(make(w), TENON_OK); });
  sweep(rows, "tenon_transform_call", "normalise", [](FaultWorld& w) {
    static constexpr int64_t samples[] = {0, 1};
    const tenon_batch batch = {2, samples, 0, 0};
    return tenon_transform_call(w.cx, w.own.transform, &batch, w.t, w.outs.tensors);
  });
}

void add_loaders(FaultRows& rows) {
  const auto make = [](FaultWorld& w) {
    return tenon_loader_create(w.cx, w.own.dataset, 4, 0, TENON_LOADER_SHUFFLE, &w.outs.loader);
  };
  sweep(rows, "tenon_loader_create", "shuffled", make);
  sweep(rows, "tenon_loader_create_numbers", "shuffled", [](FaultWorld& w) {
    return tenon_loader_create_numbers(w.cx, 9, 2, 0, TENON_LOADER_SHUFFLE, &w.outs.loader);
  });
  sweep(
      rows, "tenon_loader_release", "",
      [](FaultWorld& w) {
        tenon_loader_release(w.outs.loader);
        return TENON_OK;
      },
      [](FaultWorld& w) { w.reset_outs(); },
      [make](FaultWorld& w) { EXPECT_EQ(make(w), TENON_OK); });
  sweep(
      rows, "tenon_loader_set_transforms", "normalise",
      [](FaultWorld& w) {
        const uint32_t field = 0;
        return tenon_loader_set_transforms(w.cx, w.own.loader, &w.own.transform, &field, 1);
      },
      [](FaultWorld& w) {
        EXPECT_EQ(tenon_loader_set_transforms(w.cx, w.own.loader, nullptr, nullptr, 0), TENON_OK);
      });
  // Without samples: what workers read at the same time would take its part of the failures.
  static tenon_loader* empty = nullptr;
  sweep(
      rows, "tenon_loader_set_workers", "two",
      [](FaultWorld& w) { return tenon_loader_set_workers(w.cx, empty, 2); }, [](FaultWorld&) {},
      [](FaultWorld& w) {
        tenon_loader_release(empty);
        EXPECT_EQ(tenon_loader_create_numbers(w.cx, 0, 2, 0, 0, &empty), TENON_OK);
      });
  sweep(rows, "tenon_loader_begin", "another epoch",
        [](FaultWorld& w) { return tenon_loader_begin(w.cx, w.own.loader, 2, 4); });
  sweep(rows, "tenon_loader_set_share", "all",
        [](FaultWorld& w) { return tenon_loader_set_share(w.cx, w.own.loader, 0, 1, 1); });
  sweep(rows, "tenon_loader_set_buckets", "of two", [](FaultWorld& w) {
    static constexpr int64_t lengths[4096] = {};
    return tenon_loader_set_buckets(w.cx, w.own.loader, 2, lengths);
  });
  sweep(rows, "tenon_loader_run", "a batch", [](FaultWorld& w) {
    return tenon_loader_run(w.cx, w.own.loader, w.outs.tensors, 1, &w.outs.length);
  });
  sweep(rows, "tenon_loader_get_info", "", [](FaultWorld& w) {
    return tenon_loader_get_info(w.cx, w.own.loader, &w.outs.loader_info);
  });
  sweep(
      rows, "tenon_loader_get_field", "the first",
      [](FaultWorld& w) {
        return tenon_loader_get_field(w.cx, w.own.loader, 0, &w.outs.name, &w.outs.meta);
      },
      [](FaultWorld& w) { w.reset_outs(); });
}

// A dataset that says how long its samples are.
void add_lengths(FaultRows& rows) {
  static const std::string file = (std::filesystem::temp_directory_path() /
                                   ("tenon-fault-tokens-" + std::to_string(getpid()) + ".bin"))
                                      .string();
  static const std::string dtype = "u16";
  static tenon_dataset* lines = nullptr;
  const auto open = [](FaultWorld& w) {
    std::ofstream(file) << "seven tokens..";
    static constexpr tenon_string names[] = {
        {"paths", TENON_NUL}, {"dtype", TENON_NUL}, {"window", TENON_NUL}, {"pad", TENON_NUL}};
    tenon_value values[] = {
        value_of(file), value_of(dtype), {TENON_VALUE_I64, 0, {}}, {TENON_VALUE_I64, 0, {}}};
    values[2].as.i64 = 3;
    EXPECT_EQ(tenon_dataset_create(w.cx, "tenon.tokens", TENON_NUL, names, values, 4, &lines),
              TENON_OK);
  };
  const auto close = [](FaultWorld&, tenon_status) {
    tenon_dataset_release(lines);
    std::filesystem::remove(file);
  };
  rows.push_back({"tenon_dataset_get_lengths",
                  "all",
                  [](FaultWorld& w) {
                    int64_t lengths[2] = {};
                    return tenon_dataset_get_lengths(w.cx, lines, 0, 2, lengths);
                  },
                  {},
                  open,
                  false,
                  close});
}

void add_checkpoints(FaultRows& rows) {
  sweep(rows, "tenon_checkpoint_create", "",
        [](FaultWorld& w) { return tenon_checkpoint_create(w.cx, &w.outs.checkpoint); });
  const auto fresh = [](FaultWorld& w) {
    EXPECT_EQ(tenon_checkpoint_create(w.cx, &w.outs.checkpoint), TENON_OK);
  };
  // Each call adds to a checkpoint of its own, which it must leave as it was.
  static tenon_checkpoint* own = nullptr;
  const auto part = [&](const char* function,
                        const std::function<tenon_status(FaultWorld&, tenon_checkpoint*)>& set) {
    rows.push_back({function,
                    "a new part",
                    [set](FaultWorld& w) { return set(w, own); },
                    {},
                    [fresh](FaultWorld& w) {
                      fresh(w);
                      own = w.outs.checkpoint;
                      w.reset_outs();
                    },
                    false,
                    [](FaultWorld&, tenon_status) { tenon_checkpoint_release(own); }});
  };
  sweep(
      rows, "tenon_checkpoint_release", "",
      [](FaultWorld& w) {
        tenon_checkpoint_release(w.outs.checkpoint);
        return TENON_OK;
      },
      [](FaultWorld& w) { w.reset_outs(); }, fresh);
  part("tenon_checkpoint_set_layer", [](FaultWorld& w, tenon_checkpoint* to) {
    return tenon_checkpoint_set_layer(w.cx, to, "model", TENON_NUL, w.own.layer);
  });
  part("tenon_checkpoint_set_optimizer", [](FaultWorld& w, tenon_checkpoint* to) {
    return tenon_checkpoint_set_optimizer(w.cx, to, "optimizer", TENON_NUL, w.own.optimizer);
  });
  part("tenon_checkpoint_set_schedule", [](FaultWorld& w, tenon_checkpoint* to) {
    return tenon_checkpoint_set_schedule(w.cx, to, "schedule", TENON_NUL, w.own.schedule);
  });
  part("tenon_checkpoint_set_loader", [](FaultWorld& w, tenon_checkpoint* to) {
    return tenon_checkpoint_set_loader(w.cx, to, "loader", TENON_NUL, w.own.loader);
  });
  part("tenon_checkpoint_set_tensor", [](FaultWorld& w, tenon_checkpoint* to) {
    return tenon_checkpoint_set_tensor(w.cx, to, "tensor", TENON_NUL, w.t);
  });
  part("tenon_checkpoint_set_value", [](FaultWorld& w, tenon_checkpoint* to) {
    static constexpr char words[] = "more words than a short text holds";
    tenon_value value{TENON_VALUE_STRING, sizeof words - 1, {}};
    value.as.string = words;
    return tenon_checkpoint_set_value(w.cx, to, "value", TENON_NUL, &value);
  });
  sweep(rows, "tenon_checkpoint_get_value", "a number", [](FaultWorld& w) {
    return tenon_checkpoint_get_value(w.cx, w.own.checkpoint, "step", TENON_NUL, &w.outs.value);
  });
}

void add_files(FaultRows& rows) {
  const auto save = [](FaultWorld& w) {
    return tenon_checkpoint_save(w.cx, w.own.checkpoint, kFile.c_str(), TENON_NUL);
  };
  sweep(rows, "tenon_checkpoint_save", "safetensors", save, remove_file);
  sweep(
      rows, "tenon_checkpoint_load", "safetensors",
      [](FaultWorld& w) {
        return tenon_checkpoint_load(w.cx, w.own.checkpoint, kFile.c_str(), TENON_NUL, 0,
                                     &w.outs.index);
      },
      remove_file, [save](FaultWorld& w) { EXPECT_EQ(save(w), TENON_OK); });
  const auto save_layer = [](FaultWorld& w) {
    return tenon_layer_save(w.cx, w.own.layer, kFile.c_str(), TENON_NUL);
  };
  sweep(rows, "tenon_layer_save", "safetensors", save_layer, remove_file);
  sweep(
      rows, "tenon_layer_load", "safetensors",
      [](FaultWorld& w) { return tenon_layer_load(w.cx, w.own.layer, kFile.c_str(), TENON_NUL); },
      remove_file, [save_layer](FaultWorld& w) { EXPECT_EQ(save_layer(w), TENON_OK); });
  sweep(rows, "tenon_optimizer_create_for_layer", "sgd", [](FaultWorld& w) {
    return tenon_optimizer_create_for_layer(w.cx, "tenon.sgd", TENON_NUL, w.own.layer, nullptr,
                                            nullptr, 0, &w.outs.optimizer);
  });
}

}  // namespace

FaultRows loader_faults() {
  FaultRows rows;
  add_transforms(rows);
  add_loaders(rows);
  add_lengths(rows);
  add_checkpoints(rows);
  return rows;
}

FaultRows run_file_faults() {
  FaultRows rows;
  add_files(rows);
  return rows;
}

}  // namespace tenon::tests
