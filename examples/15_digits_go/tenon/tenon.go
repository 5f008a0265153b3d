// SPDX-License-Identifier: Apache-2.0
// examples/15_digits_go/tenon/tenon.go: a client of Tenon in Go, to be copied: calls by name on
// tenon/client.h and the functions of C, errors as values.
//
// What a function returns belongs to the client and is released at the end of the region it was
// made in, else by Close. Nothing has a finalizer: the collector does not see how much memory a
// tensor holds, and would run late.
//
// A call that fails panics with an *Error; Try returns that as an error, as the packages of Go do
// it with panics of their own. A client is used by one goroutine at a time, on whatever thread.

// Package tenon is a small client of libtenon.
package tenon

/*
#cgo pkg-config: tenon
#include <stdlib.h>
#include <tenon/client.h>
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// Error is the whole record of a call that failed; fields that are not known are empty.
type Error struct {
	Status, Message, Op, Operand, Expected, Found, Plugin, Scope, Hint string
	Causes                                                             []string
}

func (e *Error) Error() string {
	text := e.Message
	line := func(label, words string) {
		if words != "" {
			text += fmt.Sprintf("\n  %-9s %s", label, words)
		}
	}
	line("status", e.Status)
	line("op", e.Op)
	line("operand", e.Operand)
	line("expected", e.Expected)
	line("found", e.Found)
	line("plugin", e.Plugin)
	line("in", e.Scope)
	line("because", strings.Join(e.Causes, "\n  because   "))
	line("hint", e.Hint)
	return text
}

// Try runs work and returns the error of the call in it that failed, if one did.
func Try(work func()) (err error) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case *Error:
			err = reason
		default:
			panic(reason)
		}
	}()
	work()
	return nil
}

// Client is a runtime with one context, and what their regions hold.
type Client struct {
	runtime *C.tenon_runtime
	context *C.tenon_context
	ops     map[string]*C.tenon_op
	kept    []func()
}

func (c *Client) check(status C.tenon_status) {
	if status == C.TENON_OK {
		return
	}
	record := C.tenon_error{struct_size: C.sizeof_tenon_error}
	failure := &Error{Status: C.GoString(C.tenon_status_get_name(status))}
	failure.Message = failure.Status
	known := C.tenon_context_get_error(c.context, &record)
	if known == C.TENON_OK && record.status == status {
		failure.Message, failure.Op = C.GoString(record.message), C.GoString(record.op)
		failure.Operand, failure.Hint = C.GoString(record.operand), C.GoString(record.hint)
		failure.Expected, failure.Found = C.GoString(record.expected), C.GoString(record.found)
		failure.Plugin, failure.Scope = C.GoString(record.plugin), C.GoString(record.scope)
		for _, cause := range unsafe.Slice(record.causes, record.n_causes) {
			failure.Causes = append(failure.Causes, C.GoString(cause))
		}
	} else if known != C.TENON_OK {
		failure.Message += ": the client is closed"
	}
	panic(failure)
}

// Open makes a client that also finds plugins in these folders, and computes with so many threads;
// 0: as many as the process may use.
func Open(threads int, seed uint64, plugins ...string) *Client {
	c := &Client{ops: map[string]*C.tenon_op{}}
	var memory lists
	defer memory.free()
	for _, folder := range plugins {
		memory.names = append(memory.names, memory.name(folder))
	}
	options := C.tenon_runtime_options{struct_size: C.sizeof_tenon_runtime_options}
	options.threads, options.n_paths = C.int32_t(threads), C.uint32_t(len(plugins))
	options.paths = (*C.tenon_string)(memory.copy(unsafe.Pointer(first(memory.names)),
		len(plugins)*C.sizeof_tenon_string))
	var diag C.tenon_diag
	if C.tenon_runtime_create(&options, &diag, &c.runtime) != C.TENON_OK ||
		C.tenon_context_create(c.runtime, &diag, &c.context) != C.TENON_OK {
		C.tenon_runtime_release(c.runtime)
		panic(&Error{Status: C.GoString(C.tenon_status_get_name(diag.status)),
			Message: C.GoString(&diag.message[0])})
	}
	c.check(C.tenon_context_set_seed(c.context, C.uint64_t(seed), 0))
	return c
}

// Close releases all that is left, and the runtime.
func (c *Client) Close() {
	c.end(0)
	C.tenon_context_release(c.context)
	C.tenon_runtime_release(c.runtime)
}

// Region runs work and then releases what was made in it, the last one first.
func (c *Client) Region(work func()) {
	defer c.end(len(c.kept))
	work()
}

func (c *Client) end(begin int) {
	for len(c.kept) > begin {
		release := c.kept[len(c.kept)-1]
		c.kept = c.kept[:len(c.kept)-1]
		release()
	}
}

// Tensors is how many there are in the runtime just now.
func (c *Client) Tensors() int {
	stats := C.tenon_stats{struct_size: C.sizeof_tenon_stats}
	c.check(C.tenon_runtime_get_stats(c.context, &stats))
	return int(stats.tensors)
}

// Tensor belongs to a client.
type Tensor struct {
	c      *Client
	handle *C.tenon_tensor
}

func (c *Client) keep(handle *C.tenon_tensor) *Tensor {
	c.kept = append(c.kept, func() { C.tenon_tensor_release(handle) })
	return &Tensor{c, handle}
}

// Tensor makes one of f32; without numbers it holds zeros.
func (c *Client) Tensor(shape []int64, numbers ...float32) *Tensor {
	elements := int64(1)
	for _, size := range shape {
		elements *= size
	}
	if len(numbers) == 0 {
		numbers = make([]float32, elements)
	}
	var out *C.tenon_tensor
	c.check(C.tenon_tensor_create_from(c.context, C.TENON_DTYPE_F32, nil, C.int32_t(len(shape)),
		(*C.int64_t)(first(shape)), unsafe.Pointer(first(numbers)), C.uint64_t(4*len(numbers)), &out))
	return c.keep(out)
}

// Floats copies the numbers of a tensor of any dtype out, row by row; whole ones past 2^53 are
// rounded.
func (t *Tensor) Floats() (numbers []float64) {
	t.c.Region(func() {
		wide := t.c.Call("tenon.cast", Named{"dtype": F64}, t)
		numbers = make([]float64, wide.Bytes()/8)
		wide.Read(unsafe.Pointer(first(numbers)), 8*len(numbers))
	})
	return numbers
}

// Bytes is how many bytes its elements need.
func (t *Tensor) Bytes() int {
	info := C.tenon_tensor_info{struct_size: C.sizeof_tenon_tensor_info}
	t.c.check(C.tenon_tensor_get_info(t.c.context, t.handle, &info))
	var view C.tenon_view
	t.c.check(C.tenon_tensor_get_view(t.c.context, t.handle, &view))
	return int(info.elements) * int(view.dtype>>8&255) / 8
}

// Read copies all bytes of the tensor out, row by row.
func (t *Tensor) Read(data unsafe.Pointer, bytes int) {
	t.c.check(C.tenon_tensor_get_data(t.c.context, t.handle, data, C.uint64_t(bytes)))
}

// Item is the one element of a tensor.
func (t *Tensor) Item() float64 {
	value := C.tn_none()
	t.c.check(C.tenon_tensor_get_item(t.c.context, t.handle, &value))
	if value.tag == C.TENON_VALUE_F64 {
		return *(*float64)(unsafe.Pointer(&value.as))
	}
	return float64(*(*int64)(unsafe.Pointer(&value.as)))
}

// Backward adds the gradients of a scalar to the leaves it depends on.
func (t *Tensor) Backward() {
	root := t.handle
	t.c.check(C.tenon_backward_run(t.c.context, &root, nil, 1, 0))
}

// Dtype is what the attribute of that name takes.
type Dtype C.tenon_dtype

// F64 and the others that the examples need.
const (
	I64 = Dtype(C.TENON_DTYPE_I64)
	F64 = Dtype(C.TENON_DTYPE_F64)
)

// Named are attributes of a call or options of an object.
type Named map[string]any

// Call calls an op by its name. Inputs are tensors, slices of them, numbers, or nil for an
// absent one.
func (c *Client) Call(name string, named Named, inputs ...any) *Tensor {
	op := c.ops[name]
	if op == nil {
		c.check(C.tenon_op_find(c.context, bytes(name), C.uint64_t(len(name)), 0, &op))
		c.ops[name] = op
	}
	var memory lists
	defer memory.free()
	values := make([]C.tenon_value, len(inputs))
	for i, input := range inputs {
		values[i] = memory.value(input)
	}
	var attrs []C.tenon_value
	for key, value := range named {
		var at C.uint32_t
		c.check(C.tenon_op_find_attribute(c.context, op, bytes(key), C.uint64_t(len(key)), &at))
		for len(attrs) <= int(at) {
			attrs = append(attrs, C.tenon_value{})
		}
		attrs[at] = memory.value(value)
	}
	var out *C.tenon_tensor
	c.check(C.tenon_op_call(c.context, op, first(values), C.uint32_t(len(values)), first(attrs),
		C.uint32_t(len(attrs)), &out, 1))
	return c.keep(out)
}

// Memory of C for one call: names, values, and what they point to. C may not keep pointers into
// memory of Go, nor read them there.
type lists struct {
	names  []C.tenon_string
	values []C.tenon_value
	memory []unsafe.Pointer
}

func listsOf(named Named) (made lists) {
	for name, value := range named {
		made.names = append(made.names, made.name(name))
		made.values = append(made.values, made.value(value))
	}
	return made
}

func (l *lists) free() {
	for _, each := range l.memory {
		C.free(each)
	}
}

func (l *lists) copy(data unsafe.Pointer, size int) unsafe.Pointer {
	made := C.malloc(C.size_t(size) + 1)
	C.memcpy(made, data, C.size_t(size))
	l.memory = append(l.memory, made)
	return made
}

func (l *lists) name(text string) C.tenon_string {
	data := (*C.char)(l.copy(unsafe.Pointer(bytes(text)), len(text)))
	return C.tenon_string{data: data, length: C.uint64_t(len(text))}
}

func (l *lists) value(value any) (made C.tenon_value) {
	as := unsafe.Pointer(&made.as)
	switch value := value.(type) {
	case nil:
	case *Tensor:
		made.tag, *(*unsafe.Pointer)(as) = C.TENON_VALUE_TENSOR, unsafe.Pointer(value.handle)
	case int:
		made.tag, *(*int64)(as) = C.TENON_VALUE_I64, int64(value)
	case float64:
		made.tag, *(*float64)(as) = C.TENON_VALUE_F64, value
	case Dtype:
		made.tag, *(*Dtype)(as) = C.TENON_VALUE_DTYPE, value
	case bool:
		made.tag = C.TENON_VALUE_BOOL
		if value {
			*(*int64)(as) = 1
		}
	case string:
		made.tag, made.count = C.TENON_VALUE_STRING, C.uint32_t(len(value))
		*(*unsafe.Pointer)(as) = l.copy(unsafe.Pointer(bytes(value)), len(value))
	case []*Tensor:
		made.tag, made.count = C.TENON_VALUE_TENSOR_LIST, C.uint32_t(len(value))
		handles := make([]unsafe.Pointer, len(value))
		for i, each := range value {
			handles[i] = unsafe.Pointer(each.handle)
		}
		*(*unsafe.Pointer)(as) = l.copy(unsafe.Pointer(first(handles)), 8*len(value))
	case []int64:
		made.tag, made.count = C.TENON_VALUE_INT_LIST, C.uint32_t(len(value))
		*(*unsafe.Pointer)(as) = l.copy(unsafe.Pointer(first(value)), 8*len(value))
	case []float64:
		made.tag, made.count = C.TENON_VALUE_FLOAT_LIST, C.uint32_t(len(value))
		*(*unsafe.Pointer)(as) = l.copy(unsafe.Pointer(first(value)), 8*len(value))
	default:
		panic(&Error{Status: "TENON_E_ARGUMENT",
			Message: fmt.Sprintf("a value of Go's type %T", value),
			Found:   fmt.Sprintf("%T", value),
			Expected: "nil, *tenon.Tensor, int, float64, tenon.Dtype, bool, string, or a slice of " +
				"*tenon.Tensor, int64 or float64"})
	}
	return made
}

func bytes(text string) *C.char { return (*C.char)(unsafe.Pointer(&append([]byte(text), 0)[0])) }

func first[T any](list []T) *T {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}
