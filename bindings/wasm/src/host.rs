//! The parts that the host gives: memory, randomness, and its report of a panic that ends the instance. `unsafe` is only here and in the
//! names of the exports.

#[cfg(target_family = "wasm")]
mod wasm {
    use core::arch::wasm32::memory_size;
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::hint::black_box;

    /// Memory is zeroed when it is given back. So no secret outlives its value, of any type, or memory that JavaScript lends.
    /// `realloc` is the default one, which moves and gives back.
    struct Wiping;

    #[global_allocator]
    static WIPING: Wiping = Wiping;

    // SAFETY: it is the system's allocator, which is given back its own memory.
    unsafe impl GlobalAlloc for Wiping {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            // SAFETY: as the caller promises.
            ahead(|| unsafe { System.alloc(layout) })
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            // SAFETY: as the caller promises.
            ahead(|| unsafe { System.alloc_zeroed(layout) })
        }

        unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
            // SAFETY: the caller gives back memory of this layout, and nothing else refers to it. `black_box` keeps the zeros.
            unsafe {
                at.write_bytes(0, layout.size());
                System.dealloc(black_box(at), layout);
            }
        }
    }

    /// Has memory grow by a quarter where it grows: to an engine each growth is a new buffer, and with a growth every 64 KiB a hundred
    /// thousand objects took a minute. Untouched memory is not taken from the system.
    fn ahead(alloc: impl FnOnce() -> *mut u8) -> *mut u8 {
        let pages = memory_size::<0>();
        let at = alloc();
        if memory_size::<0>() != pages
            && let Ok(layout) = Layout::from_size_align((pages << 14).min(AHEAD_MAX), 1)
        {
            // SAFETY: the layout has a length, since the module has memory; the new memory is given back at once.
            unsafe {
                let more = System.alloc(layout);
                if !more.is_null() {
                    System.dealloc(more, layout);
                }
            }
        }
        at
    }

    const AHEAD_MAX: usize = 16 << 20;

    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Fills memory with randomness of the host's; 0 if it did.
        fn random(at: *mut u8, len: usize) -> u32;
    }

    /// The function of the host that `getrandom` calls: core's only source of randomness.
    // SAFETY: no other function has this name; `getrandom` asks for a function of this type.
    #[unsafe(no_mangle)]
    unsafe extern "Rust" fn __getrandom_v03_custom(at: *mut u8, len: usize) -> Result<(), getrandom::Error> {
        // SAFETY: the caller gives memory of this length, and the host writes there and nowhere else.
        let refused = unsafe { random(at, len) } != 0;
        if refused { Err(getrandom::Error::UNSUPPORTED) } else { Ok(()) }
    }
}
