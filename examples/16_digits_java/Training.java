// SPDX-License-Identifier: Apache-2.0
// examples/16_digits_java/Training.java: the objects of a training run, by name, with options.
// They belong to the client, as tensors do.

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

final class Training {
  private Training() {}

  /** Names and values of options, as C takes them, until close. */
  private static final class Options implements AutoCloseable {
    private final Tenon.Scratch scratch = new Tenon.Scratch();
    final Memory names, values;
    final int n;

    Options(Map<String, ?> named) {
      List<String> keys = List.copyOf(named.keySet());
      n = keys.size();
      names = scratch.strings(keys);
      values = scratch.take((long) Tenon.VALUE * (n + 1));
      for (int i = 0; i < n; ++i) Tenon.set(values, i, named.get(keys.get(i)), scratch);
    }

    @Override
    public void close() {
      scratch.close();
    }
  }

  static final class Dataset {
    final Pointer handle;

    Dataset(Tenon t, String name, Map<String, ?> named) {
      try (Options o = new Options(named)) {
        handle = t.make(
            out -> C.tenon_dataset_create(t.context, name, C.NUL, o.names, o.values, o.n, out),
            C::tenon_dataset_release);
      }
    }
  }

  static final class Transform {
    final Pointer handle;

    Transform(Tenon t, String name, Map<String, ?> named) {
      try (Options o = new Options(named)) {
        handle = t.make(
            out -> C.tenon_transform_create(t.context, name, C.NUL, o.names, o.values, o.n, out),
            C::tenon_transform_release);
      }
    }
  }

  static final class Layer {
    private final Tenon t;
    final Pointer handle;

    /** With these layers in it, if it is a container. */
    Layer(Tenon t, String name, Map<String, ?> named, Layer... children) {
      this.t = t;
      try (Options o = new Options(named)) {
        handle = t.make(
            out -> C.tenon_layer_create(t.context, name, C.NUL, null, o.names, o.values, o.n, out),
            C::tenon_layer_release);
      }
      for (Layer child : children) {
        t.check(C.tenon_layer_set_child(t.context, handle, "", 0, child.handle));
      }
    }

    /** Of one input and one output. */
    Tenon.Tensor forward(Tenon.Tensor x) {
      Tenon.set(t.inputs, 0, x, null);
      t.check(C.tenon_layer_call(t.context, handle, t.inputs, 1, t.result, 1));
      return t.new Tensor(t.result.getPointer(0));
    }
  }

  static final class Optimizer {
    private static final int CLEAR_GRAD = 1;
    private final Tenon t;
    final Pointer handle;

    /** Over all parameters of the layer. */
    Optimizer(Tenon t, String name, Layer layer, Map<String, ?> named) {
      this.t = t;
      try (Options o = new Options(named)) {
        handle = t.make(
            out -> C.tenon_optimizer_create_for_layer(
                t.context, name, C.NUL, layer.handle, o.names, o.values, o.n, out),
            C::tenon_optimizer_release);
      }
    }

    /** Changes a hyper-parameter. */
    void set(String name, Object value) {
      try (Options o = new Options(Map.of(name, value))) {
        t.check(C.tenon_optimizer_set(t.context, handle, name, C.NUL, o.values));
      }
    }

    /** Updates the parameters by their gradients, and drops these. */
    void step() {
      t.check(C.tenon_optimizer_run(t.context, handle, CLEAR_GRAD));
    }
  }

  static final class Schedule {
    private final Tenon t;
    final Pointer handle;

    Schedule(Tenon t, String name, double base, Map<String, ?> named) {
      this.t = t;
      try (Options o = new Options(named)) {
        handle = t.make(
            out -> C.tenon_schedule_create(
                t.context, name, C.NUL, base, o.names, o.values, o.n, out),
            C::tenon_schedule_release);
      }
    }

    /** The number of the next step. */
    double next() {
      t.check(C.tenon_schedule_run(t.context, handle, null, t.result));
      return t.result.getDouble(0);
    }
  }

  /** Batches of what is left of an epoch; each is a region, which ends when the next is read. */
  static final class Loader implements Iterable<List<Tenon.Tensor>> {
    private static final int SHUFFLE = 1;
    private final Tenon t;
    final Pointer handle;

