package sealstone

import (
	"bufio"
	"io"

	"sealstone.example/go/internal/native"
)

// withoutArmour returns the bytes of a file, whether it is text or not.
func withoutArmour(src io.Reader) (io.Reader, error) {
	least, err := native.ArmourLookLen(nil)
	if err != nil {
		return nil, err
	}
	buffered := bufio.NewReaderSize(src, 1<<16+1<<12)
	start, err := buffered.Peek(least)
	if err != nil && err != io.EOF {
		return nil, err
	}
	look, err := native.ArmourLookLen(start)
	if err != nil {
		return nil, err
	}
	if look > least {
		if start, err = buffered.Peek(min(look, buffered.Size())); err != nil && err != io.EOF {
			return nil, err
		}
	}
	isArmoured, err := native.FileIsArmoured(start)
	if err != nil {
		return nil, err
	}
	if !isArmoured {
		return buffered, nil
	}
	dearmour, err := native.DearmourNew(false)
	if err != nil {
		return nil, err
	}
	return &dearmourer{src: buffered, dearmour: dearmour, text: make([]byte, 1<<16)}, nil
}

// dearmourer reads the bytes of a file that is text.
type dearmourer struct {
	src      io.Reader
	dearmour *native.Dearmour
	text     []byte
	file     []byte
	err      error
}

func (d *dearmourer) Read(p []byte) (int, error) {
	for len(d.file) == 0 && d.err == nil {
		n, err := d.src.Read(d.text)
		var fault error
		if d.file, fault = native.DearmourUpdate(d.dearmour, d.text[:n]); fault != nil {
			d.err = fault
		} else if err == io.EOF {
			rest, fault := native.DearmourFinish(d.dearmour)
			d.file, d.err = append(d.file, rest...), fault
			if fault == nil {
				d.err = io.EOF
			}
		} else if err != nil {
			d.err = err
		}
	}
	n := copy(p, d.file)
	if d.file = d.file[n:]; n == 0 && len(p) > 0 {
		return 0, d.err
	}
	return n, nil
}
