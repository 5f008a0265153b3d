// SPDX-License-Identifier: Apache-2.0
// tests/hostile/good.c: the good plugin behind hostile.h, and the choice of a case; linked into
// every library of cases.
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hostile_inits, hostile_releases;
tenon_plugin answer;
tenon_plugin* query_out;
tenon_diag* query_diag;
tenon_status query_status;

tenon_string text_of(const char* bytes) {
  tenon_string text = {bytes, strlen(bytes)};
  return text;
}

tenon_status say(tenon_diag* diag, tenon_status status, const char* words) {
  diag->status = status;
  diag->length = (int32_t)strlen(words);
  memcpy(diag->message, words, strlen(words) + 1);
  return status;
}

// ---- Callbacks that do what they should ---------------------------------------------------------

static int64_t hostile_count(const tenon_view* view) {
  int64_t count = 1;
  for (int32_t d = 0; d < view->rank; ++d) count *= view->shape[d];
  return count;
}

static tenon_status twice_launch(tenon_call* call, const tenon_launch* args) {
  (void)call;
  const float* x = (const float*)args->views[0].data;
  float* y = (float*)args->views[1].data;
  for (int64_t i = 0; i < hostile_count(&args->views[0]); ++i) y[i] = 2 * x[i];
  return TENON_OK;
}

static tenon_status twice_rule_call(tenon_call* call, void* user) {
  (void)user;
  tenon_value dy;
  const tenon_status status = call->vjp->get_output_grad(call, 0, &dy);
  if (status != TENON_OK) return status;
  return call->vjp->set_input_grad(call, 0, 0, dy.as.tensor);
}

static tenon_status step_infer(tenon_call* call, const tenon_launch* args, tenon_meta* metas,
                               uint32_t n_outputs) {
  (void)call;
  (void)args;
  (void)metas;
  (void)n_outputs;
  return TENON_OK;
}

// Where element `i` of `view` lies, in elements from its data.
static int64_t hostile_offset(const tenon_view* view, int64_t i) {
  int64_t offset = 0;
  for (int32_t d = view->rank - 1; d >= 0; --d) {
    offset += i % view->shape[d] * view->strides[d];
    i /= view->shape[d];
  }
  return offset;
}

static tenon_status copy_launch(tenon_call* call, const tenon_launch* args) {
  (void)call;
  const tenon_view* x = &args->views[0];
  const tenon_view* y = &args->views[1];
  const int64_t size = (int64_t)((x->dtype >> 8) & 0xff) / 8;
  for (int64_t i = 0; i < hostile_count(x); ++i) {
    memcpy((char*)y->data + size * hostile_offset(y, i),
           (const char*)x->data + size * hostile_offset(x, i), (size_t)size);
  }
  return TENON_OK;
}

static tenon_status full_launch(tenon_call* call, const tenon_launch* args) {
  (void)call;
  const tenon_view* y = &args->views[0];
  const tenon_value* value = &args->attrs[1];
  const double number = value->tag == TENON_VALUE_F64 ? value->as.f64 : (double)value->as.i64;
  for (int64_t i = 0; i < hostile_count(y); ++i) {
    ((float*)y->data)[hostile_offset(y, i)] = (float)number;
  }
  return TENON_OK;
}

static tenon_status device_count(void* self, int32_t* out_count, tenon_diag* diag) {
  (void)self;
  (void)diag;
  *out_count = 1;
  return TENON_OK;
}
static tenon_status device_alloc(void* self, int32_t index, uint64_t bytes, void** out_data) {
  (void)self;
  (void)index;
  *out_data = aligned_alloc(64, (size_t)(bytes / 64 + 1) * 64);
  return *out_data != NULL ? TENON_OK : TENON_E_MEMORY;
}
static void device_free(void* self, int32_t index, void* data, uint64_t bytes) {
  (void)self;
  (void)index;
  (void)bytes;
  free(data);
}
static tenon_status device_copy(void* self, int32_t index, void* stream, uint32_t direction,
                                void* destination, const void* source, uint64_t bytes) {
  (void)self;
  (void)index;
  (void)stream;
  (void)direction;
  memcpy(destination, source, (size_t)bytes);
  return TENON_OK;
}
static tenon_status object_create(void* self, int32_t index, void** out_object) {
  (void)self;
  (void)index;
  *out_object = &hostile_inits;
  return TENON_OK;
}
static void object_release(void* self, int32_t index, void* object) {
  (void)self;
  (void)index;
  (void)object;
}
static tenon_status stream_wait(void* self, int32_t index, void* stream, tenon_diag* diag) {
  (void)self;
  (void)index;
  (void)stream;
  (void)diag;
  return TENON_OK;
}
static tenon_status event_order(void* self, int32_t index, void* event, void* stream) {
  (void)self;
  (void)index;
  (void)event;
  (void)stream;
  return TENON_OK;
}
static tenon_status event_query(void* self, int32_t index, void* event, uint32_t* out_done,
                                tenon_diag* diag) {
  (void)self;
  (void)index;
  (void)event;
  (void)diag;
  *out_done = 1;
  return TENON_OK;
}

