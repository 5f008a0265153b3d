// SPDX-License-Identifier: Apache-2.0
// tests/abi/layout.c: size and offset of every public struct and member, as of draft 2. Compiled as
// C11 and as C++20; a change here is a change of the ABI and raises TENON_ABI_DRAFT.
// tests/abi/layout_complete.py proves that no struct and no member is missing.
#include <stddef.h>
#include <tenon/ext/draft/capture.h>
#include <tenon/ext/draft/checkpoints.h>
#include <tenon/ext/draft/collectives.h>
#include <tenon/ext/draft/data_parallel.h>
#include <tenon/ext/draft/datasets.h>
#include <tenon/ext/draft/dynamic.h>
#include <tenon/ext/draft/entries.h>
#include <tenon/ext/draft/formats.h>
#include <tenon/ext/draft/groups.h>
#include <tenon/ext/draft/layers.h>
#include <tenon/ext/draft/lending.h>
#include <tenon/ext/draft/loaders.h>
#include <tenon/ext/draft/memory.h>
#include <tenon/ext/draft/processes.h>
#include <tenon/ext/draft/schedules.h>
#include <tenon/ext/draft/tokenizers.h>
#include <tenon/ext/draft/training.h>
#include <tenon/ext/draft/transforms.h>
#include <tenon/kinds.h>
#include <tenon/plugin.h>
#include <tenon/tenon.h>

#ifdef __cplusplus
#define CHECK(condition, words) static_assert(condition, words)
#else
#define CHECK(condition, words) _Static_assert(condition, words)
#endif
#define STRUCT(type, bytes) CHECK(sizeof(type) == bytes, #type " has another size")
#define MEMBER(type, name, at) CHECK(offsetof(type, name) == at, #type "." #name " moved")

CHECK(TENON_ABI_DRAFT == 2, "the layout below is draft 2's");
CHECK(sizeof(void*) == 8, "64-bit");

STRUCT(tenon_string, 16);
MEMBER(tenon_string, data, 0);
MEMBER(tenon_string, length, 8);

STRUCT(tenon_device, 8);
MEMBER(tenon_device, kind, 0);
MEMBER(tenon_device, index, 4);

STRUCT(tenon_value, 16);
MEMBER(tenon_value, tag, 0);
MEMBER(tenon_value, count, 4);
MEMBER(tenon_value, as, 8);

STRUCT(tenon_view, 48);
MEMBER(tenon_view, data, 0);
MEMBER(tenon_view, shape, 8);
MEMBER(tenon_view, strides, 16);
MEMBER(tenon_view, rank, 24);
MEMBER(tenon_view, dtype, 28);
MEMBER(tenon_view, device, 32);
MEMBER(tenon_view, flags, 40);
MEMBER(tenon_view, reserved, 44);

STRUCT(tenon_meta, 80);
MEMBER(tenon_meta, shape, 0);
MEMBER(tenon_meta, rank, 64);
MEMBER(tenon_meta, dtype, 68);
MEMBER(tenon_meta, device, 72);

STRUCT(tenon_diag, 1024);
MEMBER(tenon_diag, status, 0);
MEMBER(tenon_diag, length, 4);
MEMBER(tenon_diag, message, 8);

STRUCT(tenon_call, 64);
MEMBER(tenon_call, host, 0);
MEMBER(tenon_call, self, 8);
MEMBER(tenon_call, base, 16);
MEMBER(tenon_call, dispatch, 24);
MEMBER(tenon_call, vjp, 32);
MEMBER(tenon_call, memory, 40);
MEMBER(tenon_call, threads, 48);
MEMBER(tenon_call, rng, 56);

STRUCT(tenon_fingerprint, 16);
MEMBER(tenon_fingerprint, pointer_bits, 0);
MEMBER(tenon_fingerprint, byte_order, 4);
MEMBER(tenon_fingerprint, sanitizer, 8);
MEMBER(tenon_fingerprint, draft, 12);

STRUCT(tenon_host, 48);
MEMBER(tenon_host, struct_size, 0);
MEMBER(tenon_host, flags, 4);
MEMBER(tenon_host, abi_major, 8);
MEMBER(tenon_host, abi_minor, 12);
MEMBER(tenon_host, fingerprint, 16);
MEMBER(tenon_host, get_interface, 32);
MEMBER(tenon_host, reserved, 40);

STRUCT(tenon_plugin, 112);
MEMBER(tenon_plugin, struct_size, 0);
MEMBER(tenon_plugin, flags, 4);
MEMBER(tenon_plugin, built_major, 8);
MEMBER(tenon_plugin, built_minor, 12);
MEMBER(tenon_plugin, required_minor, 16);
MEMBER(tenon_plugin, reserved, 20);
MEMBER(tenon_plugin, fingerprint, 24);
MEMBER(tenon_plugin, id, 40);
MEMBER(tenon_plugin, version, 56);
MEMBER(tenon_plugin, license, 72);
MEMBER(tenon_plugin, init, 88);
MEMBER(tenon_plugin, release, 96);
MEMBER(tenon_plugin, get_interface, 104);

STRUCT(tenon_launch, 56);
MEMBER(tenon_launch, slot_begin, 0);
MEMBER(tenon_launch, views, 8);
MEMBER(tenon_launch, attrs, 16);
MEMBER(tenon_launch, prepared, 24);
MEMBER(tenon_launch, user, 32);
MEMBER(tenon_launch, n_slots, 40);
MEMBER(tenon_launch, n_inputs, 44);
MEMBER(tenon_launch, n_attrs, 48);
MEMBER(tenon_launch, flags, 52);

