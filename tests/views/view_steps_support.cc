// SPDX-License-Identifier: Apache-2.0
// tests/views/view_steps_support.cc: the view ops, one function each.
#include <algorithm>
#include <numeric>

#include "tests/views/view_steps.h"

namespace tenon::tests {
namespace {

constexpr size_t kMaxRank = 6;
constexpr int64_t kMaxElements = 600;

int64_t number_of(const Shape& place, const Shape& shape) {
  int64_t number = 0;
  for (size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + place[d];
  return number;
}

// The result has `shape`; its element at `place` is the operand's at old_place(place).
template <class OldPlace>
bool finish(Step& step, const Shape& old_shape, const Shape& shape, OldPlace old_place) {
  if (shape.size() > kMaxRank || sdk::count_of(shape) > kMaxElements) return false;
  step.shape = shape;
  step.from.clear();
  Shape place(shape.size(), 0);
  for (int64_t left = sdk::count_of(shape); left > 0; --left) {
    step.from.push_back(number_of(old_place(place), old_shape));
    for (size_t d = shape.size(); d-- > 0;) {
      if (++place[d] < shape[d]) break;
      place[d] = 0;
    }
  }
  return true;
}

// The same elements in the same order.
bool finish_in_order(Step& step, const Shape& shape) {
  step.shape = shape;
  step.from.resize(static_cast<size_t>(sdk::count_of(shape)));
  std::iota(step.from.begin(), step.from.end(), 0);
  return shape.size() <= kMaxRank;
}

Shape all_axes(size_t rank) {
  Shape axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

// Some of the axes, in any order.
Shape some_axes(Random& random, Shape axes) {
  random.shuffle(axes);
  axes.resize(static_cast<size_t>(random.in(0, static_cast<int64_t>(axes.size()))));
  return axes;
}

Shape spelled(Random& random, Shape axes, size_t rank) {
  for (int64_t& axis : axes) axis = random.spelled(axis, rank);
  return axes;
}

bool contains(const Shape& list, size_t item) {
  return std::find(list.begin(), list.end(), static_cast<int64_t>(item)) != list.end();
}

// The places of an axis that a view takes, one after another.
bool take(Step& step, const Shape& shape, size_t axis, const Shape& places) {
  Shape result = shape;
  result[axis] = static_cast<int64_t>(places.size());
  return finish(step, shape, result, [&](Shape place) {
    place[axis] = places[static_cast<size_t>(place[axis])];
    return place;
  });
}

Shape range(int64_t first, int64_t count) {
  Shape places(static_cast<size_t>(count));
  std::iota(places.begin(), places.end(), first);
  return places;
}

bool transpose(Random& random, const Shape& shape, Step& step) {
  if (shape.empty()) return false;
  const int64_t a = random.axis(shape.size());
  const int64_t b = random.axis(shape.size());
  step.add(random.spelled(a, shape.size()));
  step.add(random.spelled(b, shape.size()));
  const auto swapped = [&](Shape list) {
    std::swap(list[static_cast<size_t>(a)], list[static_cast<size_t>(b)]);
    return list;
  };
  return finish(step, shape, swapped(shape), swapped);
}

bool permute(Random& random, const Shape& shape, Step& step) {
  Shape axes = all_axes(shape.size());
  random.shuffle(axes);
  step.add(spelled(random, axes, shape.size()));
  Shape result;
  for (const int64_t axis : axes) result.push_back(shape[static_cast<size_t>(axis)]);
  return finish(step, shape, result, [&](const Shape& place) {
    Shape old(place.size());
    for (size_t d = 0; d < place.size(); ++d) old[static_cast<size_t>(axes[d])] = place[d];
    return old;
  });
}

bool flip(Random& random, const Shape& shape, Step& step) {
  const bool all = random.chance(30);
  const Shape axes = all ? all_axes(shape.size()) : some_axes(random, all_axes(shape.size()));
  if (all) {
    step.add(std::nullopt);
  } else {
    step.add(spelled(random, axes, shape.size()));
  }
  return finish(step, shape, shape, [&](Shape place) {
    for (size_t d = 0; d < place.size(); ++d) {
      if (contains(axes, d)) place[d] = shape[d] - 1 - place[d];
    }
    return place;
  });
}

// Python's slice, by walking it.
Shape sliced(int64_t size, std::optional<int64_t> start, std::optional<int64_t> stop,
             int64_t step) {
  const auto counted = [&](int64_t place) { return place < 0 ? place + size : place; };
  int64_t at = step > 0 ? 0 : size - 1;
  if (start) at = counted(*start);
  // What lies outside on the near side is passed over without a step.
  if (step > 0) at = std::max<int64_t>(at, 0);
  if (step < 0) at = std::min(at, size - 1);
  Shape places;
  for (; at >= 0 && at < size; at += step) {
    if (stop && (step > 0 ? at >= counted(*stop) : at <= counted(*stop))) break;
    places.push_back(at);
  }
  return places;
}

bool slice(Random& random, const Shape& shape, Step& step) {
  if (shape.empty()) return false;
  const int64_t axis = random.axis(shape.size());
  const int64_t size = shape[static_cast<size_t>(axis)];
  const auto place = [&]() -> std::optional<int64_t> {
    if (random.chance(40)) return std::nullopt;
    return random.in(-size - 2, size + 2);
  };
  const auto start = place();
  const auto stop = place();
  const int64_t by = random.in(1, 3) * (random.chance(40) ? -1 : 1);
  step.add(random.spelled(axis, shape.size()));
  step.add(start);
  step.add(stop);
  step.add(by);
  const Shape places = sliced(size, start, stop, by);
  // Nothing is left of a tensor soon enough.
  if (places.empty() && !random.chance(20)) return false;
  return take(step, shape, static_cast<size_t>(axis), places);
}

bool broadcast(Random& random, const Shape& shape, Step& step, bool keeps) {
  const size_t lead = static_cast<size_t>(random.in(0, 1));
  Shape result;
  Shape given;
  for (size_t i = 0; i < lead; ++i) result.push_back(random.in(1, 3));
  given = result;
  for (const int64_t size : shape) {
    result.push_back(size == 1 && random.chance(70) ? random.in(1, 3) : size);
    given.push_back(keeps && result.back() == size && random.chance(30) ? -1 : result.back());
  }
  step.add(given);
  return finish(step, shape, result, [&](const Shape& place) {
    Shape old(place.begin() + static_cast<int64_t>(lead), place.end());
    for (size_t d = 0; d < old.size(); ++d) old[d] = shape[d] == 1 ? 0 : old[d];
    return old;
  });
}

bool expand(Random& random, const Shape& shape, Step& step) {
  return broadcast(random, shape, step, true);
}
bool broadcast_to(Random& random, const Shape& shape, Step& step) {
  return broadcast(random, shape, step, false);
}

bool squeeze(Random& random, const Shape& shape, Step& step) {
  Shape ones;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) ones.push_back(static_cast<int64_t>(d));
  }
  const bool all = random.chance(30);
  if (!all) ones = some_axes(random, ones);
  if (all) {
    step.add(std::nullopt);
  } else {
    step.add(spelled(random, ones, shape.size()));
  }
  Shape result;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!contains(ones, d)) result.push_back(shape[d]);
  }
  return finish_in_order(step, result);
}

