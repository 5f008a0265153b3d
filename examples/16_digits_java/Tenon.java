// SPDX-License-Identifier: Apache-2.0
// examples/16_digits_java/Tenon.java: a client of Tenon in Java, to be copied: calls by name,
// errors as exceptions. Training.java has the objects of a training run.
//
// What a method returns belongs to the client, and is released at the end of the region it was made
// in (try (Tenon.Region region = tenon.region()) { ... }), else by close. Nothing has a finalizer
// or a Cleaner: the collector does not see how much memory a tensor holds, and would run late.

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/** A runtime with one context, and what their regions hold; used by one thread at a time. */
final class Tenon implements AutoCloseable {
  /** The whole record of a call that failed; fields that are not known are empty. */
  static final class Error extends RuntimeException {
    private static final long serialVersionUID = 1;
    final String status, op, operand, expected, found, plugin, scope, hint;
    final List<String> causes;

    Error(String status, String message, String[] fields, List<String> causes) {
      super(message);
      this.status = status;
      this.causes = causes;
      op = fields[0];
      operand = fields[1];
      expected = fields[2];
      found = fields[3];
      plugin = fields[4];
      scope = fields[5];
      hint = fields[6];
    }

    /** All of it, a line each. */
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder(getMessage());
      String[] labels = {"status", "op", "operand", "expected", "found", "plugin", "in"};
      String[] words = {status, op, operand, expected, found, plugin, scope};
      for (int i = 0; i < labels.length; ++i) line(text, labels[i], words[i]);
      for (String cause : causes) line(text, "because", cause);
      line(text, "hint", hint);
      return text.toString();
    }

