// SPDX-License-Identifier: Apache-2.0
// tests/core/slab_test.cc: handles, generations, counts, quarantine and threads of the slabs.
#include "core/base/slab.h"

#include <gtest/gtest.h>
#include <string.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using tenon::base::Slab;
using tenon::base::SlotHeader;

struct Animal : SlotHeader {
  Animal() = default;
  explicit Animal(std::string given) : name(std::move(given)) {}
  std::string name = "nobody";
  int64_t age = 3;
};

struct Wide : SlotHeader {
  explicit Wide(int* counter) : destroyed(counter) {}
  ~Wide() { ++*destroyed; }
  int* destroyed;
  char body[600] = {};
};

struct Refusing : SlotHeader {
  explicit Refusing(bool refuse) {
    if (refuse) throw std::runtime_error("no");
  }
};

struct Shared : SlotHeader {
  std::atomic<int64_t> value{0};
};

struct Rested : SlotHeader {
  int64_t value = 0;
};

using Animals = Slab<Animal, 101>;
using Wides = Slab<Wide, 102>;
using Refusings = Slab<Refusing, 103>;
using Shareds = Slab<Shared, 104>;
using Resteds = Slab<Rested, 105>;

void* forge(uintptr_t bits) { return reinterpret_cast<void*>(bits); }
uintptr_t bits_of(const void* handle) { return reinterpret_cast<uintptr_t>(handle); }

TEST(Slab, CreatesAlignedObjectsWithOneReference) {
  Animal* animal = Animals::instance().create("cow");
  EXPECT_EQ(bits_of(animal) % 256, 0u);
  EXPECT_EQ(animal->refs.load(), 1u);
  EXPECT_EQ(animal->name, "cow");
  EXPECT_EQ(animal->age, 3);
  Animal* plain = Animals::instance().create();
  EXPECT_EQ(plain->name, "nobody");
  int destroyed = 0;
  Wide* a = Wides::instance().create(&destroyed);
  Wide* b = Wides::instance().create(&destroyed);
  EXPECT_EQ(bits_of(b) % 256, 0u);
  EXPECT_GE(bits_of(b) > bits_of(a) ? bits_of(b) - bits_of(a) : bits_of(a) - bits_of(b), 768u);
  Wides::instance().destroy(a);
  Wides::instance().destroy(b);
  EXPECT_EQ(destroyed, 2);
  Animals::instance().destroy(animal);
  Animals::instance().destroy(plain);
  Animals::instance().destroy(nullptr);
}

TEST(Slab, HandlesLeadBackToTheirObject) {
  Animal* animal = Animals::instance().create("cat");
  void* handle = Animals::to_handle(animal);
  EXPECT_NE(handle, static_cast<void*>(animal));
  EXPECT_EQ(Animals::from_handle(handle), animal);
  EXPECT_EQ(Animals::to_handle(nullptr), nullptr);
  Animals::instance().destroy(animal);
  EXPECT_EQ(Animals::from_handle(handle), nullptr);
}

TEST(Slab, RefusesWhatIsNotALiveHandleOfTheKind) {
  Animal* animal = Animals::instance().create("dog");
  Refusing* other = Refusings::instance().create(false);
  void* handle = Animals::to_handle(animal);
  EXPECT_EQ(Animals::from_handle(nullptr), nullptr);
  EXPECT_EQ(Animals::from_handle(animal), nullptr) << "a bare pointer";
  EXPECT_EQ(Refusings::from_handle(handle), nullptr) << "another kind";
  EXPECT_EQ(Animals::from_handle(Refusings::to_handle(other)), nullptr);
  for (uintptr_t generation = 0; generation < 256; ++generation) {
    void* tried = forge(bits_of(animal) | generation);
    EXPECT_EQ(Animals::from_handle(tried), tried == handle ? animal : nullptr);
  }
  for (uintptr_t low = 0; low < 256; ++low) EXPECT_EQ(Animals::from_handle(forge(low)), nullptr);
  Animals::instance().destroy(animal);
  Refusings::instance().destroy(other);
}

TEST(Slab, StaleHandlesAreToldFor254Reuses) {
  // The most recently destroyed slot is reused first, so this keeps visiting one slot.
  Animal* animal = Animals::instance().create("first");
  Animal* const slot = animal;
  void* const stale = Animals::to_handle(animal);
  Animals::instance().destroy(animal);
  for (int reuse = 1; reuse <= 254; ++reuse) {
    animal = Animals::instance().create("later");
    ASSERT_EQ(animal, slot);
    ASSERT_EQ(Animals::from_handle(stale), nullptr) << reuse;
    ASSERT_NE(bits_of(Animals::to_handle(animal)) & 255, 0u) << "generation 0 is not a handle";
    ASSERT_EQ(Animals::from_handle(Animals::to_handle(animal)), animal);
    Animals::instance().destroy(animal);
    ASSERT_EQ(Animals::from_handle(stale), nullptr);
  }
  animal = Animals::instance().create("wrapped");
  EXPECT_EQ(Animals::to_handle(animal), stale);
  Animals::instance().destroy(animal);
}

