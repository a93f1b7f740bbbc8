//! The arithmetic of SM2's field with ADX and BMI2: additions of two carry chains beside multiplications that do not change the flags.
//!
//! The compiler keeps one carry chain at most, and spills the carries of two. So products are written in assembly. Steps of
//! the reduction stand between the rows of a product. Each takes away the lowest word d: d becomes the fourth of the words above, and
//! d · (2^160 + 2^32 − 1) is subtracted from these four.

use crate::cpu::Adx;
use crate::field::{Element, Field};
use core::arch::asm;
use core::arch::x86_64::*;

/// A step of the reduction: `$d0` is the lowest word, and becomes the highest of four. It writes over rax, rcx, rdx and `$high`.
macro_rules! reduce {
    ($d0:literal, $d1:literal, $d2:literal, $d3:literal, $high:literal) => {
        concat!(
            "mov rax, ",
            $d0,
            "\n",
            "shl rax, 32\n",
            "mov rcx, ",
            $d0,
            "\n",
            "shr rcx, 32\n",
            "mov rdx, rax\n",
            "mov ",
            $high,
            ", rcx\n",
            "sub rax, ",
            $d0,
            "\n",
            "sbb rcx, 0\n",
            "sub ",
            $d1,
            ", rax\n",
            "sbb ",
            $d2,
            ", rcx\n",
            "sbb ",
            $d3,
            ", rdx\n",
            "sbb ",
            $d0,
            ", ",
            $high,
            "\n",
        )
    };
}

/// Adds `[rsi]` times the word at `[rdi + $at]` to five words, of which the highest is new.
macro_rules! add_row {
    ($at:literal, $a:literal, $b:literal, $c:literal, $d:literal, $e:literal, $e32:literal) => {
        concat!(
            "mov rdx, [rdi + ",
            $at,
            "]\n",
            "xor ",
            $e32,
            ", ",
            $e32,
            "\n",
            "mulx rcx, rax, [rsi]\n",
            "adcx ",
            $a,
            ", rax\n",
            "adox ",
            $b,
            ", rcx\n",
            "mulx rcx, rax, [rsi + 8]\n",
            "adcx ",
            $b,
            ", rax\n",
            "adox ",
            $c,
            ", rcx\n",
            "mulx rcx, rax, [rsi + 16]\n",
            "adcx ",
            $c,
            ", rax\n",
            "adox ",
            $d,
            ", rcx\n",
            "mulx rcx, rax, [rsi + 24]\n",
            "adcx ",
            $d,
            ", rax\n",
            "adox ",
            $e,
            ", rcx\n",
            "adc ",
            $e,
            ", 0\n",
        )
    };
}

/// Adds the upper half of a product in r12 to r15 to the reduced lower half in r8 to r11, and subtracts p once if the sum reaches it.
macro_rules! finish {
    () => {
        concat!(
            "xor ecx, ecx\n",
            "add r8, r12\n",
            "adc r9, r13\n",
            "adc r10, r14\n",
            "adc r11, r15\n",
            "adc ecx, 0\n",
            "mov r12, r8\n",
            "mov r13, r9\n",
            "mov r14, r10\n",
            "mov r15, r11\n",
            "mov rax, 0xffffffff00000000\n",
            "mov rdx, 0xfffffffeffffffff\n",
            "sub r12, -1\n",
            "sbb r13, rax\n",
            "sbb r14, -1\n",
            "sbb r15, rdx\n",
            "sbb ecx, 0\n",
            "cmovc r12, r8\n",
            "cmovc r13, r9\n",
            "cmovc r14, r10\n",
            "cmovc r15, r11\n",
        )
    };
}

impl Field for Adx {
    #[inline(always)]
    fn multiply(self, a: &Element, b: &Element) -> Element {
        let (r0, r1, r2, r3);
        // SAFETY: the token proves ADX and BMI2. It reads the 32 bytes of each number, and writes registers only.
        unsafe {
            asm!(
                "mov rdx, [rdi]",
                "mulx r9, r8, [rsi]",
                "mulx r10, rax, [rsi + 8]",
                "mulx r11, rcx, [rsi + 16]",
                "mulx r12, r14, [rsi + 24]",
                "add r9, rax", "adc r10, rcx", "adc r11, r14", "adc r12, 0",
                reduce!("r8", "r9", "r10", "r11", "r15"),
                add_row!("8", "r9", "r10", "r11", "r12", "r13", "r13d"),
                reduce!("r9", "r10", "r11", "r8", "r15"),
                add_row!("16", "r10", "r11", "r12", "r13", "r14", "r14d"),
                reduce!("r10", "r11", "r8", "r9", "r15"),
                add_row!("24", "r11", "r12", "r13", "r14", "r15", "r15d"),
                reduce!("r11", "r8", "r9", "r10", "rsi"),
                finish!(),
                inout("rsi") a => _, inout("rdi") b => _,
                out("rax") _, out("rcx") _, out("rdx") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                out("r12") r0, out("r13") r1, out("r14") r2, out("r15") r3,
                options(pure, readonly, nostack)
            );
        }
        Element([r0, r1, r2, r3])
    }

