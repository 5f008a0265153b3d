// SPDX-License-Identifier: Apache-2.0
// examples/16_digits_java/Digits.java: a training run in Java: the one that 09_short is in C, with
// the same bits; an op of somebody else's plugin, the record of an error, a curve.
//
//   java -cp jna.jar:. Digits FOLDER EPOCHS RUN PLUGINS
//
// FOLDER has the four idx files, RUN is saved at the end and RUN.svg shows the loss, PLUGINS holds
// what examples/02_third_party_plugin builds.

import java.util.Arrays;
import java.util.List;
import java.util.Map;

final class Digits {
  private Digits() {}

  static Training.Loader openPart(Tenon t, String stem, boolean shuffle) {
    var set = new Training.Dataset(t, "tenon.idx", Map.of(
        "images", stem + "-images-idx3-ubyte", "labels", stem + "-labels-idx1-ubyte"));
    return new Training.Loader(t, set, 32, 5, shuffle, 4,
        new Training.Transform(t, "tenon.normalise", Map.of("scale", 16.0)),
        new Training.Transform(t, "tenon.flatten", Map.of()));
  }

  static double accuracyOf(Tenon t, Training.Layer model, Training.Loader test) {
    double right = 0;
    test.begin(0);
    for (List<Tenon.Tensor> batch : test) {
      Tenon.Tensor guess = t.call("tenon.argmax", Map.of("axis", 1), model.forward(batch.get(0)));
      right += t.call("tenon.sum", t.call("tenon.eq", guess, batch.get(1))).item();
    }
    return right / test.length();
  }

  static void train(Tenon t, String folder, int epochs, String saved) {
    var train = openPart(t, folder + "/train", true);
    var test = openPart(t, folder + "/t10k", false);
    var model = new Training.Layer(t, "tenon.sequential", Map.of(),
        new Training.Layer(t, "tenon.linear", Map.of("inputs", 64, "outputs", 128)),
        new Training.Layer(t, "tenon.activation", Map.of("op", "tenon.relu")),
        new Training.Layer(t, "tenon.linear", Map.of("inputs", 128, "outputs", 10)));
    var adam = new Training.Optimizer(t, "tenon.adam", model, Map.of());
    var cosine = new Training.Schedule(t, "tenon.cosine", 0.01, Map.of("period", 20));
    var run = new Training.Checkpoint(t).set("model", model).set("optimizer.0", adam)
        .set("schedule", cosine).set("loader", train);
    var history = new Training.History(t);
    for (int epoch = 1; epoch <= epochs; ++epoch) {
      double total = 0, batches = 0;
      adam.set("lr", cosine.next());
      for (List<Tenon.Tensor> batch : train) {
        Tenon.Tensor logits = model.forward(batch.get(0));
        Tenon.Tensor loss = t.call("tenon.softmax_cross_entropy", logits, batch.get(1));
        loss.backward();
        adam.step();
        total += loss.item();
        ++batches;
      }
      history.add("loss", epoch, total / batches);
      System.out.printf("loss %.4f, accuracy %.4f%n", total / batches, accuracyOf(t, model, test));
      train.begin(epoch);
    }
    run.save(saved);
    history.save(saved + ".svg", "Digits", "epoch");
  }

  public static void main(String[] args) {
    if (args.length != 4) {
      System.err.println("usage: Digits FOLDER EPOCHS RUN PLUGINS");
      System.exit(2);
    }
    try (Tenon t = new Tenon(0, 5, args[3])) {
      try (Tenon.Region all = t.region()) {
        Tenon.Tensor x = t.tensor(new long[] {3}, -1, 0, 3);
        System.out.println("softsign " + Arrays.toString(t.call("acme.softsign", x).floats()));
        try {
          t.call("tenon.add", t.tensor(new long[] {2, 4}, 1, 2, 3, 4, 5, 6, 7, 8), x);
        } catch (Tenon.Error error) {
          System.out.println(error);
        }
        train(t, args[0], Integer.parseInt(args[1]), args[2]);
      }
      System.out.println("tensors left: " + t.tensors());
    } catch (Tenon.Error error) {
      System.err.println("error: " + error);
      System.exit(1);
    }
  }
}
