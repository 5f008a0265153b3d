// SPDX-License-Identifier: Apache-2.0
// tests/training/transforms_support.h: a set of small images, loaders of it, and transforms.
#pragma once

#include <numeric>

#include "tests/training/training_support.h"

namespace tenon::tests {

using Bytes = std::vector<uint8_t>;

class TransformTest : public Training {
 protected:
  // `length` images of u8[sizes]; element i of them all is i.
  void open(std::vector<uint32_t> sizes) {
    size_t elements = 1;
    for (const uint32_t size : sizes) elements *= size;
    std::string payload;
    for (size_t i = 0; i < elements; ++i) payload += static_cast<char>(i);
    set_ = dataset({{"images", text(write("set", idx_file(0x08, sizes, payload)))}});
    set_shape_ = {2};
    set_shape_.insert(set_shape_.end(), sizes.begin() + 1, sizes.end());
  }
  Transform normalise(const std::vector<double>& mean, const std::vector<double>& deviation,
                      double scale) {
    return transform(
        "tenon.normalise",
        {{"mean", floats(mean)}, {"deviation", floats(deviation)}, {"scale", real(scale)}});
  }
  Transform crop(int64_t height, int64_t width, int64_t padding, bool random) {
    return transform("tenon.crop", {{"height", whole(height)},
                                    {"width", whole(width)},
                                    {"padding", whole(padding)},
                                    {"random", flag(random)}});
  }
  tenon_status set(const Loader& loader, const std::vector<const Transform*>& list,
                   uint32_t field = 0) {
    std::vector<tenon_transform*> transforms;
    for (const Transform* each : list) transforms.push_back(each->get());
    const std::vector<uint32_t> fields(list.size(), field);
    return tenon_loader_set_transforms(context, loader.get(), transforms.data(), fields.data(),
                                       static_cast<uint32_t>(list.size()));
  }
  Loader loader(int64_t batch, const std::vector<const Transform*>& list, uint64_t seed = 3) {
    Loader made = Training::loader(set_, batch, seed, 0);
    must(set(made, list));
    return made;
  }
  Tensor next(const Loader& loader) {
    tenon_tensor* field = nullptr;
    int64_t n = 0;
    must(tenon_loader_run(context, loader.get(), &field, 1, &n));
    return Tensor(field);
  }
  Bytes bytes_of(const Tensor& tensor) {
    tenon_tensor_info info{};
    info.struct_size = sizeof info;
    must(tenon_tensor_get_info(context, tensor.get(), &info));
    Bytes bytes(static_cast<size_t>(info.elements));
    must(tenon_tensor_get_data(context, tensor.get(), bytes.data(), bytes.size()));
    return bytes;
  }
  // All samples of epoch `epoch`, one after the other.
  Bytes epoch_of(const Loader& loader, int64_t epoch) {
    must(tenon_loader_begin(context, loader.get(), epoch, 0));
    Bytes all;
    while (info(loader).remaining > 0) {
      const Bytes some = bytes_of(next(loader));
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  Shape shape_of(const Tensor& tensor) {
    tenon_view view{};
    must(tenon_tensor_get_view(context, tensor.get(), &view));
    return {view.shape, view.shape + view.rank};
  }
  // The words for one transform that does not fit the set's field.
  std::string refuse(const Transform& transform, tenon_status expected, uint32_t field = 0) {
    const Loader made = loader(2, {});
    std::string words = refused(set(made, {&transform}, field), expected);
    EXPECT_EQ(shape_of(next(made)), set_shape_);
    return words;
  }
  // The words for settings that no transform has.
  std::string refuse_options(const char* name, const std::vector<Option>& options) {
    const Options given(options);
    tenon_transform* out = nullptr;
    std::string words = refused(
        tenon_transform_create(context, name, TENON_NUL, given.names.data(), given.values.data(),
                               static_cast<uint32_t>(given.names.size()), &out),
        TENON_E_ATTRIBUTE);
    EXPECT_EQ(out, nullptr);
    return words;
  }
  // Samples 0, 1 ... of [n, ...] in epoch 2 of a loader with seed 7.
  template <class T>
  std::vector<T> changed(const Transform& transform, const Tensor& field, int64_t n) {
    std::vector<int64_t> samples(static_cast<size_t>(n));
    std::iota(samples.begin(), samples.end(), 0);
    const tenon_batch batch = {n, samples.data(), 7, 2};
    tenon_tensor* out = nullptr;
    must(tenon_transform_call(context, transform.get(), &batch, field.get(), &out));
    const Tensor made(out);
    return made ? values_of<T>(out) : std::vector<T>();
  }
  template <class T>
  std::vector<T> changed(const Transform& transform, const Shape& shape,
                         const std::vector<T>& values) {
    return changed<T>(transform, tensor<T>(shape, values), shape[0]);
  }
  Dataset set_;
  Shape set_shape_;  // of a batch of two
};

}  // namespace tenon::tests
