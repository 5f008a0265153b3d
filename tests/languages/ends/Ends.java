// SPDX-License-Identifier: Apache-2.0
// tests/languages/ends/Ends.java: calls after the end of a client, a region, a thread, and while
// the process ends, from Java; see ../ends.py.

import java.util.concurrent.CountDownLatch;
import java.util.function.DoubleSupplier;

final class Ends {
  private Ends() {}

  static void tell(String when, DoubleSupplier work) {
    String found;
    try {
      found = String.format("%.0f", work.getAsDouble());
    } catch (Tenon.Error error) {
      found = error.getMessage();
    }
    System.out.println(when + ": " + found);
  }

  static DoubleSupplier add(Tenon t) {
    return () -> t.call("tenon.add", t.tensor(new long[] {}, 2), 3).item();
  }

  static Tenon.Tensor kept;
  static Tenon other;

  static void onThread(Runnable work) throws InterruptedException {
    Thread thread = new Thread(work);
    thread.start();
    thread.join();
  }

  static void computeMeanwhile() throws InterruptedException {
    CountDownLatch started = new CountDownLatch(3);
    Thread thread = new Thread(() -> {
      Tenon t = new Tenon(2, 0);
      Tenon.Tensor large = t.tensor(new long[] {300, 300}, new float[90000]);
      while (true) {
        try (Tenon.Region region = t.region()) {
          t.call("tenon.matmul", large, large);
        }
        started.countDown();
      }
    });
    thread.setDaemon(true);
    thread.start();
    started.await();
  }

  public static void main(String[] args) throws InterruptedException {
    Tenon t = new Tenon(2, 0);
    try (Tenon.Region region = t.region()) {
      kept = t.tensor(new long[] {}, 4);
    }
    tell("tensor of a region", () -> kept.item());
    onThread(() -> {
      kept = t.tensor(new long[] {}, 5);
      other = new Tenon(1, 0);
    });
    tell("tensor of a thread", () -> kept.item());
    tell("client of a thread", add(other));
    other.close();
    tell("closed", add(other));
    other.close(); // changes nothing
    Runtime.getRuntime().addShutdownHook(new Thread(() -> tell("hook", add(t))));
    if (args.length > 0) computeMeanwhile();
    if (args.length > 0 && args[0].equals("exit")) System.exit(3);
  }
}
