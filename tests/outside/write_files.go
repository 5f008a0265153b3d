// SPDX-License-Identifier: Apache-2.0
// tests/outside/write_files.go: npz, safetensors and CSV files as Go's standard library writes
// them, for written_files_test.py: `go run write_files.go FOLDER`.
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

var folder string

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func create(name string) *os.File {
	file, err := os.Create(filepath.Join(folder, name))
	must(err)
	return file
}

// npy is an array's header as a Go program would write it, and its elements.
func npy(descr string, shape string, elements interface{}) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	for (len(header)+11)%64 != 0 {
		header += " "
	}
	var out bytes.Buffer
	out.WriteString("\x93NUMPY\x01\x00")
	must(binary.Write(&out, binary.LittleEndian, uint16(len(header)+1)))
	out.WriteString(header + "\n")
	must(binary.Write(&out, binary.LittleEndian, elements))
	return out.Bytes()
}

func floats(n int) []float32 {
	made := make([]float32, n)
	for i := range made {
		made[i] = float32(math.Sin(float64(i)))
	}
	return made
}

type member struct {
	name  string
	bytes []byte
}

func members() []member {
	return []member{
		{"weight.npy", npy("<f4", "(20, 30)", floats(600))},
		{"bias.npy", npy("<i8", "(3,)", []int64{-1, 1 << 40, 3})},
		{"mask.npy", npy("|b1", "(4,)", []bool{true, false, true, true})},
		{"ids.npy", npy("<u4", "(2, 2)", []uint32{1, 2, 3, math.MaxUint32})},
		{"empty.npy", npy("<f8", "(0, 3)", []float64{})},
		{"größe.npy", npy("<f8", "()", 2.5)},
		{"README.txt", []byte("made by Go")},
	}
}

func fill(out *zip.Writer, method uint16) {
	for _, each := range members() {
		into, err := out.CreateHeader(&zip.FileHeader{
			Name: each.name, Method: method, Modified: time.Unix(1700000000, 0)})
		must(err)
		_, err = into.Write(each.bytes)
		must(err)
	}
	must(out.Close())
}

// Sizes and sums stand behind each member: Go does not seek.
func archives() {
	for name, method := range map[string]uint16{"stored": zip.Store, "deflated": zip.Deflate} {
		file := create(name + ".npz")
		fill(zip.NewWriter(file), method)
		must(file.Close())
	}
	for name, level := range map[string]int{"best": flate.BestCompression, "fastest": flate.BestSpeed,
		"huffman": flate.HuffmanOnly, "uncompressed": flate.NoCompression} {
		file := create("deflated_" + name + ".npz")
		out := zip.NewWriter(file)
		level := level
		out.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(to, level)
		})
		fill(out, zip.Deflate)
		must(file.Close())
	}
}

func commented(name string, comment string) {
	file := create(name)
	out := zip.NewWriter(file)
	must(out.SetComment(comment))
	_, err := out.Create("arrays/")
	must(err)
	into, err := out.CreateHeader(&zip.FileHeader{
		Name: "arrays/a.npy", Comment: "the first", Extra: []byte{0xfe, 0xca, 2, 0, 1, 2}})
	must(err)
	_, err = into.Write(members()[0].bytes)
	must(err)
	must(out.Close())
	must(file.Close())
}

func moreArchives() {
	commented("commented.npz", "a comment")
	commented("commented_with_mark.npz", "PK\x05\x06 is how archives end")

	// With sizes and sums before the members.
	file := create("raw.npz")
	out := zip.NewWriter(file)
	for _, each := range members() {
		size := uint64(len(each.bytes))
		into, err := out.CreateRaw(&zip.FileHeader{Name: each.name, Method: zip.Store,
			CRC32: crc32.ChecksumIEEE(each.bytes), CompressedSize64: size, UncompressedSize64: size})
		must(err)
		_, err = into.Write(each.bytes)
		must(err)
	}
	must(out.Close())
	must(file.Close())

	file = create("nothing.npz")
	must(zip.NewWriter(file).Close())
	must(file.Close())
}

// Records of 64 bits: of members behind 4 GiB, which are a hole in the file, and of many members.
func largeArchives() {
	const hole = 1<<32 + 512
	file := create("behind_4_GiB.npz")
	_, err := file.Seek(hole, io.SeekStart)
	must(err)
	out := zip.NewWriter(file)
	out.SetOffset(hole)
	fill(out, zip.Deflate)
	must(file.Close())

	file = create("of_66000_members.npz")
	out = zip.NewWriter(file)
	for i := 0; i < 66000; i++ {
		_, err = out.CreateHeader(&zip.FileHeader{Name: strconv.Itoa(i)})
		must(err)
	}
	into, err := out.Create("last.npy")
	must(err)
	_, err = into.Write(members()[0].bytes)
	must(err)
	must(out.Close())
	must(file.Close())
}

type entry struct {
	Dtype   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// encoding/json sorts names, and escapes <, > and &.
func tensors(name string, indent bool) {
	header := map[string]interface{}{
		"__metadata__": map[string]string{"made <by>": "Go & \u2028"},
		"a<b>&c":       entry{"F32", []int{5}, [2]int{0, 20}},
		"z":            entry{"F8_E4M3", []int{2, 2}, [2]int{20, 24}},
		"größe":        entry{"I16", []int{}, [2]int{24, 26}},
		"empty":        entry{"F64", []int{0, 3}, [2]int{26, 26}},
	}
	text, err := json.Marshal(header)
	if indent {
		text, err = json.MarshalIndent(header, "", "\t")
	}
	must(err)
	file := create(name)
	must(binary.Write(file, binary.LittleEndian, uint64(len(text))))
	_, err = file.Write(text)
	must(err)
	must(binary.Write(file, binary.LittleEndian, floats(5)))
	_, err = file.Write([]byte{1, 2, 3, 4, 5, 6})
	must(err)
	must(file.Close())
}

func rows(to io.Writer, crlf bool) {
	out := csv.NewWriter(to)
	out.UseCRLF = crlf
	must(out.Write([]string{"x", "a \"name\", quoted", "id"}))
	for i := int64(0); i < 20; i++ {
		must(out.Write([]string{strconv.FormatFloat(math.Sin(float64(i)), 'g', -1, 64),
			strconv.FormatFloat(math.Exp(float64(i)), 'e', 9, 64), strconv.FormatInt(1<<55+i, 10)}))
	}
	out.Flush()
	must(out.Error())
}

func tables() {
	for name, crlf := range map[string]bool{"lf.csv": false, "crlf.csv": true} {
		file := create(name)
		rows(file, crlf)
		must(file.Close())
	}
	file := create("packed.csv.gz")
	packed := gzip.NewWriter(file)
	packed.Name, packed.Comment = "packed.csv", "by Go"
	rows(packed, false)
	must(packed.Close())
	must(file.Close())
}

func main() {
	folder = os.Args[1]
	archives()
	moreArchives()
	largeArchives()
	tensors("plain.safetensors", false)
	tensors("indented.safetensors", true)
	tables()
}
