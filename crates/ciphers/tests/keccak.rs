//! Known answers of FIPS 202, and every backend against two crates at every length.

mod support;

use sealstone_ciphers::keccak::{Backend, Sponge};
use sha3::Digest as _;
use shake::XofReader as _;
use support::{backends, hex, noise};

/// The digest of a message that comes in pieces, whose digest is taken in pieces.
fn digest<const RATE: usize, const PADDING: u8>(backend: Backend, message: &[u8], piece: usize, len: usize) -> Vec<u8> {
    let mut sponge = Sponge::<RATE, PADDING>::with_backend(backend).expect("the backend is there");
    message.chunks(piece).for_each(|piece| sponge.absorb(piece));
    let mut digest = vec![0; len];
    digest.chunks_mut(piece).for_each(|out| sponge.squeeze(out));
    digest
}

#[test]
fn fips_202_examples() {
    // NIST's examples with intermediate values: the empty message, and 1600 bits of 0xa3.
    let long = [0xa3; 200];
    for backend in backends() {
        let found = [
            digest::<144, 0x06>(backend, b"", 1, 28),
            digest::<136, 0x06>(backend, b"", 1, 32),
            digest::<136, 0x06>(backend, &long, 7, 32),
            digest::<72, 0x06>(backend, b"", 1, 64),
            digest::<168, 0x1f>(backend, b"", 1, 32),
            digest::<136, 0x1f>(backend, &long, 200, 32),
        ];
        let expected = [
            "6b4e03423667dbb73b6e15454f0eb1abd4597f9a1b078e3f5b5a6bc7",
            "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a",
            "79f38adec5c20307a98ef76e8324afbfd46cfd81b22e3973c65fa1bd9de31787",
            "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26",
            "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26",
            "cd8a920ed141aa0407a22d59288652e9d9f1a7ee0c1e7c1ca699424da84a904d",
        ];
        assert_eq!(found.to_vec(), expected.map(hex).to_vec(), "{backend:?}");
    }
}

/// What each sponge makes of a message, beside what others make of it.
fn compare(backend: Backend, message: &[u8], piece: usize) {
    fn extended(state: impl shake::ExtendableOutput, message: &[u8], len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        state.chain(message).finalize_xof().read(&mut out);
        out
    }
    let long = message.len() % 500;
    for (name, found, expected) in [
        ("SHA3-224", digest::<144, 0x06>(backend, message, piece, 28), sha3::Sha3_224::digest(message).to_vec()),
        ("SHA3-256", digest::<136, 0x06>(backend, message, piece, 32), sha3::Sha3_256::digest(message).to_vec()),
        ("SHA3-384", digest::<104, 0x06>(backend, message, piece, 48), sha3::Sha3_384::digest(message).to_vec()),
        ("SHA3-512", digest::<72, 0x06>(backend, message, piece, 64), sha3::Sha3_512::digest(message).to_vec()),
        ("Keccak-256", digest::<136, 0x01>(backend, message, piece, 32), sha3::Keccak256::digest(message).to_vec()),
        (
            "SHAKE128",
            digest::<168, 0x1f>(backend, message, piece, long),
            extended(shake::Shake128::default(), message, long),
        ),
        (
            "SHAKE256",
            digest::<136, 0x1f>(backend, message, piece, long),
            extended(shake::Shake256::default(), message, long),
        ),
    ] {
        assert!(found == expected, "{name} by {backend:?}: {} bytes, {piece} at once", message.len());
    }
}

#[test]
fn backends_agree_at_every_length() {
    let input = noise(3, 2_007);
    for backend in backends() {
        for len in 0..=2_000 {
            compare(backend, &input[len % 7..][..len], [1, 7, 8, 71, 136, 137, 144, 1_000, 2_000][len % 9]);
        }
    }
}

#[test]
fn messages_may_end_with_a_block_of_every_rate() {
    let input = noise(5, 600);
    for backend in backends() {
        for rate in [72, 104, 136, 144, 168] {
            for len in (1..=3).flat_map(|blocks| [blocks * rate - 1, blocks * rate, blocks * rate + 1]) {
                for piece in [1, rate - 1, rate, rate + 1, 2 * rate, 600] {
                    compare(backend, &input[..len], piece);
                }
            }
        }
    }
}

/// Some hundred here; a million with `SEALSTONE_EXHAUSTIVE=1`.
#[test]
fn backends_agree_at_random_lengths() {
    let cases = if std::env::var_os("SEALSTONE_EXHAUSTIVE").is_some() { 1_000_000 } else { 300 };
    let input = noise(4, 1 << 16);
    for case in 0..cases {
        let random = noise(case, 6);
        let number = |at: usize| usize::from(random[at]) << 8 | usize::from(random[at + 1]);
        let (at, len, piece) = (number(0) >> 1, number(2) >> 5, 1 + number(4) % 2_500);
        for backend in backends_quietly() {
            compare(backend, &input[at..at + len], piece);
        }
    }
}

fn backends_quietly() -> impl Iterator<Item = Backend> {
    Backend::ALL.into_iter().filter(|backend| backend.is_available())
}

#[test]
fn a_clone_continues_by_itself() {
    let mut first = Sponge::<136, 0x06>::new();
    first.absorb(b"attack ");
    let mut second = first.clone();
    first.absorb(b"at dawn");
    second.absorb(b"at noon");
    let (mut a, mut b) = ([0; 32], [0; 32]);
    first.squeeze(&mut a);
    second.squeeze(&mut b);
    assert_eq!(a, sha3::Sha3_256::digest(b"attack at dawn")[..]);
    assert_eq!(b, sha3::Sha3_256::digest(b"attack at noon")[..]);
    assert_eq!(format!("{first:?}"), "Sponge(..)");
}

#[test]
#[should_panic(expected = "keccak: a message that was squeezed has ended")]
fn nothing_is_absorbed_after_a_digest() {
    let mut sponge = Sponge::<136, 0x06>::new();
    sponge.squeeze(&mut [0; 1]);
    sponge.absorb(b"");
}
