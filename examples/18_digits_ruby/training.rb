# SPDX-License-Identifier: Apache-2.0
# examples/18_digits_ruby/training.rb: the objects of a training run, by name, with options; part
# of tenon.rb's client.
#
# frozen_string_literal: true
require_relative "tenon"

module Tenon
  class Dataset < Handle
    def initialize(client, name, **named) = create(client, :dataset_create, name, named)
  end

  class Transform < Handle
    def initialize(client, name, **named) = create(client, :transform_create, name, named)
  end

  # With these layers in it, if it is a container.
  class Layer < Handle
    def initialize(client, name, *children, **named)
      create(client, :layer_create, name, named, nil)
      children.each { |child| check C.tenon_layer_set_child(context, handle, "", 0, child.handle) }
    end

    # Of one input and one output.
    def call(input)
      Tensor.made(@client) do |out|
        C.tenon_layer_call(context, handle, Value.new(input).bytes, 1, out, 1)
      end
    end
  end

  class Optimizer < Handle
    def initialize(client, name, layer, **named)
      create(client, :optimizer_create_for_layer, name, named, layer.handle)
    end

    def []=(name, value)
      check C.tenon_optimizer_set(context, handle, name, name.bytesize, Value.new(value).bytes)
    end

    # Updates the parameters by their gradients, and drops these.
    def step = check(C.tenon_optimizer_run(context, handle, 1))
  end

  class Schedule < Handle
    def initialize(client, name, base, **named)
      create(client, :schedule_create, name, named, base)
    end

    # The number of the next step.
    def next
      value = "\0".b * 8
      check C.tenon_schedule_run(context, handle, nil, value)
      value.unpack1("d")
    end
  end

  # Batches of what is left of an epoch, each in a region of its own.
  class Loader < Handle
    include Enumerable

    # The transforms are done with field 0, one after the other.
    def initialize(client, set, batch, seed: 0, shuffle: false, workers: 0, transforms: [])
      super(client, client.make(:loader) do |out|
        C.tenon_loader_create(client.context, set.handle, batch, seed, shuffle ? 1 : 0, out)
      end)
      list = transforms.map(&:handle).pack("J*")
      zeros = [0] * transforms.size
      check C.tenon_loader_set_transforms(context, handle, list, zeros.pack("L*"), zeros.size)
      check C.tenon_loader_set_workers(context, handle, workers)
    end

    # How many samples an epoch has.
    def length = info.unpack1("q", offset: 8)

    def start(epoch) = check(C.tenon_loader_begin(context, handle, epoch, 0))

    def each
      fields = "\0".b * (8 * info.unpack1("L", offset: 56))
      n = "\0".b * 8
      loop do
        @client.region do
          check C.tenon_loader_run(context, handle, fields, fields.bytesize / 8, n)
          return if n.unpack1("q").zero?

          tensors = fields.unpack("J*").map { |each| @client.keep(:tensor, each) }
          yield(*tensors.map { |each| Tensor.new(@client, each) })
        end
      end
    end

    private

    def info
      info = [64, *[0] * 15].pack("L*")
      check C.tenon_loader_get_info(context, handle, info)
      info
    end
  end

  class Checkpoint < Handle
    def initialize(client)
      super(client, client.make(:checkpoint) do |out|
        C.tenon_checkpoint_create(client.context, out)
      end)
    end

    # Adds a part: a Layer, an Optimizer, a Schedule or a Loader.
    def []=(name, part)
      setter = "tenon_checkpoint_set_#{part.kind}"
      check C.public_send(setter, context, handle, name, name.bytesize, part.handle)
    end

    def save(path) = check(C.tenon_checkpoint_save(context, handle, path, path.bytesize))
  end

  # Series of numbers.
  class History < Handle
    def initialize(client)
      super(client, client.make(:history) do |out|
        C.tenon_history_create(client.context, out)
      end)
    end

    def add(name, step, value)
      check C.tenon_history_set(context, handle, name, name.bytesize, step, value)
    end

    # Draws all series as one picture (SVG).
    def save(path, title, axis)
      texts = [path, title, axis].flat_map { |text| [text, text.bytesize] }
      check C.tenon_history_save(context, handle, *texts)
    end
  end
end
