package sealstone

import "sealstone.example/go/internal/fault"

// Error is the error of all packages of this module: Code, which never changes, Message for people, the system's Errno of what it refused, and
// the Chunk of a file that is not authentic, -1 where no chunk is known.
//
// errors.Is compares it by its code with the variables of this package, and finds the system's error in it:
//
//	if errors.Is(err, sealstone.ErrNotAuthentic) { … }
//	if errors.Is(err, fs.ErrNotExist) { … }
type Error = fault.Error
