// Package items lays the items of a batch one behind the other, as one call of native code takes them.
package items

import (
	"math"

	"sealstone.example/go/internal/fault"
)

// Join returns all items, one behind the other, and the length of each. The error is too_long, of an item of 4 GiB or more.
func Join(items [][]byte) (data []byte, lengths []uint32, err error) {
	total := 0
	lengths = make([]uint32, len(items))
	for i, item := range items {
		if uint64(len(item)) > math.MaxUint32 {
			return nil, nil, fault.New("too_long", "an item of a batch has 4 GiB or more")
		}
		total += len(item)
		lengths[i] = uint32(len(item))
	}
	data = make([]byte, 0, total)
	for _, item := range items {
		data = append(data, item...)
	}
	return data, lengths, nil
}
