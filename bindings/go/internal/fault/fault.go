// Package fault has the error of all packages of this module.
package fault

import (
	"fmt"
	"io/fs"
	"syscall"
)

// Error is an error of Sealstone's. errors.Is compares it by its code with the variables of package sealstone, such as
// sealstone.ErrNotAuthentic, and finds the system's error of what the system refused, such as fs.ErrNotExist.
type Error struct {
	// Code never changes, and is the same in all languages: "not_authentic".
	Code string
	// Message is for people.
	Message string
	// Errno is the system's, where it refused something; else 0.
	Errno syscall.Errno
	// Chunk of a file that is not authentic, from 0 on; -1 where no chunk is known.
	Chunk int64
}

// New makes an error that no native code gave.
func New(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Chunk: -1}
}

// Error returns the message.
func (e *Error) Error() string {
	if e.Message == "" {
		return "sealstone: " + e.Code
	}
	return "sealstone: " + e.Message
}

// Is reports whether the target has the same code; output_exists is fs.ErrExist, too.
func (e *Error) Is(target error) bool {
	if target == fs.ErrExist {
		return e.Code == "output_exists"
	}
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}

// Unwrap returns the system's error, if there is one.
func (e *Error) Unwrap() error {
	if e.Errno == 0 {
		return nil
	}
	return e.Errno
}
