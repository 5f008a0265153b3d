// SPDX-License-Identifier: Apache-2.0
// examples/15_digits_go/main.go: a training run in Go: the one that 09_short is in C, with the
// same bits; an op of somebody else's plugin, the record of an error, a curve.
//
//	digits FOLDER EPOCHS RUN PLUGINS
//
// FOLDER has the four idx files, RUN is saved at the end and RUN.svg shows the loss, PLUGINS holds
// what examples/02_third_party_plugin builds.
package main

import (
	"digits/tenon"
	"fmt"
	"os"
	"strconv"
)

func openPart(c *tenon.Client, stem string, shuffle bool) *tenon.Loader {
	set := c.Dataset("tenon.idx", tenon.Named{
		"images": stem + "-images-idx3-ubyte", "labels": stem + "-labels-idx1-ubyte"})
	return c.Loader(set, 32, 5, shuffle, 4,
		c.Transform("tenon.normalise", tenon.Named{"scale": 16.0}), c.Transform("tenon.flatten", nil))
}

func accuracyOf(c *tenon.Client, model *tenon.Layer, test *tenon.Loader) float64 {
	right := 0.0
	test.Begin(0)
	test.Each(func(batch []*tenon.Tensor) bool {
		guess := c.Call("tenon.argmax", tenon.Named{"axis": 1}, model.Forward(batch[0]))
		right += c.Call("tenon.sum", nil, c.Call("tenon.eq", nil, guess, batch[1])).Item()
		return true
	})
	return right / float64(test.Length())
}

func train(c *tenon.Client, folder string, epochs int, saved string) {
	train, test := openPart(c, folder+"/train", true), openPart(c, folder+"/t10k", false)
	model := c.Layer("tenon.sequential", nil,
		c.Layer("tenon.linear", tenon.Named{"inputs": 64, "outputs": 128}),
		c.Layer("tenon.activation", tenon.Named{"op": "tenon.relu"}),
		c.Layer("tenon.linear", tenon.Named{"inputs": 128, "outputs": 10}))
	adam := c.Optimizer("tenon.adam", model, nil)
	cosine := c.Schedule("tenon.cosine", 0.01, tenon.Named{"period": 20})
	run, history := c.Checkpoint(), c.History()
	for name, part := range map[string]any{
		"model": model, "optimizer.0": adam, "schedule": cosine, "loader": train} {
		run.Set(name, part)
	}
	for epoch := 1; epoch <= epochs; epoch++ {
		total, batches := 0.0, 0.0
		adam.Set("lr", cosine.Next())
		train.Each(func(batch []*tenon.Tensor) bool {
			loss := c.Call("tenon.softmax_cross_entropy", nil, model.Forward(batch[0]), batch[1])
			loss.Backward()
			adam.Step()
			total, batches = total+loss.Item(), batches+1
			return true
		})
		history.Add("loss", epoch, total/batches)
		fmt.Printf("loss %.4f, accuracy %.4f\n", total/batches, accuracyOf(c, model, test))
		train.Begin(epoch)
	}
	run.Save(saved)
	history.Save(saved+".svg", "Digits", "epoch")
}

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: digits FOLDER EPOCHS RUN PLUGINS")
		os.Exit(2)
	}
	epochs, _ := strconv.Atoi(os.Args[2])
	err := tenon.Try(func() {
		c := tenon.Open(0, 5, os.Args[4])
		defer c.Close()
		c.Region(func() {
			x := c.Tensor([]int64{3}, -1, 0, 3)
			fmt.Println("softsign", c.Call("acme.softsign", nil, x).Floats())
			fmt.Println(tenon.Try(func() { c.Call("tenon.add", nil, c.Tensor([]int64{2, 4}), x) }))
			train(c, os.Args[1], epochs, os.Args[3])
		})
		fmt.Println("tensors left:", c.Tensors())
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