static tenon_status numbers_create(tenon_call* call, const tenon_value* values, void** out_object) {
  (void)call;
  (void)values;
  *out_object = &hostile_inits;
  return TENON_OK;
}
static void numbers_release(void* object) { (void)object; }
static tenon_status numbers_length(tenon_call* call, void* object, int64_t* out_length) {
  (void)call;
  (void)object;
  *out_length = 3;
  return TENON_OK;
}
static tenon_status numbers_fields(tenon_call* call, void* object, tenon_dataset_field* fields,
                                   uint32_t capacity, uint32_t* out_count) {
  (void)call;
  (void)object;
  if (capacity > 0) {
    fields[0].name = text_of("number");
    fields[0].sample.rank = 0;
    fields[0].sample.dtype = TENON_DTYPE_I64;
  }
  *out_count = 1;
  return TENON_OK;
}
static tenon_status numbers_get(tenon_call* call, void* object, const int64_t* indices, int64_t n,
                                void* const* destinations) {
  (void)call;
  (void)object;
  memcpy(destinations[0], indices, (size_t)n * sizeof *indices);
  return TENON_OK;
}

// ---- What it registers --------------------------------------------------------------------------

long_op twice_op, step_op, finite_op;
long_kernel twice_kernel, copy_kernel, full_kernel;
long_rule twice_rule;
long_optimizer sgd;
long_dataset numbers;
long_tolerance tolerance;
long_optimizer_sample sgd_run;
long_backend backend;
tenon_sample samples[ROOM];
tenon_slot_rule twice_slots[TENON_MAX_SLOTS + 1], copy_slots[2], full_slots[1];
tenon_dtype float_rows[ROOM];
tenon_vjp_need twice_needs[ROOM];
tenon_hyper_desc hypers[2];
tenon_state_desc states[1];
tenon_dataset_option options[1];
const tenon_op_desc* ops[ROOM];
const tenon_kernel_desc* kernels[ROOM];
const tenon_vjp_desc* rules[ROOM];
const tenon_optimizer_desc* optimizers[ROOM];
const tenon_dataset_desc* datasets[ROOM];
const tenon_tolerance* tolerances[ROOM];
const tenon_optimizer_sample* sgd_runs[ROOM];
tenon_ops_table ops_table;
tenon_kernels_table kernels_table;
tenon_vjps_table rules_table;
tenon_optimizers_table optimizers_table;
tenon_datasets_table datasets_table;
tenon_selftest_table samples_table;
tenon_tolerances_table tolerances_table;
tenon_optimizer_samples_table sgd_runs_table;
hostile_interface interfaces[N_INTERFACES];

void set_op(long_op* op, const char* name, const char* schema, uint32_t shape_rule) {
  op->desc.struct_size = sizeof op->desc;
  op->desc.name = text_of(name);
  op->desc.schema = text_of(schema);
  op->desc.doc = text_of("For tests.");
  op->desc.revision = 1;
  op->desc.shape_rule = shape_rule;
}

static void set_kernel(long_kernel* kernel, const char* op, const char* device,
                       const tenon_slot_rule* slots, uint32_t n_slots,
                       tenon_status (*launch)(tenon_call*, const tenon_launch*)) {
  kernel->desc.struct_size = sizeof kernel->desc;
  kernel->desc.flags = TENON_KERNEL_CANONICAL;
  kernel->desc.op = text_of(op);
  kernel->desc.device = text_of(device);
  kernel->desc.revision = 1;
  kernel->desc.slots = slots;
  kernel->desc.n_slots = n_slots;
  kernel->desc.dtype_rows = float_rows;
  kernel->desc.n_rows = 1;
  kernel->desc.n_variables = 1;
  kernel->desc.launch = launch;
}

