// SPDX-License-Identifier: Apache-2.0
// tests/languages/values/Values.java: arguments of every type, from Java; see ../values.py.

import java.util.Map;

final class Values {
  private Values() {}

  static void show(String what, Tenon.Tensor x) {
    System.out.print(what);
    for (double number : x.floats()) System.out.printf(" %.3f", number);
    System.out.println();
  }

  public static void main(String[] args) {
    try (Tenon t = new Tenon(0, 0)) {
      Tenon.Tensor x = t.tensor(new long[] {2, 3}, 1, 2, 3, 4, 5, 6);
      Tenon.Tensor ones = t.tensor(new long[] {3}, 1, 1, 1);
      show("concat", t.call("tenon.concat", Map.of("axis", 1),
          (Object) new Tenon.Tensor[] {x, x}));
      show("pad", t.call("tenon.pad", Map.of(
          "pads", new long[] {1, 0}, "axes", new long[] {1}, "mode", "reflect"), x));
      show("sum", t.call("tenon.sum", Map.of("axes", new long[] {1}, "keepdims", true), x));
      show("norm", t.call("tenon.layer_norm", Map.of("eps", 0.5), x, null, ones));
      show("mul", t.call("tenon.mul", t.call("tenon.mul", x, 2.5), 2));
      Tenon.Tensor whole = t.call("tenon.cast", Map.of("dtype", new Tenon.Dtype(C.I64)), x);
      show("whole", whole);
      show("compared", t.call("tenon.gt", whole, 3));
      new Training.Transform(t, "tenon.normalise", Map.of("mean", new double[] {0.5, 1.5, 2.5}));
      try {
        new Training.Transform(t, "tenon.normalise", Map.of("mean", "none"));
      } catch (Tenon.Error error) {
        System.out.println(error);
      }
    }
  }
}
