// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-sys/src/functions.rs: the functions of the C API, name by name.
// Written by bindings/rust/generate.py; do not edit. The headers' comments are the reference.

use crate::raw::*;
use std::os::raw::{c_char, c_void};

functions! {
    fn tenon_context_create(
        runtime: *mut tenon_runtime,
        diag: *mut tenon_diag,
        out_context: *mut *mut tenon_context,
    ) -> tenon_status;
    fn tenon_context_release(context: *mut tenon_context);
    fn tenon_context_get_error(
        context: *mut tenon_context,
        out_error: *mut tenon_error,
    ) -> tenon_status;
    fn tenon_context_interrupt(context: *mut tenon_context) -> tenon_status;
    fn tenon_context_set_seed(context: *mut tenon_context, seed: u64, stream: u64) -> tenon_status;
    fn tenon_context_get_seed(
        context: *mut tenon_context,
        out_seed: *mut u64,
        out_stream: *mut u64,
        out_counter: *mut u64,
    ) -> tenon_status;
    fn tenon_context_set_counter(context: *mut tenon_context, counter: u64) -> tenon_status;
    fn tenon_context_set_arithmetic(context: *mut tenon_context, arithmetic: u32) -> tenon_status;
    fn tenon_context_set_device(
        context: *mut tenon_context,
        device: *const tenon_device,
    ) -> tenon_status;
    fn tenon_device_find(
        context: *mut tenon_context,
        kind: *const c_char,
        kind_length: u64,
        index: i32,
        out_device: *mut tenon_device,
    ) -> tenon_status;
    fn tenon_device_wait(context: *mut tenon_context, device: *const tenon_device) -> tenon_status;
    fn tenon_scope_begin(
        context: *mut tenon_context,
        label: *const c_char,
        label_length: u64,
    ) -> tenon_status;
    fn tenon_scope_end(context: *mut tenon_context) -> tenon_status;
    fn tenon_serial_begin(context: *mut tenon_context) -> tenon_status;
    fn tenon_serial_end(context: *mut tenon_context) -> tenon_status;
    fn tenon_grad_begin(context: *mut tenon_context, mode: u32) -> tenon_status;
    fn tenon_grad_end(context: *mut tenon_context) -> tenon_status;
    fn tenon_trace_begin(context: *mut tenon_context) -> tenon_status;
    fn tenon_trace_end(context: *mut tenon_context, out_json: *mut *mut tenon_text) -> tenon_status;
    fn tenon_archive_create(
        context: *mut tenon_context,
        out_archive: *mut *mut tenon_archive,
    ) -> tenon_status;
    fn tenon_archive_load(
        context: *mut tenon_context,
        path: *const c_char,
        path_length: u64,
        format: *const c_char,
        format_length: u64,
        flags: u32,
        out_archive: *mut *mut tenon_archive,
    ) -> tenon_status;
    fn tenon_archive_release(archive: *mut tenon_archive);
    fn tenon_archive_get_count(
        context: *mut tenon_context,
        archive: *mut tenon_archive,
        out_tensors: *mut u32,
        out_metadata: *mut u32,
    ) -> tenon_status;
    fn tenon_archive_get_entry(
        context: *mut tenon_context,
        archive: *mut tenon_archive,
        index: u32,
        out_name: *mut *const c_char,
        out_name_length: *mut u64,
        out_meta: *mut tenon_meta,
    ) -> tenon_status;
    fn tenon_archive_get_foreign(
        context: *mut tenon_context,
        archive: *mut tenon_archive,
        index: u32,
        out_text: *mut *const c_char,
        out_text_length: *mut u64,
    ) -> tenon_status;
    fn tenon_archive_find(
        context: *mut tenon_context,
        archive: *mut tenon_archive,
        name: *const c_char,
        name_length: u64,
        out_index: *mut u32,
    ) -> tenon_status;
    fn tenon_tensor_create_loaded(
        context: *mut tenon_context,
        archive: *mut tenon_archive,
        index: u32,
        flags: u32,
        out_tensor: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_archive_get_metadata(
        context: *mut tenon_context,
        archive: *mut tenon_archive,
        index: u32,
        out_key: *mut *const c_char,
        out_key_length: *mut u64,
        out_value: *mut *const c_char,
        out_value_length: *mut u64,
    ) -> tenon_status;
    fn tenon_archive_find_metadata(
        context: *mut tenon_context,
        archive: *mut tenon_archive,
        key: *const c_char,
        key_length: u64,
        out_value: *mut *const c_char,
        out_value_length: *mut u64,
    ) -> tenon_status;
    fn tenon_archive_set_tensor(
        context: *mut tenon_context,
        archive: *mut tenon_archive,
        name: *const c_char,
        name_length: u64,
        tensor: *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_archive_set_metadata(
        context: *mut tenon_context,
        archive: *mut tenon_archive,
        key: *const c_char,
        key_length: u64,
        value: *const c_char,
        value_length: u64,
    ) -> tenon_status;
    fn tenon_file_set(
        context: *mut tenon_context,
        path: *const c_char,
        path_length: u64,
        format: *const c_char,
        format_length: u64,
        archive: *mut tenon_archive,
    ) -> tenon_status;
    fn tenon_checkpoint_create(
        context: *mut tenon_context,
        out_checkpoint: *mut *mut tenon_checkpoint,
    ) -> tenon_status;
    fn tenon_checkpoint_release(checkpoint: *mut tenon_checkpoint);
    fn tenon_checkpoint_set_layer(
        context: *mut tenon_context,
        checkpoint: *mut tenon_checkpoint,
        name: *const c_char,
        name_length: u64,
        layer: *mut tenon_layer,
    ) -> tenon_status;
    fn tenon_checkpoint_set_optimizer(
        context: *mut tenon_context,
        checkpoint: *mut tenon_checkpoint,
        name: *const c_char,
        name_length: u64,
        optimizer: *mut tenon_optimizer,
    ) -> tenon_status;
    fn tenon_checkpoint_set_schedule(
        context: *mut tenon_context,
        checkpoint: *mut tenon_checkpoint,
        name: *const c_char,
        name_length: u64,
        schedule: *mut tenon_schedule,
    ) -> tenon_status;
    fn tenon_checkpoint_set_loader(
        context: *mut tenon_context,
        checkpoint: *mut tenon_checkpoint,
        name: *const c_char,
        name_length: u64,
        loader: *mut tenon_loader,
    ) -> tenon_status;
    fn tenon_checkpoint_set_tensor(
        context: *mut tenon_context,
        checkpoint: *mut tenon_checkpoint,
        name: *const c_char,
        name_length: u64,
        tensor: *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_checkpoint_set_value(
        context: *mut tenon_context,
        checkpoint: *mut tenon_checkpoint,
        name: *const c_char,
        name_length: u64,
        value: *const tenon_value,
    ) -> tenon_status;
    fn tenon_checkpoint_get_value(
        context: *mut tenon_context,
        checkpoint: *mut tenon_checkpoint,
        name: *const c_char,
        name_length: u64,
        out_value: *mut tenon_value,
    ) -> tenon_status;
    fn tenon_checkpoint_save(
        context: *mut tenon_context,
        checkpoint: *mut tenon_checkpoint,
        path: *const c_char,
        path_length: u64,
    ) -> tenon_status;
    fn tenon_checkpoint_load(
        context: *mut tenon_context,
        checkpoint: *mut tenon_checkpoint,
        path: *const c_char,
        path_length: u64,
        flags: u32,
        out_loaded: *mut u32,
    ) -> tenon_status;
    fn tenon_check_begin(context: *mut tenon_context, checks: u32) -> tenon_status;
    fn tenon_check_end(context: *mut tenon_context) -> tenon_status;
    fn tenon_data_parallel_create(
        context: *mut tenon_context,
        group: *mut tenon_group,
        params: *const *mut tenon_tensor,
        n_params: u32,
        options: *const tenon_data_parallel_options,
        out_parallel: *mut *mut tenon_data_parallel,
    ) -> tenon_status;
    fn tenon_data_parallel_create_for_layer(
        context: *mut tenon_context,
        group: *mut tenon_group,
        layer: *mut tenon_layer,
        options: *const tenon_data_parallel_options,
        out_parallel: *mut *mut tenon_data_parallel,
    ) -> tenon_status;
    fn tenon_data_parallel_release(parallel: *mut tenon_data_parallel);
    fn tenon_data_parallel_get_info(
        context: *mut tenon_context,
        parallel: *mut tenon_data_parallel,
        out_info: *mut tenon_data_parallel_info,
    ) -> tenon_status;
    fn tenon_data_parallel_set_step(
        context: *mut tenon_context,
        parallel: *mut tenon_data_parallel,
        step: i64,
    ) -> tenon_status;
    fn tenon_data_parallel_begin(
        context: *mut tenon_context,
        parallel: *mut tenon_data_parallel,
        shard: i64,
    ) -> tenon_status;
    fn tenon_data_parallel_end(
        context: *mut tenon_context,
        parallel: *mut tenon_data_parallel,
        loss: *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_data_parallel_give_up(
        context: *mut tenon_context,
        parallel: *mut tenon_data_parallel,
    ) -> tenon_status;
    fn tenon_data_parallel_share_states(
        context: *mut tenon_context,
        parallel: *mut tenon_data_parallel,
        optimizer: *mut tenon_optimizer,
    ) -> tenon_status;
    fn tenon_data_parallel_gather_states(
        context: *mut tenon_context,
        parallel: *mut tenon_data_parallel,
        root: i32,
    ) -> tenon_status;
    fn tenon_data_parallel_clip(
        context: *mut tenon_context,
        parallel: *mut tenon_data_parallel,
        max_norm: f64,
        out_norm: *mut f64,
    ) -> tenon_status;
    fn tenon_kind_get_names(
        context: *mut tenon_context,
        kind: *const c_char,
        kind_length: u64,
        capacity: u32,
        out_names: *mut tenon_string,
        out_count: *mut u32,
    ) -> tenon_status;
    fn tenon_entry_get_info(
        context: *mut tenon_context,
        kind: *const c_char,
        kind_length: u64,
        name: *const c_char,
        name_length: u64,
        out_info: *mut tenon_entry_info,
    ) -> tenon_status;
    fn tenon_entry_get_option(
        context: *mut tenon_context,
        kind: *const c_char,
        kind_length: u64,
        name: *const c_char,
        name_length: u64,
        index: u32,
        out_option: *mut tenon_entry_option,
    ) -> tenon_status;
    fn tenon_entry_get_part(
        context: *mut tenon_context,
        kind: *const c_char,
        kind_length: u64,
        name: *const c_char,
        name_length: u64,
        index: u32,
        out_part: *mut tenon_entry_part,
    ) -> tenon_status;
    fn tenon_layer_get_child(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        index: u32,
        out_name: *mut *const c_char,
        out_entry: *mut tenon_string,
    ) -> tenon_status;
    fn tenon_optimizer_create_groups(
        context: *mut tenon_context,
        name: *const c_char,
        name_length: u64,
        groups: *const *const tenon_optimizer_group,
        n_groups: u32,
        names: *const tenon_string,
        values: *const tenon_value,
        n_values: u32,
        out_optimizer: *mut *mut tenon_optimizer,
    ) -> tenon_status;
    fn tenon_optimizer_set_group(
        context: *mut tenon_context,
        optimizer: *mut tenon_optimizer,
        group: u32,
        name: *const c_char,
        name_length: u64,
        value: *const tenon_value,
    ) -> tenon_status;
    fn tenon_optimizer_get_group(
        context: *mut tenon_context,
        optimizer: *mut tenon_optimizer,
        group: u32,
        name: *const c_char,
        name_length: u64,
        out_value: *mut tenon_value,
    ) -> tenon_status;
    fn tenon_layer_create(
        context: *mut tenon_context,
        name: *const c_char,
        name_length: u64,
        device: *const tenon_device,
        names: *const tenon_string,
        values: *const tenon_value,
        n_values: u32,
        out_layer: *mut *mut tenon_layer,
    ) -> tenon_status;
    fn tenon_layer_release(layer: *mut tenon_layer);
    fn tenon_layer_set_child(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        name: *const c_char,
        name_length: u64,
        child: *mut tenon_layer,
    ) -> tenon_status;
    fn tenon_layer_set_training(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        training: u32,
    ) -> tenon_status;
    fn tenon_layer_set_device(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        device: *const tenon_device,
    ) -> tenon_status;
    fn tenon_layer_set_cache(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        batch: i64,
        positions: i64,
    ) -> tenon_status;
    fn tenon_layer_crop_cache(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        count: i64,
    ) -> tenon_status;
    fn tenon_layer_call(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        inputs: *const tenon_value,
        n_inputs: u32,
        out_outputs: *mut *mut tenon_tensor,
        n_outputs: u32,
    ) -> tenon_status;
    fn tenon_layer_get_tensor(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        index: u32,
        out_name: *mut *const c_char,
        out_flags: *mut u32,
        out_tensor: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_layer_get_parameter(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        index: u32,
        out_name: *mut *const c_char,
        out_tensor: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_layer_find_tensor(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        name: *const c_char,
        name_length: u64,
        out_tensor: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_layer_set_tensor(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        name: *const c_char,
        name_length: u64,
        tensor: *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_layer_share_tensor(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        name: *const c_char,
        name_length: u64,
        tensor: *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_optimizer_create_for_layer(
        context: *mut tenon_context,
        name: *const c_char,
        name_length: u64,
        layer: *mut tenon_layer,
        names: *const tenon_string,
        values: *const tenon_value,
        n_values: u32,
        out_optimizer: *mut *mut tenon_optimizer,
    ) -> tenon_status;
    fn tenon_layer_save(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        path: *const c_char,
        path_length: u64,
    ) -> tenon_status;
    fn tenon_layer_load(
        context: *mut tenon_context,
        layer: *mut tenon_layer,
        path: *const c_char,
        path_length: u64,
    ) -> tenon_status;
    fn tenon_loader_create(
        context: *mut tenon_context,
        dataset: *mut tenon_dataset,
        batch: i64,
        seed: u64,
        flags: u32,
        out_loader: *mut *mut tenon_loader,
    ) -> tenon_status;
    fn tenon_loader_create_numbers(
        context: *mut tenon_context,
        length: i64,
        batch: i64,
        seed: u64,
        flags: u32,
        out_loader: *mut *mut tenon_loader,
    ) -> tenon_status;
    fn tenon_loader_release(loader: *mut tenon_loader);
    fn tenon_loader_set_transforms(
        context: *mut tenon_context,
        loader: *mut tenon_loader,
        transforms: *const *mut tenon_transform,
        fields: *const u32,
        n: u32,
    ) -> tenon_status;
    fn tenon_loader_set_workers(
        context: *mut tenon_context,
        loader: *mut tenon_loader,
        n_workers: u32,
    ) -> tenon_status;
    fn tenon_loader_set_share(
        context: *mut tenon_context,
        loader: *mut tenon_loader,
        first: i64,
        count: i64,
        of: i64,
    ) -> tenon_status;
    fn tenon_loader_set_buckets(
        context: *mut tenon_context,
        loader: *mut tenon_loader,
        pool: i64,
        lengths: *const i64,
    ) -> tenon_status;
    fn tenon_dataset_get_lengths(
        context: *mut tenon_context,
        dataset: *mut tenon_dataset,
        first: i64,
        count: i64,
        out_lengths: *mut i64,
    ) -> tenon_status;
    fn tenon_loader_begin(
        context: *mut tenon_context,
        loader: *mut tenon_loader,
        epoch: i64,
        position: i64,
    ) -> tenon_status;
    fn tenon_loader_run(
        context: *mut tenon_context,
        loader: *mut tenon_loader,
        out_fields: *mut *mut tenon_tensor,
        n_fields: u32,
        out_n: *mut i64,
    ) -> tenon_status;
    fn tenon_loader_get_info(
        context: *mut tenon_context,
        loader: *mut tenon_loader,
        out_info: *mut tenon_loader_info,
    ) -> tenon_status;
    fn tenon_loader_get_field(
        context: *mut tenon_context,
        loader: *mut tenon_loader,
        index: u32,
        out_name: *mut *const c_char,
        out_sample: *mut tenon_meta,
    ) -> tenon_status;
    fn tenon_runtime_release_cache(
        context: *mut tenon_context,
        device: *const tenon_device,
        out_bytes: *mut u64,
    ) -> tenon_status;
    fn tenon_op_log_begin(
        context: *mut tenon_context,
        print: tenon_op_log_fn,
        state: *mut c_void,
    ) -> tenon_status;
    fn tenon_op_log_end(context: *mut tenon_context) -> tenon_status;
    fn tenon_tensor_is_alone(tensor: *const tenon_tensor) -> u32;
    fn tenon_tensor_is_held_by(tensor: *const tenon_tensor, owners: u32) -> u32;
    fn tenon_group_create(
        context: *mut tenon_context,
        name: *const c_char,
        name_length: u64,
        names: *const tenon_string,
        values: *const tenon_value,
        n_values: u32,
        timeout: i64,
        out_group: *mut *mut tenon_group,
    ) -> tenon_status;
    fn tenon_group_release(group: *mut tenon_group);
    fn tenon_group_split(
        context: *mut tenon_context,
        group: *mut tenon_group,
        color: i32,
        key: i32,
        out_group: *mut *mut tenon_group,
    ) -> tenon_status;
    fn tenon_group_abort(
        context: *mut tenon_context,
        group: *mut tenon_group,
        status: i32,
        words: *const c_char,
        words_length: u64,
    ) -> tenon_status;
    fn tenon_group_get_info(
        context: *mut tenon_context,
        group: *mut tenon_group,
        out_info: *mut tenon_group_info,
    ) -> tenon_status;
    fn tenon_group_begin(
        context: *mut tenon_context,
        group: *mut tenon_group,
        requests: *const *const tenon_transfer_request,
        n_requests: u32,
        timeout: i64,
        out_transfer: *mut *mut tenon_transfer,
    ) -> tenon_status;
    fn tenon_transfer_end(
        context: *mut tenon_context,
        transfer: *mut tenon_transfer,
    ) -> tenon_status;
    fn tenon_transfer_get_ended(
        context: *mut tenon_context,
        transfer: *mut tenon_transfer,
        out_ended: *mut u32,
    ) -> tenon_status;
    fn tenon_transfer_release(transfer: *mut tenon_transfer);
    fn tenon_history_create(
        context: *mut tenon_context,
        out_history: *mut *mut tenon_history,
    ) -> tenon_status;
    fn tenon_history_release(history: *mut tenon_history);
    fn tenon_history_set(
        context: *mut tenon_context,
        history: *mut tenon_history,
        name: *const c_char,
        name_length: u64,
        step: i64,
        value: f64,
    ) -> tenon_status;
    fn tenon_history_get(
        context: *mut tenon_context,
        history: *mut tenon_history,
        name: *const c_char,
        name_length: u64,
        index: u64,
        out_step: *mut i64,
        out_value: *mut f64,
    ) -> tenon_status;
    fn tenon_history_set_events(
        context: *mut tenon_context,
        history: *mut tenon_history,
        folder: *const c_char,
        folder_length: u64,
    ) -> tenon_status;
    fn tenon_history_query(
        context: *mut tenon_context,
        history: *mut tenon_history,
        topic: *const c_char,
        topic_length: u64,
        out_text: *mut *mut tenon_text,
    ) -> tenon_status;
    fn tenon_history_save(
        context: *mut tenon_context,
        history: *mut tenon_history,
        path: *const c_char,
        path_length: u64,
        title: *const c_char,
        title_length: u64,
        axis: *const c_char,
        axis_length: u64,
    ) -> tenon_status;
    fn tenon_progress_create(
        context: *mut tenon_context,
        label: *const c_char,
        label_length: u64,
        total: i64,
        flags: u32,
        out_progress: *mut *mut tenon_progress,
    ) -> tenon_status;
    fn tenon_progress_run(
        context: *mut tenon_context,
        progress: *mut tenon_progress,
        done: i64,
        name: *const c_char,
        name_length: u64,
        value: f64,
    ) -> tenon_status;
    fn tenon_progress_release(progress: *mut tenon_progress);
    fn tenon_schedule_create(
        context: *mut tenon_context,
        name: *const c_char,
        name_length: u64,
        base_value: f64,
        names: *const tenon_string,
        values: *const tenon_value,
        n_values: u32,
        out_schedule: *mut *mut tenon_schedule,
    ) -> tenon_status;
    fn tenon_schedule_release(schedule: *mut tenon_schedule);
    fn tenon_schedule_run(
        context: *mut tenon_context,
        schedule: *mut tenon_schedule,
        metric: *const f64,
        out_value: *mut f64,
    ) -> tenon_status;
    fn tenon_schedule_get_state(
        context: *mut tenon_context,
        schedule: *mut tenon_schedule,
        name: *const c_char,
        name_length: u64,
        out_value: *mut f64,
    ) -> tenon_status;
    fn tenon_schedule_set_state(
        context: *mut tenon_context,
        schedule: *mut tenon_schedule,
        name: *const c_char,
        name_length: u64,
        value: f64,
    ) -> tenon_status;
    fn tenon_tokenizer_create(
        context: *mut tenon_context,
        name: *const c_char,
        name_length: u64,
        file: *const c_void,
        file_length: u64,
        names: *const tenon_string,
        values: *const tenon_value,
        n_values: u32,
        out_tokenizer: *mut *mut tenon_tokenizer,
    ) -> tenon_status;
    fn tenon_tokenizer_load(
        context: *mut tenon_context,
        path: *const c_char,
        path_length: u64,
        name: *const c_char,
        name_length: u64,
        names: *const tenon_string,
        values: *const tenon_value,
        n_values: u32,
        out_tokenizer: *mut *mut tenon_tokenizer,
    ) -> tenon_status;
    fn tenon_tokenizer_release(tokenizer: *mut tenon_tokenizer);
    fn tenon_tokenizer_save(
        context: *mut tenon_context,
        tokenizer: *mut tenon_tokenizer,
        path: *const c_char,
        path_length: u64,
    ) -> tenon_status;
    fn tenon_tokenizer_get_info(
        context: *mut tenon_context,
        tokenizer: *mut tenon_tokenizer,
        out_info: *mut tenon_tokenizer_info,
    ) -> tenon_status;
    fn tenon_tokenizer_get_token(
        context: *mut tenon_context,
        tokenizer: *mut tenon_tokenizer,
        token: i64,
        out_spelling: *mut *mut tenon_text,
        out_flags: *mut u32,
    ) -> tenon_status;
    fn tenon_tokenizer_find_token(
        context: *mut tenon_context,
        tokenizer: *mut tenon_tokenizer,
        spelling: *const c_char,
        spelling_length: u64,
        out_token: *mut i64,
    ) -> tenon_status;
    fn tenon_tokenizer_call(
        context: *mut tenon_context,
        tokenizer: *mut tenon_tokenizer,
        text: *const c_char,
        length: u64,
        flags: u32,
        limit: i64,
        out_tokens: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tokenizer_call_batch(
        context: *mut tenon_context,
        tokenizer: *mut tenon_tokenizer,
        texts: *const tenon_string,
        n: u32,
        flags: u32,
        limit: i64,
        pad: i64,
        out_tokens: *mut *mut tenon_tensor,
        out_mask: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tokenizer_get_text(
        context: *mut tenon_context,
        tokenizer: *mut tenon_tokenizer,
        tokens: *mut tenon_tensor,
        flags: u32,
        out_text: *mut *mut tenon_text,
    ) -> tenon_status;
    fn tenon_optimizer_set_state(
        context: *mut tenon_context,
        optimizer: *mut tenon_optimizer,
        index: u32,
        name: *const c_char,
        name_length: u64,
        tensor: *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_transform_create(
        context: *mut tenon_context,
        name: *const c_char,
        name_length: u64,
        names: *const tenon_string,
        values: *const tenon_value,
        n_values: u32,
        out_transform: *mut *mut tenon_transform,
    ) -> tenon_status;
    fn tenon_transform_release(transform: *mut tenon_transform);
    fn tenon_transform_call(
        context: *mut tenon_context,
        transform: *mut tenon_transform,
        batch: *const tenon_batch,
        field: *mut tenon_tensor,
        out_field: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tensor_set_requires_grad(
        context: *mut tenon_context,
        tensor: *mut tenon_tensor,
        required: u32,
    ) -> tenon_status;
    fn tenon_tensor_get_grad(
        context: *mut tenon_context,
        tensor: *mut tenon_tensor,
        out_grad: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tensor_get_grad_rows(
        context: *mut tenon_context,
        tensor: *mut tenon_tensor,
        out_indices: *mut *mut tenon_tensor,
        out_values: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tensor_set_grad(
        context: *mut tenon_context,
        tensor: *mut tenon_tensor,
        grad: *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_backward_run(
        context: *mut tenon_context,
        roots: *const *mut tenon_tensor,
        seeds: *const *mut tenon_tensor,
        n_roots: u32,
        flags: u32,
    ) -> tenon_status;
    fn tenon_gradient_call(
        context: *mut tenon_context,
        roots: *const *mut tenon_tensor,
        seeds: *const *mut tenon_tensor,
        n_roots: u32,
        inputs: *const *mut tenon_tensor,
        n_inputs: u32,
        flags: u32,
        out_grads: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_function_call(
        context: *mut tenon_context,
        function: tenon_function_fn,
        user: *mut c_void,
        inputs: *const *mut tenon_tensor,
        n_inputs: u32,
        seeds: *const *mut tenon_tensor,
        n_outputs: u32,
        flags: u32,
        out_outputs: *mut *mut tenon_tensor,
        out_grads: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tensor_set_retain_grad(
        context: *mut tenon_context,
        tensor: *mut tenon_tensor,
        retain: u32,
    ) -> tenon_status;
    fn tenon_hook_begin(
        context: *mut tenon_context,
        tensor: *mut tenon_tensor,
        hook: tenon_hook_fn,
        user: *mut c_void,
        release: Option<unsafe extern "C" fn(user: *mut c_void)>,
        out_hook: *mut u64,
    ) -> tenon_status;
    fn tenon_hook_end(
        context: *mut tenon_context,
        tensor: *mut tenon_tensor,
        hook: u64,
    ) -> tenon_status;
    fn tenon_graph_query(
        context: *mut tenon_context,
        roots: *const *mut tenon_tensor,
        n_roots: u32,
        topic: *const c_char,
        topic_length: u64,
        out_text: *mut *mut tenon_text,
    ) -> tenon_status;
    fn tenon_op_find(
        context: *mut tenon_context,
        name: *const c_char,
        name_length: u64,
        revision: u32,
        out_op: *mut *const tenon_op,
    ) -> tenon_status;
    fn tenon_op_get_info(
        context: *mut tenon_context,
        op: *const tenon_op,
        out_info: *mut tenon_op_info,
    ) -> tenon_status;
    fn tenon_op_find_attribute(
        context: *mut tenon_context,
        op: *const tenon_op,
        name: *const c_char,
        name_length: u64,
        out_index: *mut u32,
    ) -> tenon_status;
    fn tenon_op_call(
        context: *mut tenon_context,
        op: *const tenon_op,
        inputs: *const tenon_value,
        n_inputs: u32,
        attrs: *const tenon_value,
        n_attrs: u32,
        out_outputs: *mut *mut tenon_tensor,
        n_outputs: u32,
    ) -> tenon_status;
    fn tenon_op_call_into(
        context: *mut tenon_context,
        op: *const tenon_op,
        inputs: *const tenon_value,
        n_inputs: u32,
        attrs: *const tenon_value,
        n_attrs: u32,
        outputs: *const *mut tenon_tensor,
        n_outputs: u32,
    ) -> tenon_status;
    fn tenon_op_explain(
        context: *mut tenon_context,
        op: *const tenon_op,
        inputs: *const tenon_value,
        n_inputs: u32,
        attrs: *const tenon_value,
        n_attrs: u32,
        out_json: *mut *mut tenon_text,
    ) -> tenon_status;
    fn tenon_capture_begin(
        context: *mut tenon_context,
        inputs: *const *mut tenon_tensor,
        n_inputs: u32,
    ) -> tenon_status;
    fn tenon_capture_end(
        context: *mut tenon_context,
        out_plan: *mut *mut tenon_plan,
    ) -> tenon_status;
    fn tenon_plan_run(context: *mut tenon_context, plan: *mut tenon_plan) -> tenon_status;
    fn tenon_plan_set(
        context: *mut tenon_context,
        plan: *mut tenon_plan,
        index: u32,
        tensor: *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_plan_get_text(
        context: *mut tenon_context,
        plan: *mut tenon_plan,
        out_text: *mut *mut tenon_text,
    ) -> tenon_status;
    fn tenon_plan_release(plan: *mut tenon_plan);
    fn tenon_version_get(
        out_major: *mut u32,
        out_minor: *mut u32,
        out_patch: *mut u32,
        out_draft: *mut u32,
    );
    fn tenon_status_get_name(status: tenon_status) -> *const c_char;
    fn tenon_text_get(
        text: *const tenon_text,
        out_data: *mut *const c_char,
        out_length: *mut u64,
    ) -> tenon_status;
    fn tenon_text_release(text: *mut tenon_text);
    fn tenon_runtime_create(
        options: *const tenon_runtime_options,
        diag: *mut tenon_diag,
        out_runtime: *mut *mut tenon_runtime,
    ) -> tenon_status;
    fn tenon_runtime_release(runtime: *mut tenon_runtime);
    fn tenon_runtime_query(
        context: *mut tenon_context,
        topic: *const c_char,
        topic_length: u64,
        out_json: *mut *mut tenon_text,
    ) -> tenon_status;
    fn tenon_runtime_set_pin(
        context: *mut tenon_context,
        op: *const c_char,
        op_length: u64,
        plugin: *const c_char,
        plugin_length: u64,
    ) -> tenon_status;
    fn tenon_plugin_deactivate(
        context: *mut tenon_context,
        id: *const c_char,
        id_length: u64,
    ) -> tenon_status;
    fn tenon_plugin_load(
        context: *mut tenon_context,
        query: Option<unsafe extern "C" fn(
            host: *const tenon_host,
            out: *mut tenon_plugin_,
            diag: *mut tenon_diag,
        ) -> tenon_status>,
    ) -> tenon_status;
    fn tenon_runtime_set_threads(context: *mut tenon_context, threads: i32) -> tenon_status;
    fn tenon_runtime_set_memory_limit(context: *mut tenon_context, bytes: u64) -> tenon_status;
    fn tenon_runtime_get_stats(
        context: *mut tenon_context,
        out_stats: *mut tenon_stats,
    ) -> tenon_status;
    fn tenon_dtype_get_info(
        context: *mut tenon_context,
        dtype: tenon_dtype,
        out_info: *mut tenon_dtype_info,
    ) -> tenon_status;
    fn tenon_tensor_create(
        context: *mut tenon_context,
        dtype: tenon_dtype,
        device: *const tenon_device,
        rank: i32,
        shape: *const i64,
        out_tensor: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tensor_create_from(
        context: *mut tenon_context,
        dtype: tenon_dtype,
        device: *const tenon_device,
        rank: i32,
        shape: *const i64,
        data: *const c_void,
        bytes: u64,
        out_tensor: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tensor_create_external(
        context: *mut tenon_context,
        dtype: tenon_dtype,
        rank: i32,
        shape: *const i64,
        strides: *const i64,
        data: *mut c_void,
        flags: u32,
        deleter: Option<unsafe extern "C" fn(user: *mut c_void)>,
        user: *mut c_void,
        out_tensor: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tensor_create_view(
        context: *mut tenon_context,
        base: *mut tenon_tensor,
        rank: i32,
        shape: *const i64,
        strides: *const i64,
        offset: i64,
        out_view: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tensor_create_detached(
        context: *mut tenon_context,
        tensor: *mut tenon_tensor,
        out_tensor: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tensor_create_copy(
        context: *mut tenon_context,
        tensor: *mut tenon_tensor,
        device: *const tenon_device,
        out_tensor: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tensor_create_clone(
        context: *mut tenon_context,
        tensor: *mut tenon_tensor,
        layout: u32,
        out_tensor: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tensor_retain(tensor: *mut tenon_tensor) -> tenon_status;
    fn tenon_tensor_release(tensor: *mut tenon_tensor);
    fn tenon_tensor_get_view(
        context: *mut tenon_context,
        tensor: *const tenon_tensor,
        out_view: *mut tenon_view,
    ) -> tenon_status;
    fn tenon_tensor_get_info(
        context: *mut tenon_context,
        tensor: *const tenon_tensor,
        out_info: *mut tenon_tensor_info,
    ) -> tenon_status;
    fn tenon_tensor_set_data(
        context: *mut tenon_context,
        tensor: *mut tenon_tensor,
        data: *const c_void,
        bytes: u64,
    ) -> tenon_status;
    fn tenon_tensor_get_data(
        context: *mut tenon_context,
        tensor: *const tenon_tensor,
        out_data: *mut c_void,
        bytes: u64,
    ) -> tenon_status;
    fn tenon_tensor_get_item(
        context: *mut tenon_context,
        tensor: *const tenon_tensor,
        out_value: *mut tenon_value,
    ) -> tenon_status;
    fn tenon_tensor_get_text(
        context: *mut tenon_context,
        tensor: *const tenon_tensor,
        flags: u32,
        out_text: *mut *mut tenon_text,
    ) -> tenon_status;
    fn tenon_tensor_create_dlpack(
        context: *mut tenon_context,
        managed: *mut c_void,
        out_tensor: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_tensor_get_dlpack(
        context: *mut tenon_context,
        tensor: *mut tenon_tensor,
        out_managed: *mut *mut c_void,
    ) -> tenon_status;
    fn tenon_optimizer_create(
        context: *mut tenon_context,
        name: *const c_char,
        name_length: u64,
        params: *const *mut tenon_tensor,
        n_params: u32,
        names: *const tenon_string,
        values: *const tenon_value,
        n_values: u32,
        out_optimizer: *mut *mut tenon_optimizer,
    ) -> tenon_status;
    fn tenon_optimizer_release(optimizer: *mut tenon_optimizer);
    fn tenon_optimizer_run(
        context: *mut tenon_context,
        optimizer: *mut tenon_optimizer,
        flags: u32,
    ) -> tenon_status;
    fn tenon_optimizer_set(
        context: *mut tenon_context,
        optimizer: *mut tenon_optimizer,
        name: *const c_char,
        name_length: u64,
        value: *const tenon_value,
    ) -> tenon_status;
    fn tenon_optimizer_get(
        context: *mut tenon_context,
        optimizer: *mut tenon_optimizer,
        name: *const c_char,
        name_length: u64,
        out_value: *mut tenon_value,
    ) -> tenon_status;
    fn tenon_optimizer_get_state(
        context: *mut tenon_context,
        optimizer: *mut tenon_optimizer,
        index: u32,
        name: *const c_char,
        name_length: u64,
        out_state: *mut *mut tenon_tensor,
    ) -> tenon_status;
    fn tenon_dataset_create(
        context: *mut tenon_context,
        name: *const c_char,
        name_length: u64,
        names: *const tenon_string,
        values: *const tenon_value,
        n_values: u32,
        out_dataset: *mut *mut tenon_dataset,
    ) -> tenon_status;
    fn tenon_dataset_release(dataset: *mut tenon_dataset);
    fn tenon_dataset_get_length(
        context: *mut tenon_context,
        dataset: *mut tenon_dataset,
        out_length: *mut i64,
    ) -> tenon_status;
    fn tenon_dataset_get_field(
        context: *mut tenon_context,
        dataset: *mut tenon_dataset,
        index: u32,
        out_sample: *mut tenon_meta,
        out_name: *mut *const c_char,
    ) -> tenon_status;
    fn tenon_dataset_call(
        context: *mut tenon_context,
        dataset: *mut tenon_dataset,
        indices: *const i64,
        n: i64,
        out_fields: *mut *mut tenon_tensor,
        n_fields: u32,
    ) -> tenon_status;
}
