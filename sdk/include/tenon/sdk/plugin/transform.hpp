// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/transform.hpp: writing a transform in one short file.
//
//   struct Half {
//     explicit Half(const sdk::Attrs&) {}                        // options by their position
//     tenon_meta infer(const tenon_meta& sample) const { ... }   // what becomes of one sample
//     void run(const tenon_batch& batch, const tenon_view& from, const tenon_view& to) const {
//       ...                                                      // [n, ...], row-major
//     }
//   };
//   constexpr tenon_transform_desc transforms[] = {sdk::transform<Half>({.name = "acme.half"})};
//   TENON_UNIT(half) = {.transforms = transforms};
//
// The functions throw sdk::Failure (or any std::exception) for what does not fit. One without `run`
// changes the shape alone.
#pragma once

#include <tenon/ext/draft/transforms.h>
#include <tenon/sdk/plugin/base.hpp>
#include <tenon/sdk/plugin/batch.hpp>

#include <memory>

namespace tenon::sdk {

// Elements of one sample of a batch [n, ...].
inline int64_t sample_elements(const tenon_view& batch) {
  return count_of({batch.shape + 1, static_cast<size_t>(batch.rank) - 1});
}

struct TransformSpec {
  std::string_view name;
  std::string_view doc;
  std::span<const tenon_transform_option> options{};
  std::span<const tenon_transform_sample> samples{};
};

constexpr tenon_transform_option required_transform_option(std::string_view name, uint32_t tag,
                                                           std::string_view doc) {
  return {str(name), str(doc), tag, 1, {}};
}
// Of the type of `initial`.
constexpr tenon_transform_option transform_option(std::string_view name, Value initial,
                                                  std::string_view doc) {
  return {str(name), str(doc), initial.tag, 0, initial};
}

constexpr tenon_transform_sample transform_sample(std::string_view text) {
  return {str(text), {}, TENON_OK, 0};
}
constexpr tenon_transform_sample refused_transform(std::string_view text, tenon_status expect,
                                                   std::string_view fragment) {
  return {str(text), str(fragment), expect, 0};
}

template <class Made>
constexpr tenon_transform_desc transform(const TransformSpec& spec) {
  constexpr bool runs =
      requires(const Made& made, const tenon_batch& batch, const tenon_view& view) {
    made.run(batch, view, view);
  };
  tenon_transform_desc desc{};
  desc.struct_size = sizeof desc;
  desc.flags = runs ? 0 : TENON_TRANSFORM_VIEW;
  desc.name = str(spec.name);
  desc.doc = str(spec.doc);
  desc.options = spec.options.data();
  desc.samples = spec.samples.data();
  desc.n_options = static_cast<uint32_t>(spec.options.size());
  desc.n_samples = static_cast<uint32_t>(spec.samples.size());
  desc.create = [](tenon_call* call, const tenon_value* values, void** out_object) {
    return guarded(call, [&] {
      *out_object = std::make_unique<Made>(Attrs(values, TENON_MAX_SLOTS)).release();
    });
  };
  desc.release = [](void* object) { delete static_cast<Made*>(object); };
  desc.infer = [](tenon_call* call, void* object, const tenon_meta* sample,
                  tenon_meta* out_sample) {
    return guarded(call, [&] { *out_sample = static_cast<const Made*>(object)->infer(*sample); });
  };
  if constexpr (runs) {
    desc.run = [](tenon_call* call, void* object, const tenon_batch* batch, const tenon_view* from,
                  const tenon_view* to) {
      return guarded(call, [&] { static_cast<const Made*>(object)->run(*batch, *from, *to); });
    };
  }
  return desc;
}

}  // namespace tenon::sdk