bool unsqueeze(Random& random, const Shape& shape, Step& step) {
  const size_t rank = shape.size() + static_cast<size_t>(random.in(0, 2));
  Shape axes = all_axes(rank);
  random.shuffle(axes);
  axes.resize(rank - shape.size());
  step.add(spelled(random, axes, rank));
  Shape result;
  for (size_t d = 0, old = 0; d < rank; ++d) {
    result.push_back(contains(axes, d) ? 1 : shape[old++]);
  }
  return finish_in_order(step, result);
}

bool reshape(Random& random, const Shape& shape, Step& step) {
  int64_t left = sdk::count_of(shape);
  if (left == 0) return false;
  Shape result;
  while (left > 1) {
    Shape divisors;
    for (int64_t size = 2; size <= left; ++size) {
      if (left % size == 0) divisors.push_back(size);
    }
    result.push_back(divisors[static_cast<size_t>(random.axis(divisors.size()))]);
    left /= result.back();
  }
  if (random.chance(30)) result.insert(result.begin() + random.in(0, int64_t(result.size())), 1);
  Shape given = result;
  if (!given.empty() && random.chance(30))
    given[static_cast<size_t>(random.axis(given.size()))] = -1;
  step.add(given);
  return finish_in_order(step, result);
}

bool flatten(Random& random, const Shape& shape, Step& step) {
  const size_t rank = std::max<size_t>(shape.size(), 1);
  const int64_t first = random.axis(rank);
  const int64_t last = random.in(first, static_cast<int64_t>(rank) - 1);
  step.add(random.spelled(first, rank));
  step.add(random.spelled(last, rank));
  Shape result(shape.begin(), shape.begin() + first);
  result.push_back(1);
  for (size_t d = static_cast<size_t>(first); d < shape.size(); ++d) {
    if (d <= static_cast<size_t>(last)) {
      result.back() *= shape[d];
    } else {
      result.push_back(shape[d]);
    }
  }
  return finish_in_order(step, result);
}