    #[inline(always)]
    fn square(self, a: &Element) -> Element {
        let (r0, r1, r2, r3);
        // SAFETY: as of `multiply`.
        unsafe {
            asm!(
                // The products of different words, once.
                "mov rdx, [rsi]",
                "mulx r10, r9, [rsi + 8]",
                "mulx r11, rax, [rsi + 16]",
                "mulx r12, rcx, [rsi + 24]",
                "add r10, rax", "adc r11, rcx", "adc r12, 0",
                "mov rdx, [rsi + 8]", "xor r13d, r13d",
                "mulx rcx, rax, [rsi + 16]", "adcx r11, rax", "adox r12, rcx",
                "mulx rcx, rax, [rsi + 24]", "adcx r12, rax", "adox r13, rcx", "adc r13, 0",
                "mov rdx, [rsi + 16]",
                "mulx r14, rax, [rsi + 24]",
                "add r13, rax", "adc r14, 0",
                // Twice these by one carry chain, and the squares of the words by the other.
                "xor r15d, r15d",
                "mov rdx, [rsi]", "mulx rcx, r8, rdx", "adcx r9, r9", "adox r9, rcx",
                "mov rdx, [rsi + 8]", "mulx rcx, rax, rdx",
                "adcx r10, r10", "adox r10, rax", "adcx r11, r11", "adox r11, rcx",
                "mov rdx, [rsi + 16]", "mulx rcx, rax, rdx",
                "adcx r12, r12", "adox r12, rax", "adcx r13, r13", "adox r13, rcx",
                "mov rdx, [rsi + 24]", "mulx rcx, rax, rdx",
                "adcx r14, r14", "adox r14, rax", "adcx r15, r15", "adox r15, rcx",
                reduce!("r8", "r9", "r10", "r11", "rdi"),
                reduce!("r9", "r10", "r11", "r8", "rsi"),
                reduce!("r10", "r11", "r8", "r9", "rdi"),
                reduce!("r11", "r8", "r9", "r10", "rsi"),
                finish!(),
                inout("rsi") a => _, out("rdi") _,
                out("rax") _, out("rcx") _, out("rdx") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                out("r12") r0, out("r13") r1, out("r14") r2, out("r15") r3,
                options(pure, readonly, nostack)
            );
        }
        Element([r0, r1, r2, r3])
    }

    /// a − (p − b); it adds p if the difference is below 0.
    #[inline(always)]
    fn add(self, a: &Element, b: &Element) -> Element {
        let [mut r0, mut r1, mut r2, mut r3] = a.0;
        // SAFETY: it reads the 32 bytes of b, and writes registers only. It needs no feature.
        unsafe {
            asm!(
                "mov {p0}, [{b}]", "not {p0}",
                "mov {p1}, 0xffffffff00000000", "mov {p2}, -1", "mov {p3}, 0xfffffffeffffffff",
                "sub {p1}, [{b} + 8]", "sbb {p2}, [{b} + 16]", "sbb {p3}, [{b} + 24]",
                "sub {r0}, {p0}", "sbb {r1}, {p1}", "sbb {r2}, {p2}", "sbb {r3}, {p3}", "sbb {p2}, {p2}",
                "mov {p1}, {p2}", "mov {p3}, {p2}", "shl {p1}, 32", "btr {p3}, 32",
                "add {r0}, {p2}", "adc {r1}, {p1}", "adc {r2}, {p2}", "adc {r3}, {p3}",
                r0 = inout(reg) r0, r1 = inout(reg) r1, r2 = inout(reg) r2, r3 = inout(reg) r3,
                b = in(reg) b, p0 = out(reg) _, p1 = out(reg) _, p2 = out(reg) _, p3 = out(reg) _,
                options(pure, readonly, nostack)
            );
        }
        Element([r0, r1, r2, r3])
    }

    #[inline(always)]
    fn subtract(self, a: &Element, b: &Element) -> Element {
        let [mut r0, mut r1, mut r2, mut r3] = a.0;
        // SAFETY: as of `add`.
        unsafe {
            asm!(
                "sub {r0}, [{b}]", "sbb {r1}, [{b} + 8]", "sbb {r2}, [{b} + 16]", "sbb {r3}, [{b} + 24]", "sbb {p2}, {p2}",
                "mov {p1}, {p2}", "mov {p3}, {p2}", "shl {p1}, 32", "btr {p3}, 32",
                "add {r0}, {p2}", "adc {r1}, {p1}", "adc {r2}, {p2}", "adc {r3}, {p3}",
                r0 = inout(reg) r0, r1 = inout(reg) r1, r2 = inout(reg) r2, r3 = inout(reg) r3,
                b = in(reg) b, p1 = out(reg) _, p2 = out(reg) _, p3 = out(reg) _,
                options(pure, readonly, nostack)
            );
        }
        Element([r0, r1, r2, r3])
    }

    #[inline(always)]
    fn pick<const LEN: usize, const ROWS: usize>(self, table: &[[Element; LEN]; ROWS], number: u64) -> [Element; LEN] {
        // SAFETY: the token proves AVX2.
        unsafe { pick(table, number) }
    }
}

/// A number is one 256-bit register.
#[target_feature(enable = "avx2")]
fn pick<const LEN: usize, const ROWS: usize>(table: &[[Element; LEN]; ROWS], number: u64) -> [Element; LEN] {
    let number = _mm256_set1_epi64x(number.cast_signed());
    let one = _mm256_set1_epi64x(1);
    let (mut at, mut picked) = (one, [_mm256_setzero_si256(); LEN]);
    for row in table {
        let mask = _mm256_cmpeq_epi64(at, number);
        at = _mm256_add_epi64(at, one);
        for (picked, element) in picked.iter_mut().zip(row) {
            // SAFETY: it reads the 32 bytes of the number.
            let element = unsafe { _mm256_loadu_si256(std::ptr::from_ref(element).cast()) };
            *picked = _mm256_or_si256(*picked, _mm256_and_si256(mask, element));
        }
    }
    picked.map(|register| {
        let mut element = Element::ZERO;
        // SAFETY: it writes the 32 bytes of the number.
        unsafe { _mm256_storeu_si256(std::ptr::from_mut(&mut element).cast(), register) };
        element
    })
}
