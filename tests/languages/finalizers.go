// SPDX-License-Identifier: Apache-2.0
// tests/languages/finalizers.go: tensors that finalizers release, on their own goroutine, while
// another one computes with the context that recorded them. Prints what is left at the end.
package main

// #cgo pkg-config: tenon
// #include <tenon/client.h>
import "C"
import (
	"fmt"
	"runtime"
	"time"
	"unsafe"
)

type tensor struct{ handle *C.tenon_tensor }

var released = make(chan struct{}, 1<<20)

func owned(handle *C.tenon_tensor) *tensor {
	made := &tensor{handle}
	runtime.SetFinalizer(made, func(t *tensor) {
		C.tenon_tensor_release(t.handle)
		released <- struct{}{}
	})
	return made
}

func check(status C.tenon_status) {
	if status != C.TENON_OK {
		panic(C.GoString(C.tenon_status_get_name(status)))
	}
}

// Adds as many numbers as it makes steps, recorded, and walks back.
func step(context *C.tenon_context, add *C.tenon_op) float64 {
	numbers := [4]C.float{1, 2, 3, 4}
	shape := C.int64_t(4)
	var handle *C.tenon_tensor
	check(C.tenon_tensor_create_from(context, C.TENON_DTYPE_F32, nil, 1, &shape,
		unsafe.Pointer(&numbers), 16, &handle))
	x := owned(handle)
	check(C.tenon_tensor_set_requires_grad(context, x.handle, 1))
	y := x
	for i := 0; i < 20; i++ {
		var inputs [2]C.tenon_value
		for k, each := range []*tensor{x, y} {
			inputs[k].tag = C.TENON_VALUE_TENSOR
			*(*unsafe.Pointer)(unsafe.Pointer(&inputs[k].as)) = unsafe.Pointer(each.handle)
		}
		check(C.tenon_op_call(context, add, &inputs[0], 2, nil, 0, &handle, 1))
		runtime.KeepAlive(y) // else its finalizer may run while C reads it
		y = owned(handle)
	}
	var last, gradient *C.tenon_tensor = y.handle, nil
	var seed *C.tenon_tensor = x.handle
	check(C.tenon_backward_run(context, &last, &seed, 1, 0))
	check(C.tenon_tensor_get_grad(context, x.handle, &gradient))
	var found [4]C.float
	check(C.tenon_tensor_get_data(context, gradient, unsafe.Pointer(&found), 16))
	runtime.KeepAlive(y)
	runtime.KeepAlive(x)
	return float64(found[3])
}

func main() {
	var instance *C.tenon_runtime
	var context *C.tenon_context
	var add *C.tenon_op
	check(C.tenon_runtime_create(nil, nil, &instance))
	check(C.tenon_context_create(instance, nil, &context))
	name := []byte("tenon.add")
	check(C.tenon_op_find(context, (*C.char)(unsafe.Pointer(&name[0])), 9, 0, &add))
	const steps = 2000
	for i := 0; i < steps; i++ {
		if found := step(context, add); found != 4*21 {
			panic(fmt.Sprint("the gradient is ", found))
		}
		if i%100 == 99 {
			runtime.GC()
		}
	}
	early := len(released)
	stats := C.tenon_stats{struct_size: C.sizeof_tenon_stats}
	for i := 0; len(released) < 21*steps && i < 1000; i++ {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	check(C.tenon_runtime_get_stats(context, &stats))
	fmt.Println("some released meanwhile:", early > 21*steps/2)
	fmt.Println("tensors left:", stats.tensors, "nodes left:", stats.nodes)
	C.tenon_context_release(context)
	C.tenon_runtime_release(instance)
}