STRUCT(tenon_view_result, 144);
MEMBER(tenon_view_result, shape, 0);
MEMBER(tenon_view_result, strides, 64);
MEMBER(tenon_view_result, offset, 128);
MEMBER(tenon_view_result, rank, 136);
MEMBER(tenon_view_result, copy_needed, 140);

STRUCT(tenon_op_desc, 104);
MEMBER(tenon_op_desc, struct_size, 0);
MEMBER(tenon_op_desc, flags, 4);
MEMBER(tenon_op_desc, name, 8);
MEMBER(tenon_op_desc, schema, 24);
MEMBER(tenon_op_desc, doc, 40);
MEMBER(tenon_op_desc, revision, 56);
MEMBER(tenon_op_desc, shape_rule, 60);
MEMBER(tenon_op_desc, role, 64);
MEMBER(tenon_op_desc, reserved, 68);
MEMBER(tenon_op_desc, infer, 72);
MEMBER(tenon_op_desc, view, 80);
MEMBER(tenon_op_desc, compose, 88);
MEMBER(tenon_op_desc, random_words, 96);

STRUCT(tenon_ops_table, 16);
MEMBER(tenon_ops_table, struct_size, 0);
MEMBER(tenon_ops_table, count, 4);
MEMBER(tenon_ops_table, descs, 8);

STRUCT(tenon_slot_rule, 16);
MEMBER(tenon_slot_rule, role, 0);
MEMBER(tenon_slot_rule, layout, 4);
MEMBER(tenon_slot_rule, flags, 8);
MEMBER(tenon_slot_rule, max_rank, 12);

STRUCT(tenon_kernel_desc, 128);
MEMBER(tenon_kernel_desc, struct_size, 0);
MEMBER(tenon_kernel_desc, flags, 4);
MEMBER(tenon_kernel_desc, op, 8);
MEMBER(tenon_kernel_desc, device, 24);
MEMBER(tenon_kernel_desc, revision, 40);
MEMBER(tenon_kernel_desc, priority, 44);
MEMBER(tenon_kernel_desc, slots, 48);
MEMBER(tenon_kernel_desc, dtype_rows, 56);
MEMBER(tenon_kernel_desc, n_slots, 64);
MEMBER(tenon_kernel_desc, n_attrs, 68);
MEMBER(tenon_kernel_desc, n_rows, 72);
MEMBER(tenon_kernel_desc, n_variables, 76);
MEMBER(tenon_kernel_desc, workspace, 80);
MEMBER(tenon_kernel_desc, predicate, 88);
MEMBER(tenon_kernel_desc, prepare, 96);
MEMBER(tenon_kernel_desc, release_prepared, 104);
MEMBER(tenon_kernel_desc, launch, 112);
MEMBER(tenon_kernel_desc, user, 120);

STRUCT(tenon_kernels_table, 16);
MEMBER(tenon_kernels_table, struct_size, 0);
MEMBER(tenon_kernels_table, count, 4);
MEMBER(tenon_kernels_table, descs, 8);

STRUCT(tenon_vjp_need, 32);
MEMBER(tenon_vjp_need, inputs, 0);
MEMBER(tenon_vjp_need, outputs, 8);
MEMBER(tenon_vjp_need, input_metas, 16);
MEMBER(tenon_vjp_need, output_metas, 24);

STRUCT(tenon_vjp_desc, 80);
MEMBER(tenon_vjp_desc, struct_size, 0);
MEMBER(tenon_vjp_desc, flags, 4);
MEMBER(tenon_vjp_desc, op, 8);
MEMBER(tenon_vjp_desc, revision, 24);
MEMBER(tenon_vjp_desc, priority, 28);
MEMBER(tenon_vjp_desc, n_inputs, 32);
MEMBER(tenon_vjp_desc, n_outputs, 36);
MEMBER(tenon_vjp_desc, n_attrs, 40);
MEMBER(tenon_vjp_desc, reserved, 44);
MEMBER(tenon_vjp_desc, needs, 48);
MEMBER(tenon_vjp_desc, non_differentiable, 56);
MEMBER(tenon_vjp_desc, vjp, 64);
MEMBER(tenon_vjp_desc, user, 72);

STRUCT(tenon_vjps_table, 16);
MEMBER(tenon_vjps_table, struct_size, 0);
MEMBER(tenon_vjps_table, count, 4);
MEMBER(tenon_vjps_table, descs, 8);

STRUCT(tenon_backend_table, 136);
MEMBER(tenon_backend_table, struct_size, 0);
MEMBER(tenon_backend_table, flags, 4);
MEMBER(tenon_backend_table, kind, 8);
MEMBER(tenon_backend_table, doc, 24);
MEMBER(tenon_backend_table, device_count, 40);
MEMBER(tenon_backend_table, alloc, 48);
MEMBER(tenon_backend_table, free, 56);
MEMBER(tenon_backend_table, copy, 64);
MEMBER(tenon_backend_table, stream_create, 72);
MEMBER(tenon_backend_table, stream_release, 80);
MEMBER(tenon_backend_table, stream_wait, 88);
MEMBER(tenon_backend_table, event_create, 96);
MEMBER(tenon_backend_table, event_release, 104);
MEMBER(tenon_backend_table, event_record, 112);
MEMBER(tenon_backend_table, event_wait, 120);
MEMBER(tenon_backend_table, event_query, 128);