static void set_ops(void) {
  set_op(&twice_op, "hostile.twice", "twice(x: T[...]) -> T[...] where T: float",
         TENON_SHAPE_SAME_AS_0);
  set_op(&step_op, "hostile.step",
         "step(params!: T[...]*, grads: T[...]*, momentum!: T[...]*, lr: f64[], *, "
         "nesterov: bool=false) -> ()",
         TENON_SHAPE_CALLBACK);
  step_op.desc.infer = step_infer;
  set_op(&finite_op, "hostile.finite", "finite(x: T[...]) -> bool[...] where T: float",
         TENON_SHAPE_SAME_AS_0);
  finite_op.desc.role = TENON_ROLE_ISFINITE;
  ops[0] = &twice_op.desc;
  ops[1] = &step_op.desc;
  ops[2] = &finite_op.desc;
  ops_table = (tenon_ops_table){sizeof ops_table, 3, ops};
}

static void set_kernels(void) {
  float_rows[0] = TENON_DTYPE_F32;
  twice_slots[1].role = TENON_SLOT_OUT;
  copy_slots[0].layout = copy_slots[1].layout = full_slots[0].layout = TENON_LAYOUT_STRIDED;
  copy_slots[0].flags = TENON_SLOT_ZERO_STRIDE | TENON_SLOT_NEGATIVE_STRIDE;
  copy_slots[1].flags = full_slots[0].flags = TENON_SLOT_NEGATIVE_STRIDE;
  copy_slots[1].role = full_slots[0].role = TENON_SLOT_OUT;
  set_kernel(&twice_kernel, "hostile.twice", "cpu", twice_slots, 2, twice_launch);
  set_kernel(&copy_kernel, "tenon.copy", "hostile", copy_slots, 2, copy_launch);
  set_kernel(&full_kernel, "tenon.full", "hostile", full_slots, 1, full_launch);
  full_kernel.desc.n_attrs = 3;
  kernels[0] = &twice_kernel.desc;
  kernels[1] = &copy_kernel.desc;
  kernels[2] = &full_kernel.desc;
  kernels_table = (tenon_kernels_table){sizeof kernels_table, 3, kernels};
  twice_rule.desc.struct_size = sizeof twice_rule.desc;
  twice_rule.desc.op = text_of("hostile.twice");
  twice_rule.desc.revision = 1;
  twice_rule.desc.n_inputs = twice_rule.desc.n_outputs = 1;
  twice_rule.desc.needs = twice_needs;
  twice_rule.desc.vjp = twice_rule_call;
  rules[0] = &twice_rule.desc;
  rules_table = (tenon_vjps_table){sizeof rules_table, 1, rules};
}

static void set_training(void) {
  hypers[0] = (tenon_hyper_desc){
      TEXT("lr"), TEXT("Step size."), TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 0.1, 0, 1};
  hypers[1] =
      (tenon_hyper_desc){TEXT("nesterov"), TEXT("Look ahead."), 0, TENON_VALUE_BOOL, 0, 0, 1};
  states[0] = (tenon_state_desc){TEXT("momentum"), TEXT("Running sum."), TENON_STATE_LIKE_PARAMETER,
                                 TENON_DTYPE_NONE, 0};
  sgd.desc.struct_size = sizeof sgd.desc;
  sgd.desc.name = text_of("hostile.sgd");
  sgd.desc.step_op = text_of("hostile.step");
  sgd.desc.hypers = hypers;
  sgd.desc.states = states;
  sgd.desc.n_hypers = 2;
  sgd.desc.n_states = 1;
  optimizers[0] = &sgd.desc;
  optimizers_table = (tenon_optimizers_table){sizeof optimizers_table, 1, optimizers};
  options[0] = (tenon_dataset_option){TEXT("path"), TEXT("Ignored."), TENON_VALUE_STRING, 0};
  numbers.desc.struct_size = sizeof numbers.desc;
  numbers.desc.name = text_of("hostile.numbers");
  numbers.desc.options = options;
  numbers.desc.n_options = 1;
  numbers.desc.create = numbers_create;
  numbers.desc.release = numbers_release;
  numbers.desc.length = numbers_length;
  numbers.desc.fields = numbers_fields;
  numbers.desc.get = numbers_get;
  datasets[0] = &numbers.desc;
  datasets_table = (tenon_datasets_table){sizeof datasets_table, 1, datasets};
  samples[0] = (tenon_sample){TEXT("hostile.twice"), TEXT("f32[2,3]"), {NULL, 0}, TENON_OK, 1};
  samples_table = (tenon_selftest_table){sizeof samples_table, 1, samples};
  tolerance.desc = (tenon_tolerance){sizeof(tenon_tolerance),
                                     0,
                                     TEXT("hostile.twice"),
                                     TEXT("for tests"),
                                     1,
                                     TENON_DTYPE_F32,
                                     1,
                                     0};
  tolerances[0] = &tolerance.desc;
  tolerances_table = (tenon_tolerances_table){sizeof tolerances_table, 1, tolerances};
  sgd_run.desc = (tenon_optimizer_sample){sizeof(tenon_optimizer_sample),
                                          0,
                                          TEXT("hostile.sgd"),
                                          TEXT("f32[2]"),
                                          {NULL, 0},
                                          TENON_OK,
                                          1};
  sgd_runs[0] = &sgd_run.desc;
  sgd_runs_table = (tenon_optimizer_samples_table){sizeof sgd_runs_table, 1, sgd_runs};
}

