//! Giving files to others, for every format whose heads can be written anew.

use super::armour::Label;
use super::delivery::Delivery;
use super::{Configured, Prepared, Summary};
use crate::error::Result;
use crate::pipeline::{Destination, Input, Output, Piece, Transform};

/// Writes heads anew, for other recipients.
pub(crate) trait Rewrap: Configured {
    /// Refuses recipients that no rewrapped file can have.
    fn check_recipients(&self) -> Result<()>;

    /// The armour that a file comes in and goes out with.
    fn armour(&self, input: &mut Input<'_>) -> Result<Option<Label>>;

    /// Calls `work` with the file: the input itself, or the bytes that its armour holds.
    fn dearmoured<T>(&self, input: &mut Input<'_>, work: impl FnOnce(&mut Input<'_>) -> Result<T>) -> Result<T>;

    /// The new head, and where the payload begins in the old file.
    fn new_head(&self, input: &mut Input<'_>) -> Result<(Vec<u8>, usize)>;

    /// Bytes of plaintext in a payload of this length; a cut file is not passed on as if it were whole.
    fn plaintext_len(&self, payload_len: u64) -> Result<u64>;
}

/// Rewraps up to where the output would appear. The payload is copied, and none of it is authenticated.
pub(crate) fn rewrap<'o>(rewrapper: &impl Rewrap, mut input: Input<'_>, output: Output<'o>) -> Result<Prepared<'o>> {
    output.check(&input)?;
    rewrapper.check_recipients()?;
    let armour = rewrapper.armour(&mut input)?;
    let run = |input: &mut Input<'_>| -> Result<(Destination<'o>, Summary)> {
        let (head, at) = rewrapper.new_head(input)?;
        let len = input.len().map(|len| len - at as u64);
        len.map(|len| rewrapper.plaintext_len(len)).transpose()?;
        let delivery = Delivery { head: &head, transform: Copied, len, armour };
        let (destination, copied) = delivery.run(input, at, output, rewrapper.settings())?;
        let plaintext = rewrapper.plaintext_len(copied)?;
        Ok((destination, Summary { plaintext, ciphertext: copied + head.len() as u64 }))
    };
    let done = rewrapper.dearmoured(&mut input, run);
    input.finish_with(done).map(Prepared::new)
}

/// Pieces stay what they are.
struct Copied;

impl Copied {
    const LEN: usize = 16_384;
}

impl Transform for Copied {
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