STRUCT(tenon_backend_pinned_table, 24);
MEMBER(tenon_backend_pinned_table, struct_size, 0);
MEMBER(tenon_backend_pinned_table, flags, 4);
MEMBER(tenon_backend_pinned_table, alloc, 8);
MEMBER(tenon_backend_pinned_table, free, 16);

STRUCT(tenon_backend_capture_table, 40);
MEMBER(tenon_backend_capture_table, struct_size, 0);
MEMBER(tenon_backend_capture_table, flags, 4);
MEMBER(tenon_backend_capture_table, begin, 8);
MEMBER(tenon_backend_capture_table, end, 16);
MEMBER(tenon_backend_capture_table, run, 24);
MEMBER(tenon_backend_capture_table, release, 32);

STRUCT(tenon_hyper_desc, 64);
MEMBER(tenon_hyper_desc, name, 0);
MEMBER(tenon_hyper_desc, doc, 16);
MEMBER(tenon_hyper_desc, flags, 32);
MEMBER(tenon_hyper_desc, tag, 36);
MEMBER(tenon_hyper_desc, initial, 40);
MEMBER(tenon_hyper_desc, minimum, 48);
MEMBER(tenon_hyper_desc, maximum, 56);

STRUCT(tenon_state_desc, 48);
MEMBER(tenon_state_desc, name, 0);
MEMBER(tenon_state_desc, doc, 16);
MEMBER(tenon_state_desc, shape, 32);
MEMBER(tenon_state_desc, dtype, 36);
MEMBER(tenon_state_desc, initial, 40);

STRUCT(tenon_optimizer_desc, 96);
MEMBER(tenon_optimizer_desc, struct_size, 0);
MEMBER(tenon_optimizer_desc, flags, 4);
MEMBER(tenon_optimizer_desc, name, 8);
MEMBER(tenon_optimizer_desc, doc, 24);
MEMBER(tenon_optimizer_desc, step_op, 40);
MEMBER(tenon_optimizer_desc, rows_op, 56);
MEMBER(tenon_optimizer_desc, hypers, 72);
MEMBER(tenon_optimizer_desc, states, 80);
MEMBER(tenon_optimizer_desc, n_hypers, 88);
MEMBER(tenon_optimizer_desc, n_states, 92);

STRUCT(tenon_entry_desc, 40);
MEMBER(tenon_entry_desc, struct_size, 0);
MEMBER(tenon_entry_desc, flags, 4);
MEMBER(tenon_entry_desc, name, 8);
MEMBER(tenon_entry_desc, doc, 24);

STRUCT(tenon_entries_table, 16);
MEMBER(tenon_entries_table, struct_size, 0);
MEMBER(tenon_entries_table, count, 4);
MEMBER(tenon_entries_table, descs, 8);

STRUCT(tenon_optimizers_table, 16);
MEMBER(tenon_optimizers_table, struct_size, 0);
MEMBER(tenon_optimizers_table, count, 4);
MEMBER(tenon_optimizers_table, descs, 8);

STRUCT(tenon_sample, 56);
MEMBER(tenon_sample, op, 0);
MEMBER(tenon_sample, text, 16);
MEMBER(tenon_sample, fragment, 32);
MEMBER(tenon_sample, expect, 48);
MEMBER(tenon_sample, revision, 52);

STRUCT(tenon_selftest_table, 16);
MEMBER(tenon_selftest_table, struct_size, 0);
MEMBER(tenon_selftest_table, count, 4);
MEMBER(tenon_selftest_table, samples, 8);

STRUCT(tenon_tolerance, 64);
MEMBER(tenon_tolerance, struct_size, 0);
MEMBER(tenon_tolerance, flags, 4);
MEMBER(tenon_tolerance, op, 8);
MEMBER(tenon_tolerance, reason, 24);
MEMBER(tenon_tolerance, revision, 40);
MEMBER(tenon_tolerance, dtype, 44);
MEMBER(tenon_tolerance, ulp, 48);
MEMBER(tenon_tolerance, relative, 56);

STRUCT(tenon_tolerances_table, 16);
MEMBER(tenon_tolerances_table, struct_size, 0);
MEMBER(tenon_tolerances_table, count, 4);
MEMBER(tenon_tolerances_table, descs, 8);

STRUCT(tenon_optimizer_sample, 64);
MEMBER(tenon_optimizer_sample, struct_size, 0);
MEMBER(tenon_optimizer_sample, flags, 4);
MEMBER(tenon_optimizer_sample, optimizer, 8);
MEMBER(tenon_optimizer_sample, text, 24);
MEMBER(tenon_optimizer_sample, fragment, 40);
MEMBER(tenon_optimizer_sample, expect, 56);
MEMBER(tenon_optimizer_sample, steps, 60);

STRUCT(tenon_optimizer_samples_table, 16);
MEMBER(tenon_optimizer_samples_table, struct_size, 0);
MEMBER(tenon_optimizer_samples_table, count, 4);
MEMBER(tenon_optimizer_samples_table, descs, 8);

STRUCT(tenon_host_call, 32);
MEMBER(tenon_host_call, struct_size, 0);
MEMBER(tenon_host_call, flags, 4);
MEMBER(tenon_host_call, fail, 8);
MEMBER(tenon_host_call, fail_detail, 16);
MEMBER(tenon_host_call, log, 24);

