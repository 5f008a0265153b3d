// SPDX-License-Identifier: Apache-2.0
// tests/bench/languages/add.go: add of 64 from Go; see languages.py.
package main

// #cgo pkg-config: tenon
// #include <tenon/client.h>
import "C"
import (
	"digits/tenon"
	"fmt"
	"math"
	"time"
	"unsafe"
)

const n, times = 20_000, 50

func functions(context *C.tenon_context, op *C.tenon_op, inputs []C.tenon_value) {
	var out *C.tenon_tensor
	for i := 0; i < n; i++ {
		if C.tenon_op_call(context, op, &inputs[0], 2, nil, 0, &out, 1) != C.TENON_OK {
			panic("tenon_op_call")
		}
		C.tenon_tensor_release(out)
	}
}

func client(c *tenon.Client, a, b *tenon.Tensor) {
	for i := 0; i < n; i += 100 {
		c.Region(func() {
			for k := 0; k < 100; k++ {
				c.Call("tenon.add", nil, a, b)
			}
		})
	}
}

func main() {
	var session C.tn_client
	C.tn_open(&session, 1, 0)
	defer C.tn_close(&session)
	shape := C.int64_t(64)
	var inputs [2]C.tenon_value
	for i := range inputs {
		inputs[i].tag = C.TENON_VALUE_TENSOR
		*(*unsafe.Pointer)(unsafe.Pointer(&inputs[i].as)) =
			unsafe.Pointer(C.tn_tensor(&session, &shape, 1, nil))
	}
	name := []byte("tenon.add\x00")
	op := C.tn_op(&session, (*C.char)(unsafe.Pointer(&name[0])))
	c := tenon.Open(1, 0)
	defer c.Close()
	a, b := c.Tensor([]int64{64}), c.Tensor([]int64{64})
	best := [2]float64{math.Inf(1), math.Inf(1)}
	for i := 0; i < times; i++ {
		begin := time.Now()
		functions(session.context, op, inputs[:])
		middle := time.Now()
		client(c, a, b)
		best[0] = math.Min(best[0], float64(middle.Sub(begin).Nanoseconds())/n)
		best[1] = math.Min(best[1], float64(time.Since(middle).Nanoseconds())/n)
	}
	fmt.Printf("%.1f %.1f\n", best[0], best[1])
}
