//! The parts that both providers take from the same crate, behind types and functions of our own.

use blake2::Digest as _;
use blake2::digest::block_api::{UpdateCore as _, VariableOutputCore as _};
use blake2::digest::block_buffer::LazyBuffer;
use blake3::hazmat::{HasherExt as _, Mode, merge_subtrees_non_root, merge_subtrees_root_xof};
use zeroize::{Zeroize as _, Zeroizing};

/// Generates numbers from 1 to n - 1, n the order of SM2's curve, from a key, a digest and randomness (RFC 6979 section 3.6).
#[cfg(feature = "gm")]
pub(crate) struct Sm2Nonces(rfc6979::KGenerator<'static, ::sha2::Sha256, rfc6979::bigint::U256>);

#[cfg(feature = "gm")]
impl Sm2Nonces {
    pub(crate) fn new(key: &[u8; 32], digest: &[u8; 32], random: &[u8; 32]) -> Self {
        static ORDER: rfc6979::bigint::U256 =
            rfc6979::bigint::U256::from_be_hex("fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123");
        Self(rfc6979::KGenerator::new(key, digest, random, &ORDER))
    }

    pub(crate) fn next(&mut self) -> Zeroizing<[u8; 32]> {
        let mut number = Zeroizing::new([0; 32]);
        self.0.fill_next_k(&mut number[..]);
        number
    }
}

crate_hashes! {
    /// MD5 (RFC 1321).
    #[cfg(feature = "legacy")]
    Md5 = md5::Md5, 16;
    /// SHA-1 (FIPS 180-4).
    Sha1 = sha1::Sha1, 20;
    /// RIPEMD-160 (Dobbertin, Bosselaers and Preneel, FSE 1996).
    #[cfg(feature = "legacy")]
    Ripemd160 = ripemd::Ripemd160, 20;
    /// `BLAKE2b` with 512 bits (RFC 7693).
    Blake2b512 = blake2::Blake2b512, 64;
    /// `BLAKE2s` with 256 bits (RFC 7693).
    Blake2s256 = blake2::Blake2s256, 32;
    /// SM3 (GB/T 32905-2016).
    Sm3 = ::sm3::Sm3, 32;
}

/// Computes `BLAKE2b` of the concatenation of `inputs`, with 1 to 64 bytes of output.
///
/// # Panics
/// For an output of another length.
pub(crate) fn blake2b(inputs: &[&[u8]], out: &mut [u8]) {
    let mut state = blake2::Blake2bVarCore::new(out.len()).expect("blake2b: the output has 1 to 64 bytes");
    let mut buffer = LazyBuffer::default();
    for input in inputs {
        buffer.digest_blocks(input, |blocks| state.update_blocks(blocks));
    }
    let mut whole = blake2::digest::Output::<blake2::Blake2bVarCore>::default();
    state.finalize_variable_core(&mut buffer, &mut whole);
    out.copy_from_slice(&whole[..out.len()]);
    whole.as_mut_slice().zeroize();
}

/// BLAKE3 of a message, or of a subtree of one.
#[derive(Clone)]
pub(crate) struct Blake3(blake3::Hasher);

impl Blake3 {
    pub(crate) fn new() -> Self {
        Self(blake3::Hasher::new())
    }

    /// Computes the digest of `data`.
    pub(crate) fn digest_into(data: &[u8], out: &mut [u8; 32]) {
        *out = blake3::hash(data).into();
    }

    /// Begins a subtree at `offset` of a message, a multiple of the subtree's length (BLAKE3 paper, section 2.1).
    pub(crate) fn at(offset: u64) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.set_input_offset(offset);
        Self(hasher)
    }

    /// Whether no byte was hashed yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.count() == 0
    }

    pub(crate) fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    /// The digest of a message; not for subtrees.
    pub(crate) fn finish(&self) -> [u8; 32] {
        self.0.finalize().into()
    }

    /// Writes a digest of any length to `out`; not for subtrees.
    pub(crate) fn finish_into(&self, out: &mut [u8]) {
        self.0.finalize_xof().fill(out);
    }

    /// The chaining value of a subtree that is not the whole message.
    pub(crate) fn chaining_value(&self) -> [u8; 32] {
        self.0.finalize_non_root()
    }

    /// The chaining value of the parent of two nodes.
    pub(crate) fn merge(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
        merge_subtrees_non_root(left, right, Mode::Hash)
    }

    /// Writes a digest of any length to `out`: of the message whose root has these two children.
    pub(crate) fn merge_root_into(left: &[u8; 32], right: &[u8; 32], out: &mut [u8]) {
        merge_subtrees_root_xof(left, right, Mode::Hash).fill(out);
    }
}