STRUCT(tenon_host_dispatch, 48);
MEMBER(tenon_host_dispatch, struct_size, 0);
MEMBER(tenon_host_dispatch, flags, 4);
MEMBER(tenon_host_dispatch, find, 8);
MEMBER(tenon_host_dispatch, call, 16);
MEMBER(tenon_host_dispatch, call_into, 24);
MEMBER(tenon_host_dispatch, meta, 32);
MEMBER(tenon_host_dispatch, set_output, 40);

STRUCT(tenon_host_vjp, 88);
MEMBER(tenon_host_vjp, struct_size, 0);
MEMBER(tenon_host_vjp, flags, 4);
MEMBER(tenon_host_vjp, wants, 8);
MEMBER(tenon_host_vjp, get_input, 16);
MEMBER(tenon_host_vjp, get_output, 24);
MEMBER(tenon_host_vjp, get_input_meta, 32);
MEMBER(tenon_host_vjp, get_output_meta, 40);
MEMBER(tenon_host_vjp, get_input_count, 48);
MEMBER(tenon_host_vjp, get_attr, 56);
MEMBER(tenon_host_vjp, get_output_grad, 64);
MEMBER(tenon_host_vjp, set_input_grad, 72);
MEMBER(tenon_host_vjp, accumulate_rows, 80);

STRUCT(tenon_host_memory, 24);
MEMBER(tenon_host_memory, struct_size, 0);
MEMBER(tenon_host_memory, flags, 4);
MEMBER(tenon_host_memory, scratch, 8);
MEMBER(tenon_host_memory, stream, 16);

STRUCT(tenon_host_threads, 16);
MEMBER(tenon_host_threads, struct_size, 0);
MEMBER(tenon_host_threads, flags, 4);
MEMBER(tenon_host_threads, parallel_for, 8);

STRUCT(tenon_rng, 32);
MEMBER(tenon_rng, key, 0);
MEMBER(tenon_rng, stream, 8);
MEMBER(tenon_rng, offset, 16);
MEMBER(tenon_rng, device_base, 24);

STRUCT(tenon_host_rng, 16);
MEMBER(tenon_host_rng, struct_size, 0);
MEMBER(tenon_host_rng, flags, 4);
MEMBER(tenon_host_rng, get, 8);

STRUCT(tenon_runtime_options, 80);
MEMBER(tenon_runtime_options, struct_size, 0);
MEMBER(tenon_runtime_options, flags, 4);
MEMBER(tenon_runtime_options, paths, 8);
MEMBER(tenon_runtime_options, n_paths, 16);
MEMBER(tenon_runtime_options, policy, 20);
MEMBER(tenon_runtime_options, threads, 24);
MEMBER(tenon_runtime_options, n_exclude, 28);
MEMBER(tenon_runtime_options, exclude, 32);
MEMBER(tenon_runtime_options, memory_limit, 40);
MEMBER(tenon_runtime_options, check, 48);
MEMBER(tenon_runtime_options, allowlist, 64);

STRUCT(tenon_stats, 80);
MEMBER(tenon_stats, struct_size, 0);
MEMBER(tenon_stats, flags, 4);
MEMBER(tenon_stats, tensors, 8);
MEMBER(tenon_stats, storages, 16);
MEMBER(tenon_stats, nodes, 24);
MEMBER(tenon_stats, plans, 32);
MEMBER(tenon_stats, bytes_live, 40);
MEMBER(tenon_stats, bytes_peak, 48);
MEMBER(tenon_stats, bytes_reserved, 56);
MEMBER(tenon_stats, allocations, 64);
MEMBER(tenon_stats, launches, 72);

STRUCT(tenon_error, 96);
MEMBER(tenon_error, struct_size, 0);
MEMBER(tenon_error, flags, 4);
MEMBER(tenon_error, status, 8);
MEMBER(tenon_error, n_causes, 12);
MEMBER(tenon_error, sequence, 16);
MEMBER(tenon_error, message, 24);
MEMBER(tenon_error, op, 32);
MEMBER(tenon_error, operand, 40);
MEMBER(tenon_error, expected, 48);
MEMBER(tenon_error, found, 56);
MEMBER(tenon_error, plugin, 64);
MEMBER(tenon_error, scope, 72);
MEMBER(tenon_error, hint, 80);
MEMBER(tenon_error, causes, 88);

STRUCT(tenon_dtype_info, 80);
MEMBER(tenon_dtype_info, struct_size, 0);
MEMBER(tenon_dtype_info, flags, 4);
MEMBER(tenon_dtype_info, name, 8);
MEMBER(tenon_dtype_info, bits, 16);
MEMBER(tenon_dtype_info, digits, 20);
MEMBER(tenon_dtype_info, int_min, 24);
MEMBER(tenon_dtype_info, int_max, 32);
MEMBER(tenon_dtype_info, min, 40);
MEMBER(tenon_dtype_info, max, 48);
MEMBER(tenon_dtype_info, eps, 56);
MEMBER(tenon_dtype_info, tiny, 64);
MEMBER(tenon_dtype_info, tiny_subnormal, 72);

STRUCT(tenon_tensor_info, 72);
MEMBER(tenon_tensor_info, struct_size, 0);
MEMBER(tenon_tensor_info, flags, 4);
MEMBER(tenon_tensor_info, elements, 8);
MEMBER(tenon_tensor_info, offset, 16);
MEMBER(tenon_tensor_info, storage, 24);
MEMBER(tenon_tensor_info, storage_bytes, 32);
MEMBER(tenon_tensor_info, version, 40);
MEMBER(tenon_tensor_info, storage_users, 48);
MEMBER(tenon_tensor_info, plugin, 56);
MEMBER(tenon_tensor_info, node, 64);

