// SPDX-License-Identifier: Apache-2.0
// tests/bench/languages/Add.java: add of 64 from Java; see languages.py.

import com.sun.jna.Memory;
import com.sun.jna.Pointer;

final class Add {
  private static final int N = 20_000, TIMES = 50;

  private Add() {}

  static void functions(Tenon t, Pointer op, Memory inputs, Memory out) {
    for (int i = 0; i < N; ++i) {
      t.check(C.tenon_op_call(t.context, op, inputs, 2, null, 0, out, 1));
      C.tenon_tensor_release(out.getPointer(0));
    }
  }

  static void client(Tenon t, Tenon.Tensor a, Tenon.Tensor b) {
    for (int i = 0; i < N; i += 100) {
      try (Tenon.Region region = t.region()) {
        for (int k = 0; k < 100; ++k) t.call("tenon.add", a, b);
      }
    }
  }

  public static void main(String[] args) {
    try (Tenon t = new Tenon(1, 0)) {
      Tenon.Tensor a = t.tensor(new long[] {64}, new float[64]);
      Tenon.Tensor b = t.tensor(new long[] {64}, new float[64]);
      Memory inputs = new Memory(2 * Tenon.VALUE), out = new Memory(8);
      Tenon.set(inputs, 0, a, null);
      Tenon.set(inputs, 1, b, null);
      t.check(C.tenon_op_find(t.context, "tenon.add", C.NUL, 0, out));
      Pointer op = out.getPointer(0);
      double[] best = {Double.MAX_VALUE, Double.MAX_VALUE};
      for (int i = 0; i < TIMES; ++i) {
        long begin = System.nanoTime();
        functions(t, op, inputs, out);
        long middle = System.nanoTime();
        client(t, a, b);
        best[0] = Math.min(best[0], (double) (middle - begin) / N);
        best[1] = Math.min(best[1], (double) (System.nanoTime() - middle) / N);
      }
      System.out.printf("%.1f %.1f%n", best[0], best[1]);
    }
  }
}
