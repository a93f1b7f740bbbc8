//go:build cgo && !sealstone_system

package native

// #cgo CFLAGS: -I${SRCDIR}/lib/include
// #cgo LDFLAGS: ${SRCDIR}/lib/lib/libsealstone.a -lm -ldl -lpthread
import "C"
