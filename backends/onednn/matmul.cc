// SPDX-License-Identifier: Apache-2.0
// backends/onednn/matmul.cc: matmul by oneDNN's matmul primitive.
//
// Bits do not depend on layouts, because oneDNN sees one layout: row-major matrices without gaps,
// which the dispatcher makes where an operand is something else. oneDNN reads more than that, but
// by other kernels, which cut the sums over k elsewhere (seen in oneDNN 2.6.3 with rows further
// apart than they are long, and with a transposed a from about 2,000 terms on); and for an output
// stored by columns it has plain loops alone. A tile of columns is not a matrix without gaps
// either, so work is cut into tiles of rows. A product of a few rows runs on one thread.
//
// Nor do bits depend on threads: tiles follow from shapes, and each is one call on one thread.
//
// Making a primitive compiles code (0.1 to 0.5 ms), so it is done once for each shape, in
// `prepare`. Source: oneDNN developer guide, "Matrix Multiplication" and "Primitive attributes:
// scratchpad".
#include <atomic>
#include <cstring>
#include <limits>
#include <optional>

#include "one_thread.h"
#include "onednn.h"
#include "problem.h"

namespace tenon::onednn {
namespace {

using dnnl::memory;

constexpr int64_t kGrainProducts = 1 << 20;  // multiplications worth handing to another thread
constexpr int64_t kMaxPieces = 64;           // each has scratch memory of its own
constexpr uint64_t kScratchUnit = 128;       // pieces share no cache line
// Longer rows are left to others: steps between rows, in bytes, are 32-bit integers in oneDNN.
constexpr int64_t kMaxExtent = std::numeric_limits<int32_t>::max() / int64_t{sizeof(float)};

memory::desc packed(int64_t rows, int64_t columns, memory::data_type type) {
  return {{rows, columns}, type, memory::dims{columns, 1}};
}

// The product of one tile, for all tiles with this number of rows.
struct Product {
  Product(const dnnl::engine& engine, memory::data_type type, int64_t rows, const Problem& p)
      : a(packed(rows, p.inner(), type)),
        b(packed(p.inner(), p.columns(), type)),
        c(packed(rows, p.columns(), type)) {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::matmul::primitive_desc chosen({a, b, c}, attributes, engine);
    scratch = chosen.scratchpad_desc();
    run = dnnl::matmul(chosen);
  }
  memory::desc a, b, c, scratch;
  dnnl::matmul run;
};

// Everything that a launch needs for these shapes; immutable.
struct Prepared {
  explicit Prepared(const sdk::Args& args) : problem(args) {
    if (problem.tiles() == 0) return;
    const OneThread guard;  // a primitive is made for a number of threads
    engine.emplace(dnnl::engine::kind::cpu, 0);
    const auto type =
        args.out().dtype == TENON_DTYPE_F32 ? memory::data_type::f32 : memory::data_type::bf16;
    most.emplace(*engine, type, problem.most_rows(), problem);
    uint64_t bytes = most->scratch.get_size();
    if (problem.last_rows() != problem.most_rows()) {
      last.emplace(*engine, type, problem.last_rows(), problem);
      bytes = std::max<uint64_t>(bytes, last->scratch.get_size());
    }
    scratch_bytes = (bytes + kScratchUnit - 1) / kScratchUnit * kScratchUnit;
    const int64_t products = problem.most_rows() * problem.columns() * problem.inner();
    grain = std::max(
        {int64_t{1}, kGrainProducts / products, (problem.tiles() + kMaxPieces - 1) / kMaxPieces});
  }
  uint64_t pieces() const { return static_cast<uint64_t>((problem.tiles() + grain - 1) / grain); }
  const Product& product(int64_t rows) const { return rows == problem.most_rows() ? *most : *last; }

  Problem problem;
  std::optional<dnnl::engine> engine;
  std::optional<Product> most, last;
  uint64_t scratch_bytes = 0;  // of one piece of the work
  int64_t grain = 1;           // tiles in a piece
};

// Computes tiles of one number of rows. oneDNN wants operands as objects; these are made once for a
// piece of the work, and moved from tile to tile.
class Worker {
 public:
  Worker(const Prepared& prepared, const Product& product, std::byte* scratch)
      : product_(&product),
        stream_(*prepared.engine),
        a_(product.a, *prepared.engine, nullptr),
        b_(product.b, *prepared.engine, nullptr),
        c_(product.c, *prepared.engine, nullptr),
        scratch_(product.scratch, *prepared.engine, scratch) {}

  bool computes(const Product& product) const { return product_ == &product; }

  void run(const std::byte* a, const std::byte* b, std::byte* c) {
    a_.set_data_handle(const_cast<std::byte*>(a));
    b_.set_data_handle(const_cast<std::byte*>(b));
    c_.set_data_handle(c);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, a_.get()},
                                    {DNNL_ARG_WEIGHTS, b_.get()},
                                    {DNNL_ARG_DST, c_.get()},
                                    {DNNL_ARG_SCRATCHPAD, scratch_.get()}};
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(product_->run.get(), stream_.get(), std::size(args), args),
        "oneDNN could not compute a product of matrices");
  }

 private:
  const Product* product_;
  dnnl::stream stream_;
  memory a_, b_, c_, scratch_;
};

struct Operands {
  const std::byte* a;
  const std::byte* b;
  std::byte* c;
  size_t element;
};