static void set_backend(void) {
  backend.table = (tenon_backend_table){
      .struct_size = sizeof backend.table,
      .kind = TEXT("hostile"),
      .doc = TEXT("For tests."),
      .device_count = device_count,
      .alloc = device_alloc,
      .free = device_free,
      .copy = device_copy,
      .stream_create = object_create,
      .stream_release = object_release,
      .stream_wait = stream_wait,
      .event_create = object_create,
      .event_release = object_release,
      .event_record = event_order,
      .event_wait = event_order,
      .event_query = event_query,
  };
}

static void set_interfaces(void) {
  const hostile_interface all[N_INTERFACES] = {{"tenon.ops/1", &ops_table},
                                               {"tenon.kernels/1", &kernels_table},
                                               {"tenon.vjps/1", &rules_table},
                                               {"tenon.backend/1", &backend.table},
                                               {"tenon.datasets/1", &datasets_table},
                                               {"tenon.optimizers/1", &optimizers_table},
                                               {"tenon.selftest/1", &samples_table},
                                               {"tenon.selftest.tolerances/1", &tolerances_table},
                                               {"tenon.selftest.optimizers/1", &sgd_runs_table}};
  memcpy(interfaces, all, sizeof all);
}

// ---- The handshake ------------------------------------------------------------------------------

static tenon_status init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  (void)diag;
  ++hostile_inits;
  *out_self = &hostile_inits;
  return TENON_OK;
}

static void release(void* self) {
  if (self == &hostile_inits) ++hostile_releases;
}

static const void* get_interface(void* self, const char* id, uint64_t id_length) {
  (void)self;
  for (int i = 0; i < N_INTERFACES; ++i) {
    if (strlen(interfaces[i].id) == id_length && memcmp(interfaces[i].id, id, id_length) == 0) {
      return interfaces[i].table;
    }
  }
  return NULL;
}

// Made by the linker.
extern const hostile_case __start_hostile_cases[] __attribute__((visibility("hidden")));
extern const hostile_case __stop_hostile_cases[] __attribute__((visibility("hidden")));

static void spoil(void) {
  const char* name = getenv("TENON_HOSTILE_CASE");
  if (name == NULL) return;
  for (const hostile_case* each = __start_hostile_cases; each < __stop_hostile_cases; ++each) {
    if (strcmp(each->name, name) == 0) {
      each->spoil();
      return;
    }
  }
  fprintf(stderr, "no case %s in this library\n", name);
  abort();
}

TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
                                                tenon_diag* diag);

tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  (void)host;
  set_ops();
  set_kernels();
  set_training();
  set_backend();
  set_interfaces();
  answer = (tenon_plugin){
      .struct_size = sizeof answer,
      .built_major = TENON_ABI_MAJOR,
      .built_minor = TENON_ABI_MINOR,
      .required_minor = TENON_ABI_MINOR,
      .fingerprint = TENON_FINGERPRINT_BUILT,
      .id = TEXT("hostile.plugin"),
      .version = TEXT("1.2.3"),
      .license = TEXT("Apache-2.0"),
      .init = init,
      .release = release,
      .get_interface = get_interface,
  };
  query_out = out;
  query_diag = diag;
  query_status = TENON_OK;
  spoil();
  *out = answer;
  return query_status;
}
