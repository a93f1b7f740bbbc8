//go:build cgo && sealstone_system

package native

// #cgo pkg-config: sealstone
import "C"
