// SPDX-License-Identifier: Apache-2.0
// examples/15_digits_go/tenon/training.go: the objects of a training run, by name, with options.

package tenon

/*
#include <tenon/client.h>
*/
import "C"

import "fmt"

// Dataset, Transform, Layer, Optimizer and the others belong to the client, as tensors do.
type (
	Dataset   struct{ handle *C.tenon_dataset }
	Transform struct{ handle *C.tenon_transform }
	Layer     struct {
		c      *Client
		handle *C.tenon_layer
	}
	Optimizer struct {
		c      *Client
		handle *C.tenon_optimizer
	}
	Schedule struct {
		c      *Client
		handle *C.tenon_schedule
	}
	Loader struct {
		c      *Client
		handle *C.tenon_loader
		fields int
	}
	Checkpoint struct {
		c      *Client
		handle *C.tenon_checkpoint
	}
	History struct {
		c      *Client
		handle *C.tenon_history
	}
)

func (c *Client) hold(release func()) { c.kept = append(c.kept, release) }

// Dataset opens one by its name.
func (c *Client) Dataset(name string, named Named) *Dataset {
	l := listsOf(named)
	defer l.free()
	made := &Dataset{}
	c.check(C.tenon_dataset_create(c.context, bytes(name), C.TENON_NUL, first(l.names),
		first(l.values), C.uint32_t(len(named)), &made.handle))
	c.hold(func() { C.tenon_dataset_release(made.handle) })
	return made
}

// Transform makes one by its name.
func (c *Client) Transform(name string, named Named) *Transform {
	l := listsOf(named)
	defer l.free()
	made := &Transform{}
	c.check(C.tenon_transform_create(c.context, bytes(name), C.TENON_NUL, first(l.names),
		first(l.values), C.uint32_t(len(named)), &made.handle))
	c.hold(func() { C.tenon_transform_release(made.handle) })
	return made
}

// Layer makes one by its name, with these layers in it if it is a container.
func (c *Client) Layer(name string, named Named, children ...*Layer) *Layer {
	l := listsOf(named)
	defer l.free()
	made := &Layer{c: c}
	c.check(C.tenon_layer_create(c.context, bytes(name), C.TENON_NUL, nil, first(l.names),
		first(l.values), C.uint32_t(len(named)), &made.handle))
	c.hold(func() { C.tenon_layer_release(made.handle) })
	for _, child := range children {
		c.check(C.tenon_layer_set_child(c.context, made.handle, nil, 0, child.handle))
	}
	return made
}

// Forward runs a layer of one input and one output.
func (l *Layer) Forward(x *Tensor) *Tensor {
	var memory lists
	input := memory.value(x)
	var out *C.tenon_tensor
	l.c.check(C.tenon_layer_call(l.c.context, l.handle, &input, 1, &out, 1))
	return l.c.keep(out)
}

// Optimizer makes one over all parameters of a layer.
func (c *Client) Optimizer(name string, layer *Layer, named Named) *Optimizer {
	l := listsOf(named)
	defer l.free()
	made := &Optimizer{c: c}
	c.check(C.tenon_optimizer_create_for_layer(c.context, bytes(name), C.TENON_NUL, layer.handle,
		first(l.names), first(l.values), C.uint32_t(len(named)), &made.handle))
	c.hold(func() { C.tenon_optimizer_release(made.handle) })
	return made
}

// Set changes a hyper-parameter.
func (o *Optimizer) Set(name string, value any) {
	var memory lists
	defer memory.free()
	to := memory.value(value)
	o.c.check(C.tenon_optimizer_set(o.c.context, o.handle, bytes(name), C.TENON_NUL, &to))
}

// Step updates the parameters by their gradients, and drops these.
func (o *Optimizer) Step() {
	o.c.check(C.tenon_optimizer_run(o.c.context, o.handle, C.TENON_OPTIMIZER_CLEAR_GRAD))
}

// Schedule makes one by its name.
func (c *Client) Schedule(name string, base float64, named Named) *Schedule {
	l := listsOf(named)
	defer l.free()
	made := &Schedule{c: c}
	c.check(C.tenon_schedule_create(c.context, bytes(name), C.TENON_NUL, C.double(base),
		first(l.names), first(l.values), C.uint32_t(len(named)), &made.handle))
	c.hold(func() { C.tenon_schedule_release(made.handle) })
	return made
}

// Next is the number of the next step.
func (s *Schedule) Next() float64 {
	var value C.double
	s.c.check(C.tenon_schedule_run(s.c.context, s.handle, nil, &value))
	return float64(value)
}

