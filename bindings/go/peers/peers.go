// Package peers has tests alone: those of the packages sm2, sm3, sm4 and compat/tjfoc against tjfoc/gmsm and emmansun/gmsm. It is a module of its
// own, since the module of the bindings has no dependencies.
//
//	go test ./...
//	go test -fuzz FuzzSm4GCM -fuzztime 1m
package peers
