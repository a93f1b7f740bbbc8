//go:build !cgo

package native

import "sealstone.example/go/internal/fault"

// Kind is the name of what computes: nothing does.
const Kind = "none"

var unavailable = fault.New("unavailable_backend", "this program was built without cgo, which Sealstone needs: build it with CGO_ENABLED=1 and a C compiler")
