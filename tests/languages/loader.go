// SPDX-License-Identifier: Apache-2.0
// tests/languages/loader.go: a loader with four workers from Go, on the client of
// examples/15_digits_go: its batches, and what becomes of its threads.
//
//	loader FOLDER all        prints the line of batches.c
//	loader FOLDER released   the loader is released after three batches
//	loader FOLDER failed     a call fails in the third batch, and the client is closed
//	loader FOLDER exit       the process ends in the third batch
package main

import (
	"bytes"
	"digits/tenon"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"
)

// Threads inherit the name of the one that starts them. Those that Go starts meanwhile come from a
// thread of its own, since this one is locked.
const name = "go main thread"

func mark() {
	runtime.LockOSThread()
	if err := os.WriteFile("/proc/thread-self/comm", []byte(name), 0); err != nil {
		panic(err)
	}
}

func threads() (count int) {
	tasks, _ := filepath.Glob("/proc/self/task/*/comm")
	for _, task := range tasks {
		if text, err := os.ReadFile(task); err == nil && string(bytes.TrimSpace(text)) == name {
			count++
		}
	}
	return count
}

func open(c *tenon.Client, folder string) *tenon.Loader {
	set := c.Dataset("tenon.idx", tenon.Named{"images": folder + "/train-images-idx3-ubyte",
		"labels": folder + "/train-labels-idx1-ubyte"})
	return c.Loader(set, 7, 5, true, 4, c.Transform("tenon.normalise", tenon.Named{"scale": 16.0}))
}

func all(c *tenon.Client, loader *tenon.Loader) {
	hash, batches := fnv.New64a(), 0
	for epoch := 0; epoch < 2; epoch++ {
		loader.Begin(epoch)
		loader.Each(func(fields []*tenon.Tensor) bool {
			for _, field := range fields {
				data := make([]byte, field.Bytes())
				field.Read(unsafe.Pointer(&data[0]), len(data))
				hash.Write(data)
			}
			batches++
			return true
		})
	}
	fmt.Printf("%d batches, %016x\n", batches, hash.Sum64())
}

func main() {
	mark()
	fmt.Println("threads before:", threads())
	c := tenon.Open(1, 0)
	err := tenon.Try(func() {
		c.Region(func() {
			loader, batches := open(c, os.Args[1]), 0
			if os.Args[2] == "all" {
				all(c, loader)
				return
			}
			loader.Each(func(fields []*tenon.Tensor) bool {
				batches++
				if batches < 3 {
					return true
				}
				fmt.Println("threads meanwhile:", threads())
				switch os.Args[2] {
				case "exit":
					os.Exit(3)
				case "failed":
					c.Call("tenon.add", nil, fields[0], fields[1])
				}
				return false
			})
		})
	})
	fmt.Println("threads after:", threads())
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println("tensors left:", c.Tensors())
	c.Close()
}
