//! Rewraps files for other recipients, in every format that allows a new head.

use super::delivery::Delivery;
use super::{Configured, Format, Prepared, Summary};
use crate::error::Result;
use crate::pipeline::{Destination, Input, Output, Piece, Transform};

/// Writes new heads for other recipients.
pub(crate) trait Rewrap: Configured {
    type Format: Format;

    /// Refuses recipients that no rewrapped file can have.
    fn check_recipients(&self) -> Result<()>;

    /// The new head, and the offset of the payload in the old file.
    fn new_head(&self, input: &mut Input<'_>) -> Result<(Vec<u8>, usize)>;

    /// Bytes of plaintext in a payload of this length. It fails for a file that is cut short, so that none is rewrapped.
    fn plaintext_len(&self, payload_len: u64) -> Result<u64>;
}

/// Rewraps without publishing the output. The payload is copied, not authenticated.
pub(crate) fn rewrap<'o, R: Rewrap>(rewrapper: &R, mut input: Input<'_>, output: Output<'o>) -> Result<Prepared<'o>> {
    output.check(&input)?;
    rewrapper.check_recipients()?;
    let is_armoured = R::Format::is_armoured(&mut input)?;
    let armour = R::Format::ARMOUR.filter(|_| is_armoured);
    let run = |input: &mut Input<'_>| -> Result<(Destination<'o>, Summary)> {
        let (head, at) = rewrapper.new_head(input)?;
        let len = input.len().map(|len| len - at as u64);
        len.map(|len| rewrapper.plaintext_len(len)).transpose()?;
        let delivery = Delivery { head: &head, transform: &Unchanged, len, armour };
        let (destination, copied) = delivery.run(input, at, output, rewrapper.settings())?;
        let plaintext = rewrapper.plaintext_len(copied)?;
        Ok((destination, Summary { plaintext, ciphertext: copied + head.len() as u64 }))
    };
    let done = R::Format::strip_armour(&mut input, true, run);
    input.finish_with(done).map(Prepared::new)
}

/// A transform that changes nothing.
struct Unchanged;

impl Unchanged {
    const LEN: usize = 16_384;
}

impl Transform for Unchanged {
    fn input_len(&self) -> usize {
        Self::LEN
    }

    fn output_len(&self) -> usize {
        Self::LEN
    }

    fn apply(&self, _: Piece, _: &mut [u8], len: usize) -> Result<usize> {
        Ok(len)
    }
}
