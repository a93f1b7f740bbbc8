// Package native calls the C library. Its functions are those of sealstone.h, with slices and strings in place of pointers and lengths;
// `make generate` writes them. The packages above make of them what users see.
//
// An object frees itself some time after nothing refers to it. Free does that at once, and then no other goroutine may use the object.
package native
