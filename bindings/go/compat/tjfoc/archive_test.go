//go:build cgo && !sealstone_system

package tjfoc

// tags are those of this build, for the programs that a test builds.
const tags = ""
