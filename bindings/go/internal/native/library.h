/* The header of the C library, which `make go` puts here, and `make install-c` among the system's. */
#if !__has_include(<sealstone.h>)
#error "The C library of Sealstone is not there: run `make go` in its repository, or build with -tags sealstone_system"
#endif
#include <sealstone.h>