    private static void line(StringBuilder text, String label, String words) {
      if (!words.isEmpty()) text.append(String.format("%n  %-9s %s", label, words));
    }
  }

  /** Ends with what was made since, the last one first. */
  final class Region implements AutoCloseable {
    private final int begin = kept.size();

    @Override
    public void close() {
      while (kept.size() > begin) kept.remove(kept.size() - 1).run();
    }
  }

  /** Memory of C for one call. Without close it would be the collector's, which comes too late. */
  static final class Scratch implements AutoCloseable {
    private final List<Memory> all = new ArrayList<>();

    /** Zeros. */
    Memory take(long bytes) {
      Memory made = new Memory(bytes);
      made.clear();
      all.add(made);
      return made;
    }

    /** A struct that begins with its size. */
    Memory struct(int bytes) {
      Memory made = take(bytes);
      made.setInt(0, bytes);
      return made;
    }

    Memory utf8(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      Memory made = take(bytes.length + 1L);
      made.write(0, bytes, 0, bytes.length);
      return made;
    }

    /** tenon_string[n] */
    Memory strings(List<String> texts) {
      Memory made = take(16L * texts.size() + 16);
      for (int i = 0; i < texts.size(); ++i) {
        Memory bytes = utf8(texts.get(i));
        made.setPointer(16L * i, bytes);
        made.setLong(16L * i + 8, bytes.size() - 1);
      }
      return made;
    }

    @Override
    public void close() {
      all.forEach(Memory::close);
    }
  }

  private final List<Runnable> kept = new ArrayList<>();
  private final Map<String, Pointer> ops = new HashMap<>();
  // Calls read their arguments before they return, so that one set of them is enough.
  final Memory inputs = new Memory(64 * VALUE), result = new Memory(8);
  private final Memory attrs = new Memory(64 * VALUE);
  private final Pointer runtime;
  final Pointer context;

  static final int VALUE = 16; // bytes of a tenon_value

  /** Finds plugins in these folders, too. threads: 0: as many as the process may use. */
  Tenon(int threads, long seed, String... plugins) {
    try (Scratch scratch = new Scratch()) {
      // tenon_runtime_options up to `threads`: the rest, a missing tail, is zero.
      Memory options = scratch.struct(32), diag = scratch.take(1024);
      options.setPointer(8, scratch.strings(List.of(plugins)));
      options.setInt(16, plugins.length);
      options.setInt(24, threads);
      begin(C.tenon_runtime_create(options, diag, result), diag, null);
      runtime = result.getPointer(0);
      begin(C.tenon_context_create(runtime, diag, result), diag, runtime);
      context = result.getPointer(0);
    }
    check(C.tenon_context_set_seed(context, seed, 0));
  }

  @Override
  public void close() {
    while (!kept.isEmpty()) kept.remove(kept.size() - 1).run();
    C.tenon_context_release(context);
    C.tenon_runtime_release(runtime);
  }

  Region region() {
    return new Region();
  }

  private static void begin(int status, Memory diag, Pointer runtime) {
    if (status == 0) return;
    C.tenon_runtime_release(runtime);
    String[] fields = {"", "", "", "", "", "", ""};
    String message = diag.getString(8, "UTF-8");
    throw new Error(C.tenon_status_get_name(status), message, fields, List.of());
  }

  /** Throws the context's record, if the call failed. */
  void check(int status) {
    if (status == 0) return;
    try (Scratch scratch = new Scratch()) {
      Memory record = scratch.struct(96);
      boolean open = C.tenon_context_get_error(context, record) == 0;
      boolean known = open && record.getInt(8) == status;
      String name = C.tenon_status_get_name(status);
      String[] fields = new String[7];
      for (int i = 0; i < fields.length; ++i) {
        fields[i] = known ? record.getPointer(32 + 8L * i).getString(0, "UTF-8") : "";
      }
      List<String> causes = new ArrayList<>();
      for (int i = 0; known && i < record.getInt(12); ++i) {
        causes.add(record.getPointer(88).getPointer(8L * i).getString(0, "UTF-8"));
      }
      String message = known ? record.getPointer(24).getString(0, "UTF-8")
          : open ? name : name + ": the client is closed";
      throw new Error(name, message, fields, causes);
    }
  }

  /** How many tensors there are in the runtime just now. */
  long tensors() {
    try (Scratch scratch = new Scratch()) {
      Memory stats = scratch.struct(80);
      check(C.tenon_runtime_get_stats(context, stats));
      return stats.getLong(8);
    }
  }

  /** An object that `create` makes; it writes a handle where it is told. */
  Pointer make(ToIntFunction<Pointer> create, Consumer<Pointer> release) {
    check(create.applyAsInt(result));
    return keep(result.getPointer(0), release);
  }

  Pointer keep(Pointer handle, Consumer<Pointer> release) {
    kept.add(() -> release.accept(handle));
    return handle;
  }

  // ---- Tensors and ops --------------------------------------------------------------------------

  /** A tensor; it belongs to the client. */
  final class Tensor {
    final Pointer handle;

    Tensor(Pointer handle) {
      this.handle = keep(handle, C::tenon_tensor_release);
    }

    /** All numbers of any dtype, row by row; whole ones past 2^53 are rounded. */
    double[] floats() {
      try (Region region = region(); Scratch scratch = new Scratch()) {
        Tensor wide = call("tenon.cast", Map.of("dtype", new Dtype(C.F64)), this);
        Memory info = scratch.struct(72);
        check(C.tenon_tensor_get_info(context, wide.handle, info));
        double[] numbers = new double[Math.toIntExact(info.getLong(8))];
        check(C.tenon_tensor_get_data(context, wide.handle, numbers, 8L * numbers.length));
        return numbers;
      }
    }

    /** The one element. */
    double item() {
      check(C.tenon_tensor_get_item(context, handle, inputs));
      return inputs.getInt(0) == 4 ? inputs.getDouble(8) : inputs.getLong(8);
    }

    /** Adds the gradients of a scalar to the leaves it depends on. */
    void backward() {
      result.setPointer(0, handle);
      check(C.tenon_backward_run(context, result, null, 1, 0));
    }
  }

  /** f32[shape] with these numbers. */
  Tensor tensor(long[] shape, float... numbers) {
    check(C.tenon_tensor_create_from(
        context, C.F32, null, shape.length, shape, numbers, 4L * numbers.length, result));
    return new Tensor(result.getPointer(0));
  }

  /** Calls an op by its name. Inputs are tensors, arrays of them, numbers, or null if absent. */
  Tensor call(String name, Map<String, ?> named, Object... arguments) {
    Pointer op = ops.computeIfAbsent(name, this::find);
    try (Scratch scratch = new Scratch()) {
      for (int i = 0; i < arguments.length; ++i) set(inputs, i, arguments[i], scratch);
      int nAttrs = 0;
      if (!named.isEmpty()) attrs.clear();
      for (Map.Entry<String, ?> each : named.entrySet()) {
        check(C.tenon_op_find_attribute(context, op, each.getKey(), C.NUL, result));
        int at = result.getInt(0);
        set(attrs, at, each.getValue(), scratch);
        nAttrs = Math.max(nAttrs, at + 1);
      }
      check(C.tenon_op_call(context, op, inputs, arguments.length, attrs, nAttrs, result, 1));
    }
    return new Tensor(result.getPointer(0));
  }

  /** Calls an op without attributes. */
  Tensor call(String name, Object... arguments) {
    return call(name, Map.of(), arguments);
  }

  private Pointer find(String name) {
    check(C.tenon_op_find(context, name, C.NUL, 0, result));
    return result.getPointer(0);
  }

  // ---- Values -----------------------------------------------------------------------------------

  /** What the attribute of that name takes: new Tenon.Dtype(C.I64). */
  record Dtype(int code) {}

  /** Writes value `at` of a list; what it points to lasts as long as `scratch`. */
  static void set(Pointer list, int at, Object value, Scratch scratch) {
    long to = (long) VALUE * at;
    if (value == null) {
      header(list, to, 0, 0);
    } else if (value instanceof Tensor tensor) {
      header(list, to, 1, 0);
      list.setPointer(to + 8, tensor.handle);
    } else if (value instanceof Integer || value instanceof Long) {
      header(list, to, 3, 0);
      list.setLong(to + 8, ((Number) value).longValue());
    } else if (value instanceof Double number) {
      header(list, to, 4, 0);
      list.setDouble(to + 8, number);
    } else if (value instanceof Dtype dtype) {
      header(list, to, 8, 0);
      list.setLong(to + 8, dtype.code);
    } else if (value instanceof Boolean truth) {
      header(list, to, 5, 0);
      list.setLong(to + 8, truth ? 1 : 0);
    } else if (value instanceof String text) {
      Memory bytes = scratch.utf8(text);
      header(list, to, 6, (int) bytes.size() - 1);
      list.setPointer(to + 8, bytes);
    } else if (value instanceof Tensor[] tensors) {
      Memory handles = scratch.take(8L * tensors.length + 8);
      for (int i = 0; i < tensors.length; ++i) handles.setPointer(8L * i, tensors[i].handle);
      header(list, to, 2, tensors.length);
      list.setPointer(to + 8, handles);
    } else if (value instanceof long[] numbers) {
      Memory ints = scratch.take(8L * numbers.length + 8);
      ints.write(0, numbers, 0, numbers.length);
      header(list, to, 7, numbers.length);
      list.setPointer(to + 8, ints);
    } else if (value instanceof double[] numbers) {
      Memory floats = scratch.take(8L * numbers.length + 8);
      floats.write(0, numbers, 0, numbers.length);
      header(list, to, 9, numbers.length);
      list.setPointer(to + 8, floats);
    } else {
      throw new IllegalArgumentException("a " + value.getClass().getName()
          + ": expected null, Tensor, Integer, Long, Double, Dtype, Boolean, String, Tensor[], "
          + "long[] or double[]");
    }
  }

  private static void header(Pointer list, long to, int tag, int count) {
    list.setInt(to, tag);
    list.setInt(to + 4, count);
  }

  static {
    if (Native.POINTER_SIZE != 8) throw new ExceptionInInitializerError("pointers of 8 bytes only");
  }
}