void run_tiles(const Prepared& prepared, const Operands& o, std::byte* scratch, int64_t begin,
               int64_t end) {
  const OneThread guard;
  std::optional<Worker> worker;
  for (int64_t t = begin; t < end; ++t) {
    const Tile tile = prepared.problem.tile(t);
    const Product& product = prepared.product(tile.rows);
    if (!worker || !worker->computes(product)) worker.emplace(prepared, product, scratch);
    const auto bytes = [&](int64_t elements) { return static_cast<size_t>(elements) * o.element; };
    worker->run(o.a + bytes(tile.a), o.b + bytes(tile.b), o.c + bytes(tile.c));
  }
}

dnnl_status_t run_caught(const Prepared& prepared, const Operands& o, std::byte* scratch,
                         int64_t begin, int64_t end) noexcept {
  try {
    run_tiles(prepared, o, scratch, begin, end);
    return dnnl_success;
  } catch (const dnnl::error& error) {
    return error.status;
  } catch (...) {  // nothing else throws but allocations
    return dnnl_out_of_memory;
  }
}

void matmul(const sdk::Launch& l) {
  const auto& prepared = *static_cast<const Prepared*>(l.launch().prepared);
  const Problem& problem = prepared.problem;
  const size_t element = sdk::size_of(l.out().dtype);
  if (problem.empty()) return;
  if (problem.inner() == 0) {  // sums over nothing, which oneDNN is not asked about
    std::memset(
        l.out().data, 0,
        static_cast<size_t>(sdk::count_of({l.out().shape, static_cast<size_t>(l.out().rank)})) *
            element);
    return;
  }
  const Operands operands{l.data<const std::byte>(0), l.data<const std::byte>(1),
                          l.out_data<std::byte>(), element};
  std::byte* scratch = l.scratch().data();
  std::atomic<dnnl_status_t> failed = dnnl_success;
  l.parallel_for(problem.tiles(), prepared.grain, [&](int64_t begin, int64_t end) {
    const auto piece = static_cast<uint64_t>(begin / prepared.grain);
    std::byte* own = scratch ? scratch + piece * prepared.scratch_bytes : nullptr;
    const dnnl_status_t status = run_caught(prepared, operands, own, begin, end);
    if (status != dnnl_success) failed = status;
  });
  if (failed == dnnl_out_of_memory) throw std::bad_alloc();
  if (failed != dnnl_success) {
    throw sdk::Failure{TENON_E_PLUGIN, "oneDNN could not compute a product of matrices: status " +
                                           std::to_string(failed.load())};
  }
}

tenon_status prepare(tenon_call* call, const tenon_launch* args, void** out_prepared) {
  return sdk::guarded(call, [&] {
    try {
      *out_prepared = new Prepared(sdk::Args(args));
    } catch (const dnnl::error& error) {
      if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
      throw;  // its words say which of oneDNN's calls failed
    }
  });
}
void release_prepared(void*, void* prepared) { delete static_cast<Prepared*>(prepared); }

uint64_t workspace(const sdk::Args& args) {
  const auto& prepared = *static_cast<const Prepared*>(args.launch().prepared);
  return prepared.pieces() * prepared.scratch_bytes;
}

tenon_status accepts(tenon_call* call, const tenon_launch* args, uint32_t* out_accepts) {
  const Problem problem{sdk::Args(args)};
  *out_accepts = std::max(problem.inner(), problem.columns()) <= kMaxExtent ? 1 : 0;
  if (*out_accepts == 1) return TENON_OK;
  return call->base->fail(call, TENON_E_LAYOUT, "a size is more than oneDNN's kernels count to",
                          TENON_NUL);
}

// Products of bf16 need what not every processor has.
bool has_bf16() {
  const OneThread guard;
  const auto type = memory::data_type::bf16;
  const memory::desc square = packed(16, 16, type);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const bool allow_empty = true;
  const dnnl::matmul::primitive_desc found({square, square, square}, dnnl::primitive_attr(), engine,
                                           allow_empty);
  return static_cast<bool>(found);
}

constexpr tenon_dtype dtypes[] = {TENON_DTYPE_F32, TENON_DTYPE_BF16};
constexpr std::span<const tenon_dtype> all_dtypes = dtypes;

constexpr tenon_slot_rule slots[] = {sdk::contiguous_in(), sdk::contiguous_in(),
                                     sdk::contiguous_out()};

constexpr tenon_kernel_desc kernel_for(std::span<const tenon_dtype> rows) {
  return sdk::kernel({.op = "tenon.matmul",
                      .device = kDevice,
                      .slots = slots,
                      .rows = rows,
                      .flags = TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_INDEX_64,
                      .priority = kPriority,
                      .launch = sdk::launch_fn<matmul>,
                      .workspace = sdk::workspace_fn<workspace>,
                      .predicate = accepts,
                      .prepare = prepare,
                      .release_prepared = release_prepared});
}
constexpr tenon_kernel_desc with_bf16[] = {kernel_for(all_dtypes)};
constexpr tenon_kernel_desc without_bf16[] = {kernel_for(all_dtypes.first(1))};

std::span<const tenon_kernel_desc> choose() {
  return has_bf16() ? std::span(with_bf16) : std::span(without_bf16);
}

}  // namespace

constinit const sdk::Unit matmul_unit = {.chosen_kernels = choose};

}  // namespace tenon::onednn
