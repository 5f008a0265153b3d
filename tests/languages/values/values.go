// SPDX-License-Identifier: Apache-2.0
// tests/languages/values/values.go: arguments of every type, from Go; see ../values.py.
package main

import (
	"digits/tenon"
	"fmt"
)

func show(what string, x *tenon.Tensor) {
	fmt.Print(what)
	for _, number := range x.Floats() {
		fmt.Printf(" %.3f", number)
	}
	fmt.Println()
}

func main() {
	c := tenon.Open(0, 0)
	defer c.Close()
	x := c.Tensor([]int64{2, 3}, 1, 2, 3, 4, 5, 6)
	ones := c.Tensor([]int64{3}, 1, 1, 1)
	show("concat", c.Call("tenon.concat", tenon.Named{"axis": 1}, []*tenon.Tensor{x, x}))
	show("pad", c.Call("tenon.pad", tenon.Named{
		"pads": []int64{1, 0}, "axes": []int64{1}, "mode": "reflect"}, x))
	show("sum", c.Call("tenon.sum", tenon.Named{"axes": []int64{1}, "keepdims": true}, x))
	show("norm", c.Call("tenon.layer_norm", tenon.Named{"eps": 0.5}, x, nil, ones))
	show("mul", c.Call("tenon.mul", nil, c.Call("tenon.mul", nil, x, 2.5), 2))
	whole := c.Call("tenon.cast", tenon.Named{"dtype": tenon.I64}, x)
	show("whole", whole)
	show("compared", c.Call("tenon.gt", nil, whole, 3))
	c.Transform("tenon.normalise", tenon.Named{"mean": []float64{0.5, 1.5, 2.5}})
	fmt.Println(tenon.Try(func() { c.Transform("tenon.normalise", tenon.Named{"mean": "none"}) }))
}