STRUCT(tenon_op_info, 56);
MEMBER(tenon_op_info, struct_size, 0);
MEMBER(tenon_op_info, flags, 4);
MEMBER(tenon_op_info, name, 8);
MEMBER(tenon_op_info, schema, 16);
MEMBER(tenon_op_info, doc, 24);
MEMBER(tenon_op_info, plugin, 32);
MEMBER(tenon_op_info, revision, 40);
MEMBER(tenon_op_info, n_inputs, 44);
MEMBER(tenon_op_info, n_attrs, 48);
MEMBER(tenon_op_info, n_outputs, 52);

STRUCT(tenon_schedule_state_desc, 40);
MEMBER(tenon_schedule_state_desc, name, 0);
MEMBER(tenon_schedule_state_desc, doc, 16);
MEMBER(tenon_schedule_state_desc, initial, 32);

STRUCT(tenon_schedule_desc, 72);
MEMBER(tenon_schedule_desc, struct_size, 0);
MEMBER(tenon_schedule_desc, flags, 4);
MEMBER(tenon_schedule_desc, name, 8);
MEMBER(tenon_schedule_desc, doc, 24);
MEMBER(tenon_schedule_desc, hypers, 40);
MEMBER(tenon_schedule_desc, states, 48);
MEMBER(tenon_schedule_desc, n_hypers, 56);
MEMBER(tenon_schedule_desc, n_states, 60);
MEMBER(tenon_schedule_desc, advance, 64);

STRUCT(tenon_schedules_table, 16);
MEMBER(tenon_schedules_table, struct_size, 0);
MEMBER(tenon_schedules_table, count, 4);
MEMBER(tenon_schedules_table, descs, 8);

STRUCT(tenon_dataset_option, 40);
MEMBER(tenon_dataset_option, name, 0);
MEMBER(tenon_dataset_option, doc, 16);
MEMBER(tenon_dataset_option, tag, 32);
MEMBER(tenon_dataset_option, required, 36);

STRUCT(tenon_dataset_field, 96);
MEMBER(tenon_dataset_field, name, 0);
MEMBER(tenon_dataset_field, sample, 16);

STRUCT(tenon_dataset_desc, 112);
MEMBER(tenon_dataset_desc, struct_size, 0);
MEMBER(tenon_dataset_desc, flags, 4);
MEMBER(tenon_dataset_desc, name, 8);
MEMBER(tenon_dataset_desc, doc, 24);
MEMBER(tenon_dataset_desc, options, 40);
MEMBER(tenon_dataset_desc, n_options, 48);
MEMBER(tenon_dataset_desc, reserved, 52);
MEMBER(tenon_dataset_desc, create, 56);
MEMBER(tenon_dataset_desc, release, 64);
MEMBER(tenon_dataset_desc, length, 72);
MEMBER(tenon_dataset_desc, fields, 80);
MEMBER(tenon_dataset_desc, get, 88);
MEMBER(tenon_dataset_desc, lengths, 96);
MEMBER(tenon_dataset_desc, get_batch, 104);

STRUCT(tenon_datasets_table, 16);
MEMBER(tenon_datasets_table, struct_size, 0);
MEMBER(tenon_datasets_table, count, 4);
MEMBER(tenon_datasets_table, descs, 8);

STRUCT(tenon_format_entry, 120);
MEMBER(tenon_format_entry, name, 0);
MEMBER(tenon_format_entry, meta, 16);
MEMBER(tenon_format_entry, offset, 96);
MEMBER(tenon_format_entry, bytes, 104);
MEMBER(tenon_format_entry, flags, 112);
MEMBER(tenon_format_entry, reserved, 116);

STRUCT(tenon_format_pair, 32);
MEMBER(tenon_format_pair, key, 0);
MEMBER(tenon_format_pair, value, 16);

STRUCT(tenon_format_content, 32);
MEMBER(tenon_format_content, struct_size, 0);
MEMBER(tenon_format_content, flags, 4);
MEMBER(tenon_format_content, entries, 8);
MEMBER(tenon_format_content, metadata, 16);
MEMBER(tenon_format_content, n_entries, 24);
MEMBER(tenon_format_content, n_metadata, 28);

STRUCT(tenon_format_piece, 24);
MEMBER(tenon_format_piece, bytes, 0);
MEMBER(tenon_format_piece, length, 8);
MEMBER(tenon_format_piece, kind, 16);
MEMBER(tenon_format_piece, entry, 20);

STRUCT(tenon_format_desc, 144);
MEMBER(tenon_format_desc, struct_size, 0);
MEMBER(tenon_format_desc, flags, 4);
MEMBER(tenon_format_desc, name, 8);
MEMBER(tenon_format_desc, doc, 24);
MEMBER(tenon_format_desc, endings, 40);
MEMBER(tenon_format_desc, read, 56);
MEMBER(tenon_format_desc, release, 64);
MEMBER(tenon_format_desc, count, 72);
MEMBER(tenon_format_desc, entry, 80);
MEMBER(tenon_format_desc, metadata, 88);
MEMBER(tenon_format_desc, unpack, 96);
MEMBER(tenon_format_desc, layout, 104);
MEMBER(tenon_format_desc, piece, 112);
MEMBER(tenon_format_desc, written, 120);
MEMBER(tenon_format_desc, release_layout, 128);
MEMBER(tenon_format_desc, foreign, 136);

