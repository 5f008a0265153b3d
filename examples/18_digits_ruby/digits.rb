# SPDX-License-Identifier: Apache-2.0
# examples/18_digits_ruby/digits.rb: a training run in Ruby: the one that 09_short is in C, with
# the same bits; an op of somebody else's plugin, the record of an error, a curve.
#
#   ruby digits.rb FOLDER EPOCHS RUN PLUGINS
#
# FOLDER has the four idx files, RUN is saved at the end and RUN.svg shows the loss, PLUGINS holds
# what examples/02_third_party_plugin builds.
#
# frozen_string_literal: true
require_relative "training"

def open_part(client, stem, shuffle)
  set = Tenon::Dataset.new(client, "tenon.idx", images: "#{stem}-images-idx3-ubyte",
                                                labels: "#{stem}-labels-idx1-ubyte")
  pixels = [Tenon::Transform.new(client, "tenon.normalise", scale: 16.0),
            Tenon::Transform.new(client, "tenon.flatten")]
  Tenon::Loader.new(client, set, 32, seed: 5, shuffle: shuffle, workers: 4, transforms: pixels)
end

def accuracy_of(client, model, test)
  test.start(0)
  right = test.sum do |images, labels|
    guess = client.call("tenon.argmax", model.call(images), axis: 1)
    client.call("tenon.sum", client.call("tenon.eq", guess, labels)).item
  end
  right.to_f / test.length
end

def train(client, folder, epochs, saved)
  train = open_part(client, "#{folder}/train", true)
  test = open_part(client, "#{folder}/t10k", false)
  model = Tenon::Layer.new(client, "tenon.sequential",
                           Tenon::Layer.new(client, "tenon.linear", inputs: 64, outputs: 128),
                           Tenon::Layer.new(client, "tenon.activation", op: "tenon.relu"),
                           Tenon::Layer.new(client, "tenon.linear", inputs: 128, outputs: 10))
  adam = Tenon::Optimizer.new(client, "tenon.adam", model)
  cosine = Tenon::Schedule.new(client, "tenon.cosine", 0.01, period: 20)
  run, history = Tenon::Checkpoint.new(client), Tenon::History.new(client)
  { "model" => model, "optimizer.0" => adam, "schedule" => cosine, "loader" => train }
    .each { |name, part| run[name] = part }
  (1..epochs).each do |epoch|
    adam["lr"] = cosine.next
    losses = train.map do |images, labels|
      loss = client.call("tenon.softmax_cross_entropy", model.call(images), labels)
      loss.backward
      adam.step
      loss.item
    end
    mean = losses.sum / losses.size
    history.add("loss", epoch, mean)
    puts format("loss %.4f, accuracy %.4f", mean, accuracy_of(client, model, test))
    train.start(epoch)
  end
  run.save(saved)
  history.save("#{saved}.svg", "Digits", "epoch")
end

abort_with = ->(status, text) { warn(text) || exit(status) }
abort_with.call(2, "usage: ruby digits.rb FOLDER EPOCHS RUN PLUGINS") unless ARGV.size == 4

begin
  client = Tenon::Client.new(seed: 5, plugins: [ARGV[3]])
  client.region do
    x = client.tensor([3], [-1, 0, 3])
    puts "softsign #{client.call('acme.softsign', x).floats}"
    begin
      client.call("tenon.add", client.tensor([2, 4], (1..8).to_a), x)
    rescue Tenon::Error => error
      puts error.message
    end
    train(client, ARGV[0], Integer(ARGV[1]), ARGV[2])
  end
  puts "tensors left: #{client.tensors}"
  client.close
rescue Tenon::Error => error
  abort_with.call(1, "error: #{error.message}")
end