    /** The transforms are done with field 0, one after the other. */
    Loader(Tenon t, Dataset set, long batch, long seed, boolean shuffle, int workers,
        Transform... transforms) {
      this.t = t;
      handle = t.make(
          out -> C.tenon_loader_create(
              t.context, set.handle, batch, seed, shuffle ? SHUFFLE : 0, out),
          C::tenon_loader_release);
      try (Tenon.Scratch scratch = new Tenon.Scratch()) {
        int n = transforms.length;
        Memory list = scratch.take(8L * n + 8);
        for (int i = 0; i < n; ++i) list.setPointer(8L * i, transforms[i].handle);
        t.check(C.tenon_loader_set_transforms(t.context, handle, list, new int[n + 1], n));
      }
      t.check(C.tenon_loader_set_workers(t.context, handle, workers));
    }

    /** How many samples an epoch has. */
    long length() {
      try (Tenon.Scratch scratch = new Tenon.Scratch()) {
        return info(scratch).getLong(8);
      }
    }

    private Memory info(Tenon.Scratch scratch) {
      Memory info = scratch.struct(64);
      t.check(C.tenon_loader_get_info(t.context, handle, info));
      return info;
    }

    private int fieldCount() {
      try (Tenon.Scratch scratch = new Tenon.Scratch()) {
        return info(scratch).getInt(56);
      }
    }

    void begin(long epoch) {
      t.check(C.tenon_loader_begin(t.context, handle, epoch, 0));
    }

    /** The next batch; empty if the epoch is over. */
    private List<Tenon.Tensor> read(int n) {
      List<Tenon.Tensor> batch = new ArrayList<>();
      Memory fields = t.inputs;
      t.check(C.tenon_loader_run(t.context, handle, fields, n, t.result));
      if (t.result.getLong(0) == 0) return batch;
      for (int i = 0; i < n; ++i) batch.add(t.new Tensor(fields.getPointer(8L * i)));
      return batch;
    }

    @Override
    public Iterator<List<Tenon.Tensor>> iterator() {
      int n = fieldCount();
      Tenon.Region region = t.region();
      return new Iterator<>() {
        private List<Tenon.Tensor> batch; // read, and not given yet

        @Override
        public boolean hasNext() {
          if (batch == null) {
            region.close();
            batch = read(n);
          }
          return !batch.isEmpty();
        }

        @Override
        public List<Tenon.Tensor> next() {
          if (!hasNext()) throw new NoSuchElementException();
          List<Tenon.Tensor> given = batch;
          batch = null;
          return given;
        }
      };
    }
  }

  static final class Checkpoint {
    private final Tenon t;
    final Pointer handle;

    Checkpoint(Tenon t) {
      this.t = t;
      handle = t.make(
          out -> C.tenon_checkpoint_create(t.context, out), C::tenon_checkpoint_release);
    }

    Checkpoint set(String name, Layer part) {
      t.check(C.tenon_checkpoint_set_layer(t.context, handle, name, C.NUL, part.handle));
      return this;
    }

    Checkpoint set(String name, Optimizer part) {
      t.check(C.tenon_checkpoint_set_optimizer(t.context, handle, name, C.NUL, part.handle));
      return this;
    }

    Checkpoint set(String name, Schedule part) {
      t.check(C.tenon_checkpoint_set_schedule(t.context, handle, name, C.NUL, part.handle));
      return this;
    }

    Checkpoint set(String name, Loader part) {
      t.check(C.tenon_checkpoint_set_loader(t.context, handle, name, C.NUL, part.handle));
      return this;
    }

    void save(String path) {
      t.check(C.tenon_checkpoint_save(t.context, handle, path, C.NUL));
    }
  }

  /** Series of numbers. */
  static final class History {
    private final Tenon t;
    final Pointer handle;

    History(Tenon t) {
      this.t = t;
      handle = t.make(
          out -> C.tenon_history_create(t.context, out), C::tenon_history_release);
    }

    void add(String name, long step, double value) {
      t.check(C.tenon_history_set(t.context, handle, name, C.NUL, step, value));
    }

    /** Draws all series as one picture (SVG). */
    void save(String path, String title, String axis) {
      t.check(C.tenon_history_save(
          t.context, handle, path, C.NUL, title, C.NUL, axis, C.NUL));
    }
  }
}
