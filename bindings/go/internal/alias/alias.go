// Package alias says whether slices share memory, as crypto/cipher asks of its implementations.
package alias

import "unsafe"

// Overlap reports whether two slices share any byte.
func Overlap(x, y []byte) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	a, b := uintptr(unsafe.Pointer(unsafe.SliceData(x))), uintptr(unsafe.Pointer(unsafe.SliceData(y)))
	return a < b+uintptr(len(y)) && b < a+uintptr(len(x))
}

// InexactOverlap reports whether they share a byte that has another place in each.
func InexactOverlap(x, y []byte) bool {
	return Overlap(x, y) && unsafe.SliceData(x) != unsafe.SliceData(y)
}

// Append returns dst with room for n bytes behind it, and that room.
func Append(dst []byte, n int) (all, room []byte) {
	length := len(dst) + n
	if cap(dst) >= length {
		all = dst[:length]
	} else {
		all = make([]byte, length)
		copy(all, dst)
	}
	return all, all[len(dst):]
}
