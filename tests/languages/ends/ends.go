// SPDX-License-Identifier: Apache-2.0
// tests/languages/ends/ends.go: calls after the end of a client, a region, a thread, and while the
// process ends, from Go; see ../ends.py.
package main

import (
	"digits/tenon"
	"fmt"
	"os"
	"runtime"
	"strings"
)

func tell(when string, work func() float64) {
	var found float64
	if err := tenon.Try(func() { found = work() }); err != nil {
		fmt.Println(when+":", strings.SplitN(err.Error(), "\n", 2)[0])
		return
	}
	fmt.Println(when+":", found)
}

func add(c *tenon.Client) func() float64 {
	return func() float64 { return c.Call("tenon.add", nil, c.Tensor(nil, 2), 3).Item() }
}

// A thread of the system that ends with its goroutine.
func onThread(work func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		work()
	}()
	<-done
}

func main() {
	c := tenon.Open(2, 0)
	var x *tenon.Tensor
	c.Region(func() { x = c.Tensor(nil, 4) })
	tell("tensor of a region", func() float64 { return x.Item() })
	var other *tenon.Client
	onThread(func() {
		x = c.Tensor(nil, 5)
		other = tenon.Open(1, 0)
	})
	tell("tensor of a thread", func() float64 { return x.Item() })
	tell("client of a thread", add(other))
	other.Close()
	tell("closed", add(other))
	other.Close() // changes nothing
	defer tell("deferred", add(c))
	if len(os.Args) > 1 {
		meanwhile := tenon.Open(2, 0)
		large := meanwhile.Tensor([]int64{300, 300})
		started := make(chan struct{})
		go func() {
			for i := 0; ; i++ {
				meanwhile.Region(func() { meanwhile.Call("tenon.matmul", nil, large, large) })
				if i == 3 {
					close(started)
				}
			}
		}()
		<-started
		if os.Args[1] == "exit" {
			os.Exit(3)
		}
	}
}
