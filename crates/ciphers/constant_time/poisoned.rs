//! Every mode on every backend that valgrind knows, with secrets that memcheck takes for undefined: it reports each branch
//! and each address that depends on one (Langley's ctgrind, 2010). `check.sh` runs it.
//!
//! Secret are keys, plaintexts and all that is made of them, so ciphertexts and tags too. Public are lengths, nonces, IVs,
//! sector numbers and associated data, and whether a tag was right, which is one branch that `verdict.supp` names.

use sealstone_ciphers::chacha20::{self, ChaCha20, ChaCha20Poly1305, XChaCha20Poly1305};
use sealstone_ciphers::keccak::Sponge;
use sealstone_ciphers::padding::{LENGTHS_LEN, pad, select, unpadded_len};
use sealstone_ciphers::poly1305::Poly1305;
use sealstone_ciphers::salsa20::{Salsa20, XSalsa20Poly1305};
use sealstone_ciphers::sm2::{self, Curve, Scalar};
use sealstone_ciphers::sm4::{Backend, Block, Message, Sm4, Sm4Ccm, Sm4Gcm, Sm4Xts, TweakOrder};
use std::process::ExitCode;

/// Bytes: what kernels and modes take apart differently, up to over twice what a mode takes at once.
const LENGTHS: [usize; 22] =
    [0, 1, 15, 16, 17, 32, 64, 80, 100, 128, 144, 255, 256, 257, 384, 448, 512, 528, 960, 1024, 1029, 2100];
const IV: Block = [0x5c; 16];
/// A batch: more messages than are chained together.
const MESSAGES: usize = 18;
const NONCE: [u8; 12] = [9; 12];
const AAD: &[u8] = b"associated data of more than one block, and not of whole ones";

fn main() -> ExitCode {
    if !memcheck::is_watching() {
        eprintln!("poisoned: this needs valgrind's memcheck on x86-64; run constant_time/check.sh");
        return ExitCode::from(2);
    }
    controls();
    let leaks = Backend::ALL.into_iter().map(backend).sum::<usize>()
        + chacha20::Backend::ALL.into_iter().map(chacha_backend).sum::<usize>()
        + sm2::Backend::ALL.into_iter().map(sm2_backend).sum::<usize>();
    // The wider kernels are written by the same macros; without one of them nothing is said of any.
    let are_all =
        [Backend::AesAvx2.is_available(), chacha20::Backend::Avx2.is_available(), sm2::Backend::Adx.is_available()];
    if are_all.contains(&false) {
        eprintln!("poisoned: a backend that valgrind knows is missing on this CPU");
        return ExitCode::FAILURE;
    }
    ExitCode::from(u8::from(leaks > 0))
}

/// What leaks has to be reported: a check that cannot fail is none. `machine_code.py` looks at the same functions.
fn controls() {
    let secret = hidden(&[7; 16]).try_into().expect("poisoned: a block");
    let table = std::hint::black_box(std::array::from_fn(|i| i as u8));
    let found = |name, leak: &dyn Fn() -> u8| {
        let before = memcheck::errors();
        std::hint::black_box(leak());
        assert!(memcheck::errors() > before, "poisoned: {name} leaks, and was not reported");
    };
    found("look_up", &|| indirectly(control::look_up)(&table, &secret));
    #[cfg(target_arch = "x86_64")]
    found("look_up_by_register", &|| indirectly(control::look_up_by_register)(&table, &secret));
    found("compare_early", &|| indirectly(control::compare_early)(&[8; 256], &secret));
    println!("controls     reported, as they have to be");
}

/// So that the compiler leaves a control as it is written, whatever its arguments are.
fn indirectly(control: fn(&[u8; 256], &Block) -> u8) -> fn(&[u8; 256], &Block) -> u8 {
    std::hint::black_box(control)
}

/// Runs what has secrets, and says how many leaks there were.
fn leaks_of(backend: &str, name: &str, run: &dyn Fn()) -> usize {
    let before = memcheck::errors();
    run();
    let found = memcheck::errors() - before;
    println!("{backend:<12} {name:<18} {}", if found == 0 { "no leak" } else { "LEAKS" });
    found
}

