//! Text encodings: Bech32 for keys.

use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Checksum, Hrp};
use zeroize::Zeroizing;

/// Bech32 (BIP 173) without its length limit, as age uses it: a hybrid recipient has 1,959 characters.
enum LongBech32 {}

impl Checksum for LongBech32 {
    type MidstateRepr = <Bech32 as Checksum>::MidstateRepr;
    type CorrectionField = <Bech32 as Checksum>::CorrectionField;
    const ROOT_GENERATOR: Self::CorrectionField = Bech32::ROOT_GENERATOR;
    const ROOT_EXPONENTS: core::ops::RangeInclusive<usize> = Bech32::ROOT_EXPONENTS;
    const CODE_LENGTH: usize = 4096;
    const CHECKSUM_LENGTH: usize = Bech32::CHECKSUM_LENGTH;
    const GENERATOR_SH: [Self::MidstateRepr; 5] = Bech32::GENERATOR_SH;
    const TARGET_RESIDUE: Self::MidstateRepr = Bech32::TARGET_RESIDUE;
}

/// Encodes `data` under `hrp`, in the case that `hrp` is written in.
pub(crate) fn encode_bech32(hrp: &str, data: &[u8]) -> Zeroizing<String> {
    let parsed = Hrp::parse(hrp).expect("encoding: our prefixes are valid");
    let upper = hrp.bytes().any(|b| b.is_ascii_uppercase());
    let encoded = if upper {
        bech32::encode_upper::<LongBech32>(parsed, data)
    } else {
        bech32::encode_lower::<LongBech32>(parsed, data)
    };
    Zeroizing::new(encoded.expect("encoding: our keys are short enough"))
}

/// Decodes `text`, which must be the one encoding of its bytes under `hrp`: the checksum, the case and the padding
/// are checked. `None` otherwise.
pub(crate) fn decode_bech32(hrp: &str, text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let checked = CheckedHrpstring::new::<LongBech32>(text).ok()?;
    let data: Zeroizing<Vec<u8>> = Zeroizing::new(checked.byte_iter().collect());
    // One comparison covers prefix, case and padding bits: nothing but the canonical text is accepted.
    (encode_bech32(hrp, &data).as_str() == text).then_some(data)
}