bool diagonal(Random& random, const Shape& shape, Step& step) {
  if (shape.size() < 2) return false;
  Shape axes = all_axes(shape.size());
  random.shuffle(axes);
  const auto a = static_cast<size_t>(axes[0]);
  const auto b = static_cast<size_t>(axes[1]);
  const int64_t offset = random.in(-shape[a], shape[b]);
  step.add(offset);
  step.add(random.spelled(axes[0], shape.size()));
  step.add(random.spelled(axes[1], shape.size()));
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t i = 0; i < shape[a]; ++i) {
    if (i + offset >= 0 && i + offset < shape[b]) pairs.emplace_back(i, i + offset);
  }
  if (pairs.empty() && !random.chance(20)) return false;
  Shape result;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d != a && d != b) result.push_back(shape[d]);
  }
  result.push_back(static_cast<int64_t>(pairs.size()));
  return finish(step, shape, result, [&](const Shape& place) {
    Shape old(shape.size());
    for (size_t d = 0, next = 0; d < shape.size(); ++d) {
      if (d != a && d != b) old[d] = place[next++];
    }
    const auto [row, column] = pairs[static_cast<size_t>(place.back())];
    old[a] = row;
    old[b] = column;
    return old;
  });
}

bool unfold(Random& random, const Shape& shape, Step& step) {
  if (shape.empty()) return false;
  const int64_t axis = random.axis(shape.size());
  const auto index = static_cast<size_t>(axis);
  if (shape[index] == 0) return false;
  const int64_t size = random.in(1, shape[index]);
  const int64_t by = random.in(1, 3);
  step.add(random.spelled(axis, shape.size()));
  step.add(size);
  step.add(by);
  Shape result = shape;
  result[index] = 0;
  for (int64_t start = 0; start + size <= shape[index]; start += by) ++result[index];
  result.push_back(size);
  return finish(step, shape, result, [&](Shape place) {
    place[index] = place[index] * by + place.back();
    place.pop_back();
    return place;
  });
}

bool split(Random& random, const Shape& shape, Step& step) {
  if (shape.empty()) return false;
  const int64_t axis = random.axis(shape.size());
  Shape sizes;
  Shape starts;
  const int64_t length = shape[static_cast<size_t>(axis)];
  for (int64_t start = 0; start < length || sizes.empty(); start += sizes.back()) {
    starts.push_back(start);
    sizes.push_back(random.in(0, length - start));
  }
  const auto index = static_cast<size_t>(random.axis(sizes.size()));
  step.add(sizes);
  step.add(random.spelled(static_cast<int64_t>(index), sizes.size()));
  step.add(random.spelled(axis, shape.size()));
  if (sizes[index] == 0 && !random.chance(20)) return false;
  return take(step, shape, static_cast<size_t>(axis), range(starts[index], sizes[index]));
}

bool chunk(Random& random, const Shape& shape, Step& step) {
  if (shape.empty()) return false;
  const int64_t axis = random.axis(shape.size());
  const int64_t length = shape[static_cast<size_t>(axis)];
  const int64_t chunks = random.in(1, 4);
  const int64_t index = random.in(0, chunks - 1);
  step.add(chunks);
  step.add(random.spelled(index, static_cast<size_t>(chunks)));
  step.add(random.spelled(axis, shape.size()));
  int64_t size = 0;
  while (size * chunks < length) ++size;
  Shape places;
  for (int64_t place = index * size; place < (index + 1) * size && place < length; ++place) {
    places.push_back(place);
  }
  if (places.empty() && !random.chance(20)) return false;
  return take(step, shape, static_cast<size_t>(axis), places);
}

}  // namespace

const std::map<std::string, MakeStep>& view_steps() {
  static const std::map<std::string, MakeStep> steps = {{"tenon.broadcast_to", broadcast_to},
                                                        {"tenon.chunk", chunk},
                                                        {"tenon.diagonal", diagonal},
                                                        {"tenon.expand", expand},
                                                        {"tenon.flatten", flatten},
                                                        {"tenon.flip", flip},
                                                        {"tenon.permute", permute},
                                                        {"tenon.reshape", reshape},
                                                        {"tenon.slice", slice},
                                                        {"tenon.split", split},
                                                        {"tenon.squeeze", squeeze},
                                                        {"tenon.transpose", transpose},
                                                        {"tenon.unfold", unfold},
                                                        {"tenon.unsqueeze", unsqueeze},
                                                        {"tenon.view", reshape}};
  return steps;
}

}  // namespace tenon::tests