STRUCT(tenon_formats_table, 16);
MEMBER(tenon_formats_table, struct_size, 0);
MEMBER(tenon_formats_table, count, 4);
MEMBER(tenon_formats_table, descs, 8);

STRUCT(tenon_host_numbers, 16);
MEMBER(tenon_host_numbers, struct_size, 0);
MEMBER(tenon_host_numbers, flags, 4);
MEMBER(tenon_host_numbers, read, 8);

STRUCT(tenon_host_lending, 16);
MEMBER(tenon_host_lending, struct_size, 0);
MEMBER(tenon_host_lending, flags, 4);
MEMBER(tenon_host_lending, lend, 8);

STRUCT(tenon_layer_option, 56);
MEMBER(tenon_layer_option, name, 0);
MEMBER(tenon_layer_option, doc, 16);
MEMBER(tenon_layer_option, tag, 32);
MEMBER(tenon_layer_option, required, 36);
MEMBER(tenon_layer_option, initial, 40);

STRUCT(tenon_layer_sample, 40);
MEMBER(tenon_layer_sample, text, 0);
MEMBER(tenon_layer_sample, fragment, 16);
MEMBER(tenon_layer_sample, expect, 32);
MEMBER(tenon_layer_sample, flags, 36);

STRUCT(tenon_layer_desc, 96);
MEMBER(tenon_layer_desc, struct_size, 0);
MEMBER(tenon_layer_desc, flags, 4);
MEMBER(tenon_layer_desc, name, 8);
MEMBER(tenon_layer_desc, doc, 24);
MEMBER(tenon_layer_desc, options, 40);
MEMBER(tenon_layer_desc, samples, 48);
MEMBER(tenon_layer_desc, n_options, 56);
MEMBER(tenon_layer_desc, n_samples, 60);
MEMBER(tenon_layer_desc, min_inputs, 64);
MEMBER(tenon_layer_desc, max_inputs, 68);
MEMBER(tenon_layer_desc, n_outputs, 72);
MEMBER(tenon_layer_desc, reserved, 76);
MEMBER(tenon_layer_desc, describe, 80);
MEMBER(tenon_layer_desc, forward, 88);

STRUCT(tenon_layers_table, 16);
MEMBER(tenon_layers_table, struct_size, 0);
MEMBER(tenon_layers_table, count, 4);
MEMBER(tenon_layers_table, descs, 8);

STRUCT(tenon_layer_tensor_spec, 136);
MEMBER(tenon_layer_tensor_spec, struct_size, 0);
MEMBER(tenon_layer_tensor_spec, flags, 4);
MEMBER(tenon_layer_tensor_spec, name, 8);
MEMBER(tenon_layer_tensor_spec, op, 24);
MEMBER(tenon_layer_tensor_spec, attr_names, 40);
MEMBER(tenon_layer_tensor_spec, attr_values, 48);
MEMBER(tenon_layer_tensor_spec, n_attrs, 56);
MEMBER(tenon_layer_tensor_spec, rank, 60);
MEMBER(tenon_layer_tensor_spec, shape, 64);
MEMBER(tenon_layer_tensor_spec, dtype, 128);
MEMBER(tenon_layer_tensor_spec, reserved, 132);

STRUCT(tenon_host_layers, 56);
MEMBER(tenon_host_layers, struct_size, 0);
MEMBER(tenon_host_layers, flags, 4);
MEMBER(tenon_host_layers, add_tensor, 8);
MEMBER(tenon_host_layers, add_child, 16);
MEMBER(tenon_host_layers, get_tensor, 24);
MEMBER(tenon_host_layers, set_buffer, 32);
MEMBER(tenon_host_layers, get_child_count, 40);
MEMBER(tenon_host_layers, call_child, 48);

STRUCT(tenon_batch, 32);
MEMBER(tenon_batch, n, 0);
MEMBER(tenon_batch, samples, 8);
MEMBER(tenon_batch, seed, 16);
MEMBER(tenon_batch, epoch, 24);

STRUCT(tenon_transform_option, 56);
MEMBER(tenon_transform_option, name, 0);
MEMBER(tenon_transform_option, doc, 16);
MEMBER(tenon_transform_option, tag, 32);
MEMBER(tenon_transform_option, required, 36);
MEMBER(tenon_transform_option, initial, 40);

STRUCT(tenon_transform_sample, 40);
MEMBER(tenon_transform_sample, text, 0);
MEMBER(tenon_transform_sample, fragment, 16);
MEMBER(tenon_transform_sample, expect, 32);
MEMBER(tenon_transform_sample, flags, 36);

STRUCT(tenon_transform_desc, 96);
MEMBER(tenon_transform_desc, struct_size, 0);
MEMBER(tenon_transform_desc, flags, 4);
MEMBER(tenon_transform_desc, name, 8);
MEMBER(tenon_transform_desc, doc, 24);
MEMBER(tenon_transform_desc, options, 40);
MEMBER(tenon_transform_desc, samples, 48);
MEMBER(tenon_transform_desc, n_options, 56);
MEMBER(tenon_transform_desc, n_samples, 60);
MEMBER(tenon_transform_desc, create, 64);
MEMBER(tenon_transform_desc, release, 72);
MEMBER(tenon_transform_desc, infer, 80);
MEMBER(tenon_transform_desc, run, 88);