/// All modes on a backend; returns how many leaks there were.
fn backend(backend: Backend) -> usize {
    if !backend.is_available() {
        println!("{:<12} not run: this CPU or valgrind has it not", backend.name());
        return 0;
    }
    let mut leaks = 0;
    let mut check = |name: &str, run: &dyn Fn()| leaks += leaks_of(backend.name(), name, run);
    let key = || Sm4::with_backend(backend, &secret_key(1)).expect("poisoned: the backend is available");
    check("schedule", &|| drop(key()));
    let key = key();
    check("ECB", &|| {
        blocks(|data| key.encrypt_blocks(data), |data| key.decrypt_blocks(data));
    });
    check("CBC", &|| {
        blocks(|data| key.cbc_encrypt(&mut IV.clone(), data), |data| key.cbc_decrypt(&mut IV.clone(), data));
    });
    check("CBC batch", &|| {
        blocks(
            |data| {
                let mut ivs = [IV; MESSAGES];
                let pairs = ivs.iter_mut().zip(messages(data));
                key.cbc_encrypt_batch(pairs.map(|(iv, blocks)| Message { iv, blocks }));
            },
            |data| messages(data).for_each(|blocks| key.cbc_decrypt(&mut IV.clone(), blocks)),
        );
    });
    check("CTR", &|| bytes(|data| key.ctr(&mut IV.clone(), data), |data| key.ctr(&mut IV.clone(), data)));
    check("CFB", &|| {
        bytes(|data| key.cfb_encrypt(&mut IV.clone(), data), |data| key.cfb_decrypt(&mut IV.clone(), data));
    });
    check("OFB", &|| bytes(|data| key.ofb(&mut IV.clone(), data), |data| key.ofb(&mut IV.clone(), data)));
    for (name, order) in [("XTS IEEE", TweakOrder::Ieee), ("XTS GB/T", TweakOrder::Gbt)] {
        check(name, &|| {
            let key = Sm4Xts::with_backend(backend, &secret_key(1), &secret_key(2), order);
            let key = key.expect("poisoned: the backend is available");
            for length in LENGTHS.into_iter().filter(|length| *length >= 16) {
                let (forth, back) = (key.tweak(&IV), key.tweak(&IV));
                let fits = "poisoned: a block at least";
                round_trip(
                    length,
                    |data| key.encrypt(&mut forth.clone(), data).expect(fits),
                    |data| key.decrypt(&mut back.clone(), data).expect(fits),
                );
            }
        });
    }
    check("GCM", &|| {
        let key = Sm4Gcm::with_backend(backend, &secret_key(1)).expect("poisoned: the backend is available");
        authenticated(
            |data, tag| key.seal_in_place(&NONCE, AAD, data, tag).is_ok(),
            |data, tag| gcm_verdict(&key, data, tag),
        );
    });
    check("CCM", &|| {
        let key = Sm4Ccm::with_backend(backend, &secret_key(1)).expect("poisoned: the backend is available");
        authenticated(
            |data, tag| key.seal_in_place(&NONCE, AAD, data, tag).is_ok(),
            |data, tag| ccm_verdict(&key, data, tag),
        );
    });
    check("padding", &|| {
        for length in 0..16 {
            let padded = hidden(&pad::<16>(&[9; 15][..length])).try_into().expect("poisoned: padding makes a block");
            assert!(padding_verdict(&padded) == Some(length), "poisoned: {length} bytes were padded to another length");
            let wrong = hidden(&[17 + length as u8; 16]).try_into().expect("poisoned: that is a block");
            assert!(padding_verdict(&wrong).is_none(), "poisoned: wrong padding was taken");
        }
    });
    check("padding of RSA", &|| {
        // A message of 5 bytes, one that is too near, and none: of these two the alternative is, of 3 bytes.
        for (separator, len) in [(250, 5), (5, 3), (0, 3)] {
            let mut encoded = [1; 256];
            (encoded[0], encoded[1], encoded[separator]) = (0, 2, 0);
            let lengths =
                hidden(&[0, 3].repeat(LENGTHS_LEN / 2)).try_into().expect("poisoned: the lengths are as many");
            let mut encoded = hidden(&encoded);
            let mut start = select(&mut encoded, &hidden(&[9; 256]), &lengths);
            assert!(memcheck::is_hidden(&encoded), "poisoned: memcheck lost the secrets of RSA");
            memcheck::reveal(&mut start);
            assert!(start == 256 - len, "poisoned: another message was selected");
        }
    });
    leaks
}

