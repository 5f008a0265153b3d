// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset.c: datasets that are not in order, and ones that fail.
#include "../hostile.h"

static tenon_status failing_create(tenon_call* call, const tenon_value* values, void** out_object) {
  (void)call;
  (void)values;
  (void)out_object;
  return TENON_E_IO;
}

// A dataset that cannot be opened and does not say why.
// needs: dataset hostile.numbers
// error: TENON_E_IO hostile.numbers: the create failed without saying why
CASE(dataset_create_fails) { numbers.desc.create = failing_create; }

// A dataset without `create`.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: `create` is NULL; no slot may be
CASE(dataset_create_null) { numbers.desc.create = NULL; }

// A dataset that is there twice.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers is registered twice
CASE(dataset_duplicate) { datasets[datasets_table.count++] = &numbers.desc; }

static tenon_status many_fields(tenon_call* call, void* object, tenon_dataset_field* out,
                                uint32_t capacity, uint32_t* out_count) {
  (void)call;
  (void)object;
  (void)out;
  (void)capacity;
  *out_count = UINT32_MAX;
  return TENON_OK;
}

// A dataset with more fields than anybody can list.
// needs: dataset hostile.numbers
// error: TENON_E_PLUGIN hostile.numbers: gives an impossible length or number of fields
CASE(dataset_fields_many) { numbers.desc.fields = many_fields; }

static tenon_status no_fields(tenon_call* call, void* object, tenon_dataset_field* out,
                              uint32_t capacity, uint32_t* out_count) {
  (void)call;
  (void)object;
  (void)out;
  (void)capacity;
  *out_count = 0;
  return TENON_OK;
}

// A dataset without a field.
// needs: dataset hostile.numbers
// error: TENON_E_PLUGIN hostile.numbers: gives an impossible length or number of fields
CASE(dataset_fields_none) { numbers.desc.fields = no_fields; }

// A dataset without `fields`.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: `fields` is NULL; no slot may be
CASE(dataset_fields_null) { numbers.desc.fields = NULL; }

static tenon_status unset_fields(tenon_call* call, void* object, tenon_dataset_field* out,
                                 uint32_t capacity, uint32_t* out_count) {
  (void)call;
  (void)object;
  (void)out;
  (void)capacity;
  *out_count = 1;
  return TENON_OK;
}

// A dataset that does not say what its field is.
// needs: dataset hostile.numbers
// error: TENON_E_PLUGIN hostile.numbers: field "" has an impossible shape or dtype
CASE(dataset_fields_unset) { numbers.desc.fields = unset_fields; }

// A descriptor (dataset) with a flag that this Tenon does not know.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers needs a newer Tenon: unknown flags 1073741824, reserved 0
CASE(dataset_flags) { numbers.desc.flags |= 1u << 30; }

// A dataset without `get`.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: `get` is NULL; no slot may be
CASE(dataset_get_null) { numbers.desc.get = NULL; }

static tenon_status refusing_batch(tenon_call* call, void* object, const tenon_batch* batch,
                                   void* const* destinations) {
  (void)call;
  (void)object;
  (void)batch;
  (void)destinations;
  return TENON_E_DATA;
}

// A dataset with `get_batch` in place of `get`, which is then not asked for.
// needs: dataset hostile.numbers
// error: TENON_E_DATA hostile.numbers: sample 0: the get_batch failed without saying why
CASE(dataset_get_batch_refuses) {
  numbers.desc.get = NULL;
  numbers.desc.get_batch = refusing_batch;
}

static tenon_status negative_lengths(tenon_call* call, void* object, int64_t first, int64_t count,
                                     int64_t* lengths) {
  (void)call;
  (void)object;
  for (int64_t i = 0; i < count; ++i) lengths[i] = first + i == 0 ? 1 : -3;
  return TENON_OK;
}

// A dataset with a sample that is shorter than none.
// needs: dataset hostile.numbers
// error: TENON_E_PLUGIN hostile.numbers: says that sample 1 has length -3
CASE(dataset_lengths_negative) { numbers.desc.lengths = negative_lengths; }

static tenon_status negative_length(tenon_call* call, void* object, int64_t* out_length) {
  (void)call;
  (void)object;
  *out_length = -1;
  return TENON_OK;
}

// A dataset with minus one sample.
// needs: dataset hostile.numbers
// error: TENON_E_PLUGIN hostile.numbers: gives an impossible length or number of fields
CASE(dataset_length_negative) { numbers.desc.length = negative_length; }

// A dataset without `length`.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: `length` is NULL; no slot may be
CASE(dataset_length_null) { numbers.desc.length = NULL; }

// A name (dataset) that is NULL but has a length.
// needs: dataset hostile.numbers
// refused: dataset 0: a string is NULL but has length 15
CASE(dataset_name_null) { numbers.desc.name.data = NULL; }

// A name (dataset) without a vendor.
// needs: dataset hostile.numbers
// refused: dataset 0: the name 'plain' is not of the form vendor.name in small letters, digits and
//   '_'
CASE(dataset_name_plain) { numbers.desc.name = text_of("plain"); }

// A dataset with an option whose name is none.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: the name 'Path' is not one of [a-z0-9_]
CASE(dataset_option_name) { options[0].name = text_of("Path"); }

// A dataset with an option that is neither required nor not.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: option 'path': `required` is 2; 0 or 1 is needed
CASE(dataset_option_required) { options[0].required = 2; }

// A dataset with an option of no known kind.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: option 'path' has tag 1; TENON_VALUE_STRING, I64, F64 or BOOL
//   is needed
CASE(dataset_option_tag) { options[0].tag = TENON_VALUE_TENSOR; }

// A dataset with a thousand options.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: n_options is 1000; at most 64 are possible
CASE(dataset_options_many) { numbers.desc.n_options = 1000; }

// A dataset with a count of options and none.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: `options` is NULL, but n_options is 1
CASE(dataset_options_null) { numbers.desc.options = NULL; }

// A dataset without `release`.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: `release` is NULL; no slot may be
CASE(dataset_release_null) { numbers.desc.release = NULL; }

// A descriptor (dataset) that fills in a reserved member.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers needs a newer Tenon: unknown flags 0, reserved 6
CASE(dataset_reserved) { numbers.desc.reserved = 6; }

// A descriptor (dataset) that says it is longer than any can be.
// needs: dataset hostile.numbers
// refused: dataset 0: struct_size is 100000; more than 1024 cannot be right
CASE(dataset_size_large) { numbers.desc.struct_size = 100000; }

// A descriptor (dataset) that is a pointer too short.
// needs: dataset hostile.numbers
// refused: dataset 0: struct_size is 40; at least {tenon_dataset_desc.lengths} is needed
CASE(dataset_size_small) { numbers.desc.struct_size = 40; }

// A descriptor (dataset) that says it has no bytes.
// needs: dataset hostile.numbers
// refused: dataset 0: struct_size is 0; at least {tenon_dataset_desc.lengths} is needed
CASE(dataset_size_zero) { numbers.desc.struct_size = 0; }

// A descriptor (dataset) with data after what this Tenon knows.
// needs: dataset hostile.numbers
// refused: dataset 0 needs a newer Tenon: unknown data at offset {tenon_dataset_desc+3}
CASE(dataset_tail) {
  numbers.desc.struct_size = sizeof numbers;
  numbers.tail[3] = 1;
}