STRUCT(tenon_transforms_table, 16);
MEMBER(tenon_transforms_table, struct_size, 0);
MEMBER(tenon_transforms_table, count, 4);
MEMBER(tenon_transforms_table, descs, 8);

STRUCT(tenon_optimizer_group, 40);
MEMBER(tenon_optimizer_group, struct_size, 0);
MEMBER(tenon_optimizer_group, flags, 4);
MEMBER(tenon_optimizer_group, params, 8);
MEMBER(tenon_optimizer_group, names, 16);
MEMBER(tenon_optimizer_group, values, 24);
MEMBER(tenon_optimizer_group, n_params, 32);
MEMBER(tenon_optimizer_group, n_values, 36);

STRUCT(tenon_loader_info, 72);
MEMBER(tenon_loader_info, struct_size, 0);
MEMBER(tenon_loader_info, flags, 4);
MEMBER(tenon_loader_info, length, 8);
MEMBER(tenon_loader_info, batch, 16);
MEMBER(tenon_loader_info, epoch, 24);
MEMBER(tenon_loader_info, position, 32);
MEMBER(tenon_loader_info, remaining, 40);
MEMBER(tenon_loader_info, seed, 48);
MEMBER(tenon_loader_info, n_fields, 56);
MEMBER(tenon_loader_info, n_workers, 60);
MEMBER(tenon_loader_info, pool, 64);

STRUCT(tenon_entry_info, 112);
MEMBER(tenon_entry_info, struct_size, 0);
MEMBER(tenon_entry_info, flags, 4);
MEMBER(tenon_entry_info, kind, 8);
MEMBER(tenon_entry_info, name, 24);
MEMBER(tenon_entry_info, doc, 40);
MEMBER(tenon_entry_info, plugin, 56);
MEMBER(tenon_entry_info, schema, 72);
MEMBER(tenon_entry_info, revision, 88);
MEMBER(tenon_entry_info, n_options, 92);
MEMBER(tenon_entry_info, n_parts, 96);
MEMBER(tenon_entry_info, min_inputs, 100);
MEMBER(tenon_entry_info, max_inputs, 104);
MEMBER(tenon_entry_info, n_outputs, 108);

STRUCT(tenon_entry_option, 80);
MEMBER(tenon_entry_option, struct_size, 0);
MEMBER(tenon_entry_option, flags, 4);
MEMBER(tenon_entry_option, name, 8);
MEMBER(tenon_entry_option, doc, 24);
MEMBER(tenon_entry_option, tag, 40);
MEMBER(tenon_entry_option, count, 44);
MEMBER(tenon_entry_option, initial, 48);
MEMBER(tenon_entry_option, minimum, 64);
MEMBER(tenon_entry_option, maximum, 72);

STRUCT(tenon_entry_part, 104);
MEMBER(tenon_entry_part, struct_size, 0);
MEMBER(tenon_entry_part, flags, 4);
MEMBER(tenon_entry_part, role, 8);
MEMBER(tenon_entry_part, policy, 12);
MEMBER(tenon_entry_part, name, 16);
MEMBER(tenon_entry_part, doc, 32);
MEMBER(tenon_entry_part, type, 48);
MEMBER(tenon_entry_part, shape, 64);
MEMBER(tenon_entry_part, dtypes, 80);
MEMBER(tenon_entry_part, n_dtypes, 88);
MEMBER(tenon_entry_part, status, 92);
MEMBER(tenon_entry_part, initial, 96);

STRUCT(tenon_tokenizer_info, 32);
MEMBER(tenon_tokenizer_info, struct_size, 0);
MEMBER(tenon_tokenizer_info, flags, 4);
MEMBER(tenon_tokenizer_info, size, 8);
MEMBER(tenon_tokenizer_info, unknown, 16);
MEMBER(tenon_tokenizer_info, begin, 20);
MEMBER(tenon_tokenizer_info, end, 24);
MEMBER(tenon_tokenizer_info, pad, 28);

STRUCT(tenon_tokenizer_option, 56);
MEMBER(tenon_tokenizer_option, name, 0);
MEMBER(tenon_tokenizer_option, doc, 16);
MEMBER(tenon_tokenizer_option, tag, 32);
MEMBER(tenon_tokenizer_option, required, 36);
MEMBER(tenon_tokenizer_option, initial, 40);

STRUCT(tenon_tokenizer_sample, 88);
MEMBER(tenon_tokenizer_sample, options, 0);
MEMBER(tenon_tokenizer_sample, file, 16);
MEMBER(tenon_tokenizer_sample, text, 32);
MEMBER(tenon_tokenizer_sample, tokens, 48);
MEMBER(tenon_tokenizer_sample, fragment, 64);
MEMBER(tenon_tokenizer_sample, expect, 80);
MEMBER(tenon_tokenizer_sample, flags, 84);

STRUCT(tenon_tokenizer_desc, 144);
MEMBER(tenon_tokenizer_desc, struct_size, 0);
MEMBER(tenon_tokenizer_desc, flags, 4);
MEMBER(tenon_tokenizer_desc, name, 8);
MEMBER(tenon_tokenizer_desc, doc, 24);
MEMBER(tenon_tokenizer_desc, endings, 40);
MEMBER(tenon_tokenizer_desc, options, 56);
MEMBER(tenon_tokenizer_desc, samples, 64);
MEMBER(tenon_tokenizer_desc, n_options, 72);
MEMBER(tenon_tokenizer_desc, n_samples, 76);
MEMBER(tenon_tokenizer_desc, create, 80);
MEMBER(tenon_tokenizer_desc, release, 88);
MEMBER(tenon_tokenizer_desc, info, 96);
MEMBER(tenon_tokenizer_desc, encode, 104);
MEMBER(tenon_tokenizer_desc, decode, 112);
MEMBER(tenon_tokenizer_desc, token, 120);
MEMBER(tenon_tokenizer_desc, find, 128);
MEMBER(tenon_tokenizer_desc, save, 136);