// Loader makes batches; the transforms are done with field 0, one after the other.
func (c *Client) Loader(set *Dataset, batch int, seed uint64, shuffle bool, workers int,
	transforms ...*Transform) *Loader {
	var flags C.uint32_t
	if shuffle {
		flags = C.TENON_LOADER_SHUFFLE
	}
	made := &Loader{c: c}
	c.check(C.tenon_loader_create(c.context, set.handle, C.int64_t(batch), C.uint64_t(seed), flags,
		&made.handle))
	c.hold(func() { C.tenon_loader_release(made.handle) })
	handles := make([]*C.tenon_transform, len(transforms))
	for i, each := range transforms {
		handles[i] = each.handle
	}
	fields := make([]C.uint32_t, len(transforms))
	c.check(C.tenon_loader_set_transforms(c.context, made.handle, first(handles), first(fields),
		C.uint32_t(len(transforms))))
	c.check(C.tenon_loader_set_workers(c.context, made.handle, C.uint32_t(workers)))
	made.fields = int(made.info().n_fields)
	return made
}

func (l *Loader) info() C.tenon_loader_info {
	info := C.tenon_loader_info{struct_size: C.sizeof_tenon_loader_info}
	l.c.check(C.tenon_loader_get_info(l.c.context, l.handle, &info))
	return info
}

// Length is how many samples an epoch has.
func (l *Loader) Length() int { return int(l.info().length) }

// Begin starts an epoch.
func (l *Loader) Begin(epoch int) {
	l.c.check(C.tenon_loader_begin(l.c.context, l.handle, C.int64_t(epoch), 0))
}

// Each calls work with the batches that are left of the epoch, each in a region of its own, until
// it returns false.
func (l *Loader) Each(work func(fields []*Tensor) bool) {
	handles := make([]*C.tenon_tensor, l.fields)
	for more := true; more; {
		l.c.Region(func() {
			var n C.int64_t
			l.c.check(C.tenon_loader_run(l.c.context, l.handle, first(handles),
				C.uint32_t(len(handles)), &n))
			if more = n > 0; !more {
				return
			}
			fields := make([]*Tensor, len(handles))
			for i, handle := range handles {
				fields[i] = l.c.keep(handle)
			}
			more = work(fields)
		})
	}
}

// Checkpoint makes one without parts.
func (c *Client) Checkpoint() *Checkpoint {
	made := &Checkpoint{c: c}
	c.check(C.tenon_checkpoint_create(c.context, &made.handle))
	c.hold(func() { C.tenon_checkpoint_release(made.handle) })
	return made
}

// Set adds a part.
func (p *Checkpoint) Set(name string, part any) {
	to, length := bytes(name), C.uint64_t(len(name))
	switch part := part.(type) {
	case *Layer:
		p.c.check(C.tenon_checkpoint_set_layer(p.c.context, p.handle, to, length, part.handle))
	case *Optimizer:
		p.c.check(C.tenon_checkpoint_set_optimizer(p.c.context, p.handle, to, length, part.handle))
	case *Schedule:
		p.c.check(C.tenon_checkpoint_set_schedule(p.c.context, p.handle, to, length, part.handle))
	case *Loader:
		p.c.check(C.tenon_checkpoint_set_loader(p.c.context, p.handle, to, length, part.handle))
	default:
		panic(&Error{Status: "TENON_E_ARGUMENT", Found: fmt.Sprintf("%T", part),
			Message:  fmt.Sprintf("a part of Go's type %T", part),
			Expected: "*tenon.Layer, *tenon.Optimizer, *tenon.Schedule or *tenon.Loader"})
	}
}

// Save writes all parts.
func (p *Checkpoint) Save(path string) {
	p.c.check(C.tenon_checkpoint_save(p.c.context, p.handle, bytes(path), C.TENON_NUL))
}

// History holds series of numbers.
func (c *Client) History() *History {
	made := &History{c: c}
	c.check(C.tenon_history_create(c.context, &made.handle))
	c.hold(func() { C.tenon_history_release(made.handle) })
	return made
}

// Add appends a point.
func (h *History) Add(name string, step int, value float64) {
	h.c.check(C.tenon_history_set(h.c.context, h.handle, bytes(name), C.TENON_NUL,
		C.int64_t(step), C.double(value)))
}

// Save draws all series as one picture (SVG).
func (h *History) Save(path, title, axis string) {
	h.c.check(C.tenon_history_save(h.c.context, h.handle, bytes(path), C.TENON_NUL, bytes(title),
		C.TENON_NUL, bytes(axis), C.TENON_NUL))
}
