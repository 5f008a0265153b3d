// SPDX-License-Identifier: Apache-2.0
// examples/16_digits_java/C.java: the functions of libtenon that Tenon.java calls, as the headers
// declare them, mapped directly by JNA.

import com.sun.jna.Native;
import com.sun.jna.Pointer;

/** A text is zero-terminated here, so its length is {@link #NUL}. */
final class C {
  static final long NUL = -1; // TENON_NUL
  static final int F32 = 0x12002, I64 = 0x14000, F64 = 0x14002; // TENON_DTYPE_*

  static {
    Native.register("tenon");
  }

  private C() {}

  static native String tenon_status_get_name(int status);

  static native int tenon_runtime_create(Pointer options, Pointer diag, Pointer outRuntime);

  static native void tenon_runtime_release(Pointer runtime);

  static native int tenon_runtime_get_stats(Pointer context, Pointer outStats);

  static native int tenon_context_create(Pointer runtime, Pointer diag, Pointer outContext);

  static native void tenon_context_release(Pointer context);

  static native int tenon_context_set_seed(Pointer context, long seed, long stream);

  static native int tenon_context_get_error(Pointer context, Pointer outError);

  static native int tenon_tensor_create_from(
      Pointer context, int dtype, Pointer device, int rank, long[] shape, float[] data, long bytes,
      Pointer outTensor);

  static native void tenon_tensor_release(Pointer tensor);

  static native int tenon_tensor_get_info(Pointer context, Pointer tensor, Pointer outInfo);

  static native int tenon_tensor_get_data(
      Pointer context, Pointer tensor, double[] outData, long bytes);

  static native int tenon_tensor_get_item(Pointer context, Pointer tensor, Pointer outValue);

  static native int tenon_backward_run(
      Pointer context, Pointer roots, Pointer seeds, int nRoots, int flags);

  static native int tenon_op_find(
      Pointer context, String name, long length, int revision, Pointer outOp);

  static native int tenon_op_find_attribute(
      Pointer context, Pointer op, String name, long length, Pointer outIndex);

  static native int tenon_op_call(
      Pointer context, Pointer op, Pointer inputs, int nInputs, Pointer attrs, int nAttrs,
      Pointer outOutputs, int nOutputs);

  static native int tenon_dataset_create(
      Pointer context, String name, long length, Pointer names, Pointer values, int n, Pointer out);

  static native void tenon_dataset_release(Pointer dataset);

  static native int tenon_transform_create(
      Pointer context, String name, long length, Pointer names, Pointer values, int n, Pointer out);

  static native void tenon_transform_release(Pointer transform);

  static native int tenon_layer_create(
      Pointer context, String name, long length, Pointer device, Pointer names, Pointer values,
      int n, Pointer out);

  static native void tenon_layer_release(Pointer layer);

  static native int tenon_layer_set_child(
      Pointer context, Pointer layer, String name, long length, Pointer child);

  static native int tenon_layer_call(
      Pointer context, Pointer layer, Pointer inputs, int nInputs, Pointer outOutputs,
      int nOutputs);

  static native int tenon_optimizer_create_for_layer(
      Pointer context, String name, long length, Pointer layer, Pointer names, Pointer values,
      int n, Pointer out);

  static native void tenon_optimizer_release(Pointer optimizer);

  static native int tenon_optimizer_set(
      Pointer context, Pointer optimizer, String name, long length, Pointer value);

  static native int tenon_optimizer_run(Pointer context, Pointer optimizer, int flags);

  static native int tenon_schedule_create(
      Pointer context, String name, long length, double baseValue, Pointer names, Pointer values,
      int n, Pointer out);

  static native void tenon_schedule_release(Pointer schedule);

  static native int tenon_schedule_run(
      Pointer context, Pointer schedule, Pointer metric, Pointer outValue);

  static native int tenon_loader_create(
      Pointer context, Pointer dataset, long batch, long seed, int flags, Pointer outLoader);

  static native void tenon_loader_release(Pointer loader);

  static native int tenon_loader_set_transforms(
      Pointer context, Pointer loader, Pointer transforms, int[] fields, int n);

  static native int tenon_loader_set_workers(Pointer context, Pointer loader, int nWorkers);

  static native int tenon_loader_begin(Pointer context, Pointer loader, long epoch, long position);

  static native int tenon_loader_run(
      Pointer context, Pointer loader, Pointer outFields, int nFields, Pointer outN);

  static native int tenon_loader_get_info(Pointer context, Pointer loader, Pointer outInfo);

  static native int tenon_checkpoint_create(Pointer context, Pointer outCheckpoint);

  static native void tenon_checkpoint_release(Pointer checkpoint);

  static native int tenon_checkpoint_set_layer(
      Pointer context, Pointer checkpoint, String name, long length, Pointer layer);

  static native int tenon_checkpoint_set_optimizer(
      Pointer context, Pointer checkpoint, String name, long length, Pointer optimizer);

  static native int tenon_checkpoint_set_schedule(
      Pointer context, Pointer checkpoint, String name, long length, Pointer schedule);

  static native int tenon_checkpoint_set_loader(
      Pointer context, Pointer checkpoint, String name, long length, Pointer loader);

  static native int tenon_checkpoint_save(
      Pointer context, Pointer checkpoint, String path, long length);

  static native int tenon_history_create(Pointer context, Pointer outHistory);

  static native void tenon_history_release(Pointer history);

  static native int tenon_history_set(
      Pointer context, Pointer history, String name, long length, long step, double value);

  static native int tenon_history_save(
      Pointer context, Pointer history, String path, long pathLength, String title,
      long titleLength, String axis, long axisLength);
}
