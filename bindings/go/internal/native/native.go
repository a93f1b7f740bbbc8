//go:build cgo

package native

/*
#include <stdlib.h>
#include "library.h"
*/
import "C"

import (
	"strings"
	"syscall"
	"unsafe"

	"sealstone.example/go/internal/fault"
)

// Kind is the name of what computes.
const Kind = "native"

// textRoom is the room for a text on the stack: names of algorithms and most names of files.
const textRoom = 128

// at returns where bytes lie. They are Go's, and C reads or writes them during the call alone.
func at(b []byte) *C.uint8_t {
	return (*C.uint8_t)(unsafe.SliceData(b))
}

// text returns a text as C has it, with a zero behind it, in this room where it has enough.
func text(room []byte, s string) (*C.char, error) {
	if strings.IndexByte(s, 0) >= 0 {
		return nil, fault.New("invalid_argument", "a text or a name has a zero byte")
	}
	room = append(append(room, s...), 0)
	return (*C.char)(unsafe.Pointer(unsafe.SliceData(room))), nil
}

// optionalText is NULL of an empty text.
func optionalText(room []byte, s string) (*C.char, error) {
	if s == "" {
		return nil, nil
	}
	return text(room, s)
}

// taken copies bytes of C's, which are zeroed and freed.
func taken(c *C.sealstone_bytes) []byte {
	if c == nil {
		return nil
	}
	b := copied(C.sealstone_bytes_data(c), C.sealstone_bytes_len(c))
	C.sealstone_bytes_free(c)
	return b
}

func copied(data *C.uint8_t, length C.size_t) []byte {
	b := make([]byte, int(length))
	copy(b, unsafe.Slice((*byte)(unsafe.Pointer(data)), int(length)))
	return b
}

// faultOf makes Go's error of C's, which is freed.
func faultOf(c *C.sealstone_error) error {
	if c == nil {
		return nil
	}
	e := &fault.Error{
		Code:    C.GoString(C.sealstone_error_code(c)),
		Message: C.GoString(C.sealstone_error_message(c)),
		Errno:   syscall.Errno(C.sealstone_error_errno(c)),
		Chunk:   -1,
	}
	if chunk := uint64(C.sealstone_error_chunk(c)); chunk != 1<<64-1 {
		e.Chunk = int64(chunk)
	}
	C.sealstone_error_free(c)
	return e
}