/// ChaCha20, Salsa20 and Poly1305 on a backend; returns how many leaks there were.
fn chacha_backend(backend: chacha20::Backend) -> usize {
    const THERE: &str = "poisoned: the backend is available";
    if !backend.is_available() {
        println!("{:<12} not run: this CPU or valgrind has it not", backend.name());
        return 0;
    }
    let mut leaks = 0;
    let mut check = |name: &str, run: &dyn Fn()| leaks += leaks_of(backend.name(), name, run);
    let key = || -> [u8; 32] { hidden(&[5; 32]).try_into().expect("poisoned: a key of 32 bytes") };
    check("ChaCha20", &|| {
        let key = ChaCha20::with_backend(backend, &key()).expect(THERE);
        let add = |data: &mut [u8]| key.add_keystream(&NONCE, 3, data).expect("poisoned: the lengths are the cipher's");
        bytes(add, add);
    });
    check("Salsa20", &|| {
        let key = Salsa20::with_backend(backend, &key()).expect(THERE);
        let add =
            |data: &mut [u8]| key.add_keystream(&[9; 8], 3, data).expect("poisoned: the lengths are the cipher's");
        bytes(add, add);
    });
    check("Poly1305", &|| {
        for length in LENGTHS {
            let mut mac = Poly1305::with_backend(backend, &key()).expect(THERE);
            hidden(&vec![3; length]).chunks(1_000).for_each(|part| mac.update(part));
            assert!(memcheck::is_hidden(&mac.tag()), "poisoned: memcheck lost the secrets of {length} bytes");
        }
    });
    check("Keccak", &|| {
        for length in LENGTHS {
            let mut sponge = Sponge::<136, 0x06>::with_backend(backend).expect(THERE);
            sponge.absorb(&key());
            hidden(&vec![3; length]).chunks(1_000).for_each(|part| sponge.absorb(part));
            let mut digest = [0; 200];
            sponge.squeeze(&mut digest);
            assert!(memcheck::is_hidden(&digest), "poisoned: memcheck lost the secrets of {length} bytes");
        }
    });
    check("ChaCha20-Poly1305", &|| {
        let key = ChaCha20Poly1305::with_backend(backend, &key()).expect(THERE);
        authenticated(
            |data, tag| key.seal_in_place(&NONCE, AAD, data).map(|made| *tag = made).is_ok(),
            |data, tag| chacha_verdict(&key, data, tag),
        );
    });
    check("XChaCha20-Poly1305", &|| {
        let key = XChaCha20Poly1305::with_backend(backend, &key()).expect(THERE);
        authenticated(
            |data, tag| key.seal_in_place(&[9; 24], AAD, data).map(|made| *tag = made).is_ok(),
            |data, tag| xchacha_verdict(&key, data, tag),
        );
    });
    check("XSalsa20-Poly1305", &|| {
        let key = XSalsa20Poly1305::with_backend(backend, &key()).expect(THERE);
        authenticated(
            |data, tag| key.seal_in_place(&[9; 24], data).map(|made| *tag = made).is_ok(),
            |data, tag| xsalsa_verdict(&key, data, tag),
        );
    });
    leaks
}

/// SM2 on a backend; returns how many leaks there were.
fn sm2_backend(backend: sm2::Backend) -> usize {
    let Some(curve) = Curve::with_backend(backend) else {
        println!("{:<12} not run: this CPU or valgrind has it not", backend.name());
        return 0;
    };
    let mut leaks = 0;
    let mut check = |name: &str, run: &dyn Fn()| leaks += leaks_of(backend.name(), name, run);
    let point = curve.multiply_base(&Scalar::ONE);
    // Digits of all kinds, zeros too, and the number for which two points are equal (n - 6).
    let digits = "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d5411d";
    let equal: Vec<_> =
        (0..32).map(|i| u8::from_str_radix(&digits[2 * i..][..2], 16).expect("poisoned: digits")).collect();
    for bytes in [vec![0x9e; 32], [[0; 16], [0x37; 16]].concat(), equal] {
        let secret = || Scalar::reduce(&hidden(&bytes).try_into().expect("poisoned: a scalar has 32 bytes"));
        let is_lost = |bytes: &[u8]| assert!(memcheck::is_hidden(bytes), "poisoned: memcheck lost a secret of SM2");
        check("multiples of G", &|| is_lost(&curve.multiply_base(&secret()).to_coordinates()));
        check("multiples", &|| is_lost(&curve.multiply(&point, &secret()).to_coordinates()));
        check("both", &|| {
            curve.multiply_both(&point, &secret()).iter().for_each(|point| is_lost(&point.to_coordinates()));
        });
        check("numbers", &|| {
            let (a, b) = (secret(), secret());
            is_lost(&a.add(&b).subtract(&a).multiply(&b.invert()).to_bytes());
        });
    }
    leaks
}