TEST(Slab, CountsLiveObjectsPerKind) {
  const int64_t before = Animals::instance().live();
  const int64_t others = Wides::instance().live();
  std::vector<Animal*> herd;
  std::set<Animal*> places;
  for (int i = 0; i < 1000; ++i) {
    herd.push_back(Animals::instance().create(std::to_string(i)));
    EXPECT_TRUE(places.insert(herd.back()).second);
  }
  EXPECT_EQ(Animals::instance().live(), before + 1000);
  EXPECT_EQ(Wides::instance().live(), others);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(herd[static_cast<size_t>(i)]->name, std::to_string(i));
  for (Animal* animal : herd) Animals::instance().destroy(animal);
  EXPECT_EQ(Animals::instance().live(), before);
  for (int i = 0; i < 1000; ++i) {
    Animal* again = Animals::instance().create();
    EXPECT_EQ(places.count(again), 1u);
    Animals::instance().destroy(again);
  }
}

TEST(Slab, AThrowingConstructorLosesNothing) {
  const int64_t before = Refusings::instance().live();
  Refusing* first = Refusings::instance().create(false);
  void* stale = Refusings::to_handle(first);
  Refusings::instance().destroy(first);
  EXPECT_THROW(Refusings::instance().create(true), std::runtime_error);
  EXPECT_EQ(Refusings::instance().live(), before);
  EXPECT_EQ(Refusings::from_handle(stale), nullptr);
  Refusing* again = Refusings::instance().create(false);
  EXPECT_EQ(again, first);
  EXPECT_EQ(Refusings::from_handle(Refusings::to_handle(again)), again);
  Refusings::instance().destroy(again);
}

TEST(Slab, QuarantineKeepsDestroyedSlotsOutOfUse) {
  tenon::base::hold_quarantine();
  Rested* first = Resteds::instance().create();
  void* stale = Resteds::to_handle(first);
  Resteds::instance().destroy(first);
  // `first` rests until 4096 others were destroyed after it.
  for (uint32_t i = 0; i < tenon::base::kQuarantineDepth; ++i) {
    Rested* next = Resteds::instance().create();
    ASSERT_NE(next, first) << i;
    Resteds::instance().destroy(next);
    ASSERT_EQ(Resteds::from_handle(stale), nullptr);
  }
  Rested* reused = Resteds::instance().create();
  EXPECT_EQ(reused, first);
  Resteds::instance().destroy(reused);
  tenon::base::drop_quarantine();
  // Those still resting come back into use: no chunk is fetched beyond the ones there are.
  std::vector<Rested*> all;
  std::set<uintptr_t> chunks;
  for (uint32_t i = 0; i < tenon::base::kQuarantineDepth; ++i) {
    all.push_back(Resteds::instance().create());
    chunks.insert(bits_of(all.back()) / 65536);
  }
  EXPECT_LE(chunks.size(), 17u);
  for (Rested* rested : all) Resteds::instance().destroy(rested);
  EXPECT_EQ(Resteds::instance().live(), 0);
}

TEST(SlabThreads, CreateAndDestroyFromManyThreads) {
  const int64_t before = Shareds::instance().live();
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([seed] {
      std::mt19937_64 random(seed);
      std::vector<Shared*> mine;
      for (int i = 0; i < 5000; ++i) {
        if (mine.size() < 300 && random() % 8 != 0) {
          Shared* object = Shareds::instance().create();
          if (object->value.exchange(1) != 0) ADD_FAILURE() << "slot given to two";
          mine.push_back(object);
        } else if (!mine.empty()) {
          if (Shareds::from_handle(Shareds::to_handle(mine.back())) != mine.back()) {
            ADD_FAILURE() << "live handle refused";
          }
          Shareds::instance().destroy(mine.back());
          mine.pop_back();
        }
      }
      for (Shared* object : mine) Shareds::instance().destroy(object);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Shareds::instance().live(), before);
}

// Dead slots, which are in one list, and new ones; each round begins with all threads at once.
TEST(SlabThreads, NoSlotIsGivenToTwo) {
  constexpr int kThreads = 3, kRounds = 8, kEach = 30000;
  std::mt19937_64 random(7);
  std::vector<std::vector<Shared*>> taken(kThreads);
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (std::vector<Shared*>& mine : taken) {
      mine.clear();
      threads.emplace_back([&ready, &mine] {
        mine.reserve(kEach);
        ready.fetch_add(1);
        while (ready.load() < kThreads) std::this_thread::yield();
        for (int i = 0; i < kEach; ++i) mine.push_back(Shareds::instance().create());
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::vector<Shared*> all;
    for (const std::vector<Shared*>& mine : taken) all.insert(all.end(), mine.begin(), mine.end());
    std::sort(all.begin(), all.end());
    ASSERT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << "round " << round;
    // In no order, so that each look at a dead slot takes its time.
    std::shuffle(all.begin(), all.end(), random);
    for (Shared* object : all) Shareds::instance().destroy(object);
  }
}

TEST(SlabThreads, StaleHandlesMayBeLookedAtWhileSlotsAreReused) {
  Shared* first = Shareds::instance().create();
  void* stale = Shareds::to_handle(first);
  Shareds::instance().destroy(first);
  std::atomic<bool> stop{false};
  std::atomic<int> found{0};
  std::thread looker([&] {
    while (!stop.load()) {
      if (Shareds::from_handle(stale) != nullptr) found.fetch_add(1);
    }
  });
  for (int reuse = 0; reuse < 200; ++reuse) {
    Shared* object = Shareds::instance().create();
    EXPECT_EQ(object, first);
    std::this_thread::yield();
    Shareds::instance().destroy(object);
  }
  stop.store(true);
  looker.join();
  EXPECT_EQ(found.load(), 0);
}

}  // namespace
