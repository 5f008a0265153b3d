# SPDX-License-Identifier: Apache-2.0
# examples/18_digits_ruby/tenon.rb: a client of Tenon in Ruby, to be copied: the functions of the
# installed headers through fiddle, calls by name, errors as exceptions.
#
# What a method returns belongs to the client, and is released at the end of the region it was made
# in, else by Client#close. Nothing has a finalizer: the collector does not see how much memory a
# tensor holds, and would run late. A client is used by one thread at a time.
#
# frozen_string_literal: true
require "fiddle"

module Tenon
  # The functions of the headers as methods: Tenon::C.tenon_version_get(...). A pointer is given as
  # a number, nil, or a String whose bytes are read or written, and comes back as a Fiddle::Pointer.
  module C
    TYPES = { "void" => Fiddle::TYPE_VOID, "double" => Fiddle::TYPE_DOUBLE,
              "int32_t" => Fiddle::TYPE_INT, "uint32_t" => -Fiddle::TYPE_INT,
              "int64_t" => Fiddle::TYPE_LONG_LONG, "uint64_t" => -Fiddle::TYPE_LONG_LONG,
              "tenon_status" => Fiddle::TYPE_INT, "tenon_dtype" => -Fiddle::TYPE_INT }.freeze

    # Of what stands in a declaration, with or without a name after it.
    def self.type_of(text)
      return Fiddle::TYPE_VOIDP if text.include?("*") || text.include?("(") || text.include?("_fn ")

      TYPES.fetch(text.delete_prefix("const ").split.first)
    end

    def self.declare(library, header)
      text = File.read(header).gsub(%r{//.*}, "").gsub(/\s+/, " ")
      text.scan(/TENON_EXPORT ([\w ]+?[ *]+)(tenon_\w+)\((.*?)\);/) do |result, name, arguments|
        # Commas inside the brackets of a function's type separate nothing.
        list = arguments.gsub(/\([^()]*\)(?=,|$)/, "(").split(",").map(&:strip) - ["void"]
        function = Fiddle::Function.new(library[name], list.map { |each| type_of(each) },
                                        type_of(result.strip))
        define_singleton_method(name, &function.to_proc)
      end
    end

    folder = `pkg-config --variable=includedir tenon`.strip
    raise LoadError, "pkg-config does not find tenon: set PKG_CONFIG_PATH" if folder.empty?

    library = Fiddle.dlopen("libtenon.so")
    Dir["#{folder}/tenon/{,ext/draft/}*.h"].sort.each { |header| declare(library, header) }
  end

  # The whole record of a call that failed; fields that are not known are empty.
  class Error < StandardError
    FIELDS = %i[op operand expected found plugin scope hint].freeze
    attr_reader :status, :text, :causes, *FIELDS

    def initialize(status, text, record, causes)
      @status, @text, @causes = status, text, causes
      FIELDS.zip(record) { |field, value| instance_variable_set("@#{field}", value || "") }
      super([text, *lines].join("\n"))
    end

    private

    def lines
      labels = { "status" => status, "op" => op, "operand" => operand, "expected" => expected,
                 "found" => found, "plugin" => plugin, "in" => scope }.to_a
      labels += causes.map { |cause| ["because", cause] } << ["hint", hint]
      known = labels.reject { |_, words| words.empty? }
      known.map { |label, words| format("  %-9s %s", label, words) }
    end
  end

  # What the attribute of that name takes.
  Dtype = Struct.new(:code)
  I64, F64 = Dtype.new(0x14000), Dtype.new(0x14002)

  # A tag, a count and eight bytes: tenon_value. Keeps what they point to.
  class Value
    attr_reader :bytes

    def initialize(value)
      @value = value
      @bytes =
        case value
        when nil then [0, 0, 0].pack("L2q")
        when Tensor then [1, 0, value.handle].pack("L2J")
        when Integer then [3, 0, value].pack("L2q")
        when Float then [4, 0, value].pack("L2d")
        when Dtype then [8, 0, value.code].pack("L2Q")
        when true, false then [5, 0, value ? 1 : 0].pack("L2q")
        when String then [6, value.bytesize, Fiddle::Pointer[value].to_i].pack("L2J")
        when Array then list(value)
        else raise TypeError, "a #{value.class}: expected nil, Tensor, Integer, Float, Dtype, " \
                              "true, false, String or Array"
        end
    end

    def list(items)
      tag, @packed =
        if items.any?(Tensor) then [2, items.map(&:handle).pack("J*")]
        elsif items.all?(Integer) then [7, items.pack("q*")]
        else [9, items.pack("d*")]
        end
      [tag, items.size, Fiddle::Pointer[@packed].to_i].pack("L2J")
    end
  end

  # A runtime with one context, and what their regions hold.
  class Client
    attr_reader :context

    # Finds plugins in these folders, too. threads: 0: as many as the process may use.
    def initialize(threads: 0, seed: 0, plugins: [])
      @kept, @ops = [], {}
      paths = strings(plugins)
      # tenon_runtime_options up to `threads`: the rest, a missing tail, is zero.
      options = [32, 0, Fiddle::Pointer[paths].to_i, plugins.size, 0, threads, 0].pack("L2JL2lL")
      @runtime = begun { |diag, out| C.tenon_runtime_create(options, diag, out) }
      @context = begun { |diag, out| C.tenon_context_create(@runtime, diag, out) }
      check C.tenon_context_set_seed(@context, seed, 0)
    end

    def close
      release(0)
      C.tenon_context_release(@context)
      C.tenon_runtime_release(@runtime)
    end

    # Runs the block, releases what was made in it, the last one first, and returns its value.
    def region
      from = @kept.size
      yield
    ensure
      release(from)
    end

    # An object made by the block, which gets where to write its handle.
    def make(kind)
      out = "\0".b * 8
      check yield(out)
      keep(kind, out.unpack1("J"))
    end

    def keep(kind, handle)
      @kept << [kind, handle]
      handle
    end

    def check(status)
      return if status.zero?

      name = C.tenon_status_get_name(status).to_s
      record = [96, 0, 0, 0, 0, *[0] * 9].pack("L2lLQJ9")
      known = C.tenon_context_get_error(@context, record).zero?
      raise Error.new(name, "#{name}: the client is closed", [], []) unless known
      raise Error.new(name, name, [], []) unless record.unpack1("l", offset: 8) == status

      n_causes, _, *texts, causes = record.unpack("LQJ9", offset: 12)
      message, *fields = texts.map { |text| word(text) }
      list = n_causes.zero? ? [] : Fiddle::Pointer.new(causes)[0, 8 * n_causes].unpack("J*")
      raise Error.new(name, message, fields, list.map { |text| word(text) })
    end

    # f32[shape] with these numbers.
    def tensor(shape, numbers)
      data = numbers.pack("f*")
      Tensor.made(self) do |out|
        C.tenon_tensor_create_from(@context, 0x12002, nil, shape.size, shape.pack("q*"), data,
                                   data.bytesize, out)
      end
    end

    # Calls an op by its name. Inputs are tensors, arrays of them, numbers, or nil if absent.
    def call(name, *inputs, **named)
      op = @ops[name] ||= find(name)
      values = inputs.map { |input| Value.new(input) }
      attrs = []
      named.each do |key, value|
        at = "\0".b * 4
        check C.tenon_op_find_attribute(@context, op, key.to_s, key.size, at)
        attrs[at.unpack1("L")] = Value.new(value)
      end
      attrs.map! { |each| each || Value.new(nil) }
      Tensor.made(self) do |out|
        C.tenon_op_call(@context, op, values.map(&:bytes).join, values.size,
                        attrs.map(&:bytes).join, attrs.size, out, 1)
      end
    end

    # How many tensors there are in the runtime just now.
    def tensors
      stats = [80, *[0] * 19].pack("L*")
      check C.tenon_runtime_get_stats(@context, stats)
      stats.unpack1("q", offset: 8)
    end

    # Names, values and their number, for the block; its value.
    def lists(named)
      texts, values = named.keys.map(&:to_s), named.values.map { |value| Value.new(value) }
      yield strings(texts), values.map(&:bytes).join, texts.size
    end

    private

    # tenon_string[n]; the texts must stay alive as long.
    def strings(texts)
      texts.map { |text| [Fiddle::Pointer[text].to_i, text.bytesize].pack("JQ") }.join
    end

    def word(address)
      address.zero? ? "" : Fiddle::Pointer.new(address).to_s.force_encoding(Encoding::UTF_8)
    end

    # What the block makes without a context, which would hold the record of an error.
    def begun
      diag, out = "\0".b * 1024, "\0".b * 8
      status = yield(diag, out)
      return out.unpack1("J") if status.zero?

      C.tenon_runtime_release(@runtime)
      raise Error.new(C.tenon_status_get_name(status).to_s, diag.unpack1("Z*", offset: 8), [], [])
    end

    def find(name)
      out = "\0".b * 8
      check C.tenon_op_find(@context, name, name.bytesize, 0, out)
      out.unpack1("J")
    end

    def release(from)
      while @kept.size > from
        kind, handle = @kept.pop
        C.public_send("tenon_#{kind}_release", handle)
      end
    end
  end

  # What all objects are: a client and a handle.
  class Handle
    attr_reader :handle

    # One that the block makes, which gets where to write its handle.
    def self.made(client, &block) = new(client, client.make(kind, &block))

    def self.kind = name.split("::").last.downcase

    def initialize(client, handle)
      @client, @handle = client, handle
    end

    def kind = self.class.kind

    private

    def check(status) = @client.check(status)
    def context = @client.context

    # Makes an object by its name; `extra` is what some kinds take beside it.
    def create(client, creator, name, named, *extra)
      first = [client.context, name, name.bytesize, *extra]
      @client = client
      @handle = client.lists(named) do |*lists|
        client.make(kind) { |out| C.public_send("tenon_#{creator}", *first, *lists, out) }
      end
    end
  end

  class Tensor < Handle
    # All numbers of any dtype, row by row; whole ones past 2^53 are rounded.
    def floats
      @client.region do
        wide = @client.call("tenon.cast", self, dtype: F64)
        info = [72, *[0] * 17].pack("L*")
        check C.tenon_tensor_get_info(context, wide.handle, info)
        data = "\0".b * (8 * info.unpack1("q", offset: 8))
        check C.tenon_tensor_get_data(context, wide.handle, data, data.bytesize)
        data.unpack("d*")
      end
    end

    # The one element.
    def item
      value = "\0".b * 16
      check C.tenon_tensor_get_item(context, handle, value)
      value.unpack1(value.unpack1("L") == 4 ? "d" : "q", offset: 8)
    end

    # Adds the gradients of a scalar to the leaves it depends on.
    def backward
      check C.tenon_backward_run(context, [handle].pack("J"), nil, 1, 0)
    end
  end
end