/// A batch of messages, each longer than the one before by about the same.
fn messages(mut blocks: &mut [Block]) -> impl Iterator<Item = &mut [Block]> {
    let end = |i, len| len * i * i / (MESSAGES * MESSAGES);
    let len = blocks.len();
    (0..MESSAGES).map(move |i| {
        blocks.split_off_mut(..end(i + 1, len) - end(i, len)).expect("poisoned: the messages are the blocks")
    })
}

fn blocks(forth: impl Fn(&mut [Block]), back: impl Fn(&mut [Block])) {
    for length in LENGTHS.into_iter().filter(|length| length % 16 == 0) {
        round_trip(length, |data| forth(data.as_chunks_mut().0), |data| back(data.as_chunks_mut().0));
    }
}

fn bytes(forth: impl Fn(&mut [u8]), back: impl Fn(&mut [u8])) {
    for length in LENGTHS {
        round_trip(length, &forth, &back);
    }
}

/// That secrets stay hidden on the way shows that memcheck followed them; that they come back, that all was computed.
fn round_trip(length: usize, forth: impl FnOnce(&mut [u8]), back: impl FnOnce(&mut [u8])) {
    let plaintext: Vec<u8> = (0..length).map(|i| i as u8).collect();
    let mut data = hidden(&plaintext);
    forth(&mut data);
    assert!(memcheck::is_hidden(&data), "poisoned: memcheck lost the secrets of {length} bytes");
    back(&mut data);
    assert!(memcheck::is_hidden(&data), "poisoned: memcheck lost the secrets of {length} bytes");
    memcheck::reveal(&mut data[..]);
    assert!(data == plaintext, "poisoned: {length} bytes did not come back");
}

fn authenticated(seal: impl Fn(&mut [u8], &mut Block) -> bool, open: impl Fn(&mut [u8], &Block) -> bool) {
    for length in LENGTHS {
        let tag = std::cell::Cell::new(IV);
        round_trip(
            length,
            |data| {
                let mut made = IV;
                assert!(seal(data, &mut made), "poisoned: {length} bytes were not sealed");
                tag.set(made);
            },
            |data| assert!(open(data, &tag.get()), "poisoned: {length} bytes did not open"),
        );
        let mut wrong = tag.get();
        assert!(memcheck::is_hidden(&wrong), "poisoned: memcheck lost the secrets of a tag");
        wrong[length % 16] ^= 0x10;
        let mut data = hidden(&vec![1; length]);
        assert!(!open(&mut data, &wrong), "poisoned: {length} bytes opened under a wrong tag");
        memcheck::reveal(&mut data[..]);
        assert!(data.iter().all(|byte| *byte == 0), "poisoned: {length} bytes stayed after a wrong tag");
    }
}

/// A name on the stack for `verdict.supp`.
#[inline(never)]
fn gcm_verdict(key: &Sm4Gcm, data: &mut [u8], tag: &Block) -> bool {
    key.open_in_place(&NONCE, AAD, data, tag).is_ok()
}

#[inline(never)]
fn ccm_verdict(key: &Sm4Ccm, data: &mut [u8], tag: &Block) -> bool {
    key.open_in_place(&NONCE, AAD, data, tag).is_ok()
}

/// It may come as the comparison made it, which was secret.
fn revealed(mut verdict: bool) -> bool {
    memcheck::reveal(&mut verdict);
    verdict
}

#[inline(never)]
fn chacha_verdict(key: &ChaCha20Poly1305, data: &mut [u8], tag: &Block) -> bool {
    revealed(key.open_in_place(&NONCE, AAD, data, tag).is_ok())
}