STRUCT(tenon_tokenizers_table, 16);
MEMBER(tenon_tokenizers_table, struct_size, 0);
MEMBER(tenon_tokenizers_table, count, 4);
MEMBER(tenon_tokenizers_table, descs, 8);

STRUCT(tenon_host_tokenizers, 40);
MEMBER(tenon_host_tokenizers, struct_size, 0);
MEMBER(tenon_host_tokenizers, flags, 4);
MEMBER(tenon_host_tokenizers, create, 8);
MEMBER(tenon_host_tokenizers, load, 16);
MEMBER(tenon_host_tokenizers, release, 24);
MEMBER(tenon_host_tokenizers, encode, 32);

STRUCT(tenon_collective_option, 56);
MEMBER(tenon_collective_option, name, 0);
MEMBER(tenon_collective_option, doc, 16);
MEMBER(tenon_collective_option, tag, 32);
MEMBER(tenon_collective_option, required, 36);
MEMBER(tenon_collective_option, initial, 40);

STRUCT(tenon_members, 8);
MEMBER(tenon_members, rank, 0);
MEMBER(tenon_members, size, 4);

STRUCT(tenon_transfer_desc, 48);
MEMBER(tenon_transfer_desc, collective, 0);
MEMBER(tenon_transfer_desc, peer, 4);
MEMBER(tenon_transfer_desc, device, 8);
MEMBER(tenon_transfer_desc, dtype, 16);
MEMBER(tenon_transfer_desc, reserved, 20);
MEMBER(tenon_transfer_desc, count, 24);
MEMBER(tenon_transfer_desc, from, 32);
MEMBER(tenon_transfer_desc, to, 40);

STRUCT(tenon_collective_desc, 128);
MEMBER(tenon_collective_desc, struct_size, 0);
MEMBER(tenon_collective_desc, flags, 4);
MEMBER(tenon_collective_desc, name, 8);
MEMBER(tenon_collective_desc, doc, 24);
MEMBER(tenon_collective_desc, devices, 40);
MEMBER(tenon_collective_desc, sums, 56);
MEMBER(tenon_collective_desc, options, 72);
MEMBER(tenon_collective_desc, n_options, 80);
MEMBER(tenon_collective_desc, reserved, 84);
MEMBER(tenon_collective_desc, create, 88);
MEMBER(tenon_collective_desc, release, 96);
MEMBER(tenon_collective_desc, split, 104);
MEMBER(tenon_collective_desc, run, 112);
MEMBER(tenon_collective_desc, abort, 120);

STRUCT(tenon_collectives_table, 16);
MEMBER(tenon_collectives_table, struct_size, 0);
MEMBER(tenon_collectives_table, count, 4);
MEMBER(tenon_collectives_table, descs, 8);

STRUCT(tenon_group_info, 48);
MEMBER(tenon_group_info, struct_size, 0);
MEMBER(tenon_group_info, flags, 4);
MEMBER(tenon_group_info, number, 8);
MEMBER(tenon_group_info, rank, 16);
MEMBER(tenon_group_info, size, 20);
MEMBER(tenon_group_info, transfers, 24);
MEMBER(tenon_group_info, bytes_sent, 32);
MEMBER(tenon_group_info, bytes_agreed, 40);

STRUCT(tenon_transfer_request, 32);
MEMBER(tenon_transfer_request, struct_size, 0);
MEMBER(tenon_transfer_request, flags, 4);
MEMBER(tenon_transfer_request, collective, 8);
MEMBER(tenon_transfer_request, peer, 12);
MEMBER(tenon_transfer_request, input, 16);
MEMBER(tenon_transfer_request, output, 24);

STRUCT(tenon_host_processes, 32);
MEMBER(tenon_host_processes, struct_size, 0);
MEMBER(tenon_host_processes, flags, 4);
MEMBER(tenon_host_processes, members, 8);
MEMBER(tenon_host_processes, run, 16);
MEMBER(tenon_host_processes, run_alike, 24);

STRUCT(tenon_data_parallel_options, 40);
MEMBER(tenon_data_parallel_options, struct_size, 0);
MEMBER(tenon_data_parallel_options, flags, 4);
MEMBER(tenon_data_parallel_options, shards, 8);
MEMBER(tenon_data_parallel_options, bucket_bytes, 16);
MEMBER(tenon_data_parallel_options, buffers, 24);
MEMBER(tenon_data_parallel_options, n_buffers, 32);
MEMBER(tenon_data_parallel_options, reserved, 36);

STRUCT(tenon_data_parallel_info, 48);
MEMBER(tenon_data_parallel_info, struct_size, 0);
MEMBER(tenon_data_parallel_info, flags, 4);
MEMBER(tenon_data_parallel_info, shards, 8);
MEMBER(tenon_data_parallel_info, first_shard, 16);
MEMBER(tenon_data_parallel_info, n_shards, 24);
MEMBER(tenon_data_parallel_info, step, 32);
MEMBER(tenon_data_parallel_info, buckets, 40);