/// Computes scrypt (RFC 7914); N is 2^`log_n`.
///
/// # Panics
/// When the costs are outside scrypt's own bounds.
pub(crate) fn scrypt(password: &[u8], salt: &[u8], log_n: u8, r: u32, p: u32, out: &mut [u8]) {
    let params = ::scrypt::Params::new(log_n, r, p).expect("scrypt: costs are within its bounds");
    ::scrypt::scrypt(password, salt, &params, out).expect("scrypt: the output is within its bounds");
}

/// Computes bcrypt of a password of at most 72 bytes, including its final zero, with 2^`cost` rounds.
///
/// # Panics
/// If the password is empty or longer, or the cost is over 31.
pub(crate) fn bcrypt(cost: u8, salt: &[u8; 16], password: &[u8]) -> Zeroizing<[u8; 24]> {
    assert!(
        !password.is_empty() && password.len() <= 72 && cost < 32,
        "bcrypt: password and cost are within its bounds"
    );
    let mut state = blowfish::Blowfish::bc_init_state();
    state.salted_expand_key(salt, password);
    for _ in 0..1u32 << cost {
        state.bc_expand_key(password);
        state.bc_expand_key(salt);
    }
    let mut out = Zeroizing::new([0; 24]);
    for (block, text) in out.chunks_exact_mut(8).zip(b"OrpheanBeholderScryDoubt".chunks_exact(8)) {
        let word = |at: usize| u32::from_be_bytes(text[at..at + 4].try_into().expect("bcrypt: four bytes"));
        let mut words = [word(0), word(4)];
        for _ in 0..64 {
            words = state.bc_encrypt(words);
        }
        block.copy_from_slice(words.map(u32::to_be_bytes).as_flattened());
    }
    out
}

/// Computes `bcrypt_pbkdf`, the key derivation of OpenSSH.
///
/// # Panics
/// For an empty password or salt, and for 0 rounds.
#[cfg(feature = "sign")]
pub(crate) fn bcrypt_pbkdf(password: &[u8], salt: &[u8], rounds: u32, out: &mut [u8]) {
    ::bcrypt_pbkdf::bcrypt_pbkdf(password, salt, rounds, out).expect("bcrypt: the inputs were checked");
}

macro_rules! expansions {
    ($($(#[$doc:meta])* $name:ident = $size:ident, $len:literal;)+) => {$(
        $(#[$doc])*
        pub(crate) fn $name(seed: &[u8; 64]) -> Zeroizing<[u8; $len]> {
            let key = ml_kem::DecapsulationKey::<ml_kem::$size>::from_seed((*seed).into());
            // The library deprecates the expanded form for storing keys; here it is never stored.
            #[expect(deprecated, reason = "there is no other name for it")]
            let expanded = ml_kem::ExpandedKeyEncoding::to_expanded_bytes(&key);
            Zeroizing::new(expanded.into())
        }
    )+};
}

expansions! {
    /// Expands a seed of ML-KEM-512 to the decapsulation key (FIPS 203 algorithm 16).
    ml_kem_512_expand = MlKem512, 1632;
    /// Expands a seed of ML-KEM-768.
    ml_kem_768_expand = MlKem768, 2400;
    /// Expands a seed of ML-KEM-1024.
    ml_kem_1024_expand = MlKem1024, 3168;
}