#[inline(never)]
fn xchacha_verdict(key: &XChaCha20Poly1305, data: &mut [u8], tag: &Block) -> bool {
    revealed(key.open_in_place(&[9; 24], AAD, data, tag).is_ok())
}

#[inline(never)]
fn xsalsa_verdict(key: &XSalsa20Poly1305, data: &mut [u8], tag: &Block) -> bool {
    revealed(key.open_in_place(&[9; 24], data, tag).is_ok())
}

/// The verdict is public, and so is the length where the padding is right.
#[inline(never)]
fn padding_verdict(block: &Block) -> Option<usize> {
    let mut verdict = unpadded_len(block);
    memcheck::reveal(&mut verdict);
    verdict
}

fn secret_key(number: u8) -> Block {
    hidden(&[number; 16]).try_into().expect("poisoned: a key is a block")
}

fn hidden(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    memcheck::hide(&mut bytes);
    bytes
}

/// What must not be done.
mod control {
    use super::Block;

    /// An address that depends on a secret.
    #[inline(never)]
    pub(crate) fn look_up(table: &[u8; 256], secret: &Block) -> u8 {
        table[usize::from(secret[3])]
    }

    /// The same, where the secret was in a vector register.
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    pub(crate) fn look_up_by_register(table: &[u8; 256], secret: &Block) -> u8 {
        use std::arch::x86_64::{_mm_add_epi8, _mm_cvtsi128_si32, _mm_loadu_si128};
        // SAFETY: a block is as long as the register, and every x86-64 has SSE2.
        let low = unsafe {
            let block = _mm_loadu_si128(secret.as_ptr().cast());
            _mm_cvtsi128_si32(_mm_add_epi8(block, block))
        };
        table[usize::from(low.to_le_bytes()[0])]
    }

    /// A branch that depends on a secret.
    #[inline(never)]
    pub(crate) fn compare_early(other: &[u8; 256], secret: &Block) -> u8 {
        u8::from(other.iter().zip(secret).all(|(a, b)| std::hint::black_box(a) == b))
    }
}

/// Valgrind's client requests, as `valgrind.h` and `memcheck.h` write them for amd64.
mod memcheck {
    const RUNNING_ON_VALGRIND: u64 = 0x1001;
    const COUNT_ERRORS: u64 = 0x1201;
    const MAKE_MEM_UNDEFINED: u64 = 0x4d43_0001;
    const MAKE_MEM_DEFINED: u64 = 0x4d43_0002;
    const GET_VBITS: u64 = 0x4d43_0008;

    pub(crate) fn is_watching() -> bool {
        request(RUNNING_ON_VALGRIND, 0, 0, 0) > 0
    }

    /// How many errors there were so far, without those that are suppressed.
    pub(crate) fn errors() -> usize {
        request(COUNT_ERRORS, 0, 0, 0) as usize
    }

    pub(crate) fn hide(bytes: &mut [u8]) {
        request(MAKE_MEM_UNDEFINED, bytes.as_mut_ptr() as u64, bytes.len() as u64, 0);
    }

    pub(crate) fn reveal<T: ?Sized>(value: &mut T) {
        let len = size_of_val(value);
        request(MAKE_MEM_DEFINED, std::ptr::from_mut(value).cast::<u8>() as u64, len as u64, 0);
    }

    /// Whether every byte has bits that memcheck takes for undefined.
    pub(crate) fn is_hidden(bytes: &[u8]) -> bool {
        let mut bits = vec![0; bytes.len()];
        let answer = request(GET_VBITS, bytes.as_ptr() as u64, bits.as_mut_ptr() as u64, bytes.len() as u64);
        answer == 1 && bits.iter().all(|bits: &u8| *bits != 0)
    }

    #[cfg(target_arch = "x86_64")]
    fn request(request: u64, first: u64, second: u64, third: u64) -> u64 {
        let arguments = [request, first, second, third, 0, 0];
        let mut answer = 0;
        // SAFETY: by itself this turns rdi around once, and exchanges rbx with itself. Valgrind knows the sequence and acts
        // on it; no request here touches memory but the bytes that the callers hand over, by their own addresses and lengths.
        unsafe {
            std::arch::asm!(
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                in("rax") arguments.as_ptr(),
                inout("rdx") 0_u64 => answer,
                options(nostack),
            );
        }
        answer
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn request(_: u64, _: u64, _: u64, _: u64) -> u64 {
        0
    }
}
