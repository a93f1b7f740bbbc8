//! Unauthenticated ciphers over inputs and outputs.

use crate::error::Result;
use crate::hazmat::cipher::Stream;
use crate::pipeline::{Input, Meter, Output, Sequence, Settings, run_in_sequence};

/// Runs an unauthenticated cipher from an input to an output. It reads and writes while it computes.
///
/// ```
/// use sealstone::hazmat::cipher::{Algorithm, Cipher, Padding};
/// use sealstone::{FileCipher, Input, Output};
///
/// let cipher = Cipher::new(Algorithm::Sm4Cbc, &[7; 16])?;
/// let mut ciphertext = Vec::new();
/// let message = FileCipher::new(cipher.encryptor(&[9; 16], Padding::Pkcs7)?);
/// let done = message.run(Input::reader(&b"attack at dawn"[..]), Output::writer(&mut ciphertext))?;
/// assert_eq!((done.read, done.written), (14, 16));
/// # Ok::<(), sealstone::Error>(())
/// ```
#[derive(Debug)]
pub struct FileCipher<'a> {
    stream: Stream<'a>,
    settings: Settings,
}

/// The bytes that a [`FileCipher`] has read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ciphered {
    /// Bytes of the input.
    pub read: u64,
    /// Bytes of the output.
    pub written: u64,
}

impl<'a> FileCipher<'a> {
    /// Continues a message that a cipher has begun.
    #[must_use]
    pub fn new(stream: Stream<'a>) -> Self {
        Self { stream, settings: Settings::default() }
    }

    /// Sets the threads. With 1, the calling thread also reads and writes; with more, two other threads do.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.threads = Some(threads);
        self
    }

    crate::pipeline::callback_methods!();

    /// Processes a whole input to an output, which appears under its name when it is complete.
    ///
    /// # Errors
    /// The errors of [`Stream::finish`]; [`Error::SameFile`](crate::Error::SameFile),
    /// [`Error::OutputExists`](crate::Error::OutputExists), [`Error::InputChanged`](crate::Error::InputChanged) and
    /// [`Error::Io`](crate::Error::Io) from files; [`Error::Cancelled`](crate::Error::Cancelled). After an error, an output
    /// file is unchanged, and a stream has received the bytes before the error.
    pub fn run(self, mut input: Input<'_>, output: Output<'_>) -> Result<Ciphered> {
        let Self { stream, settings } = self;
        output.check(&input)?;
        let meter = Meter::new(&settings, input.len());
        let mut destination = output.begin(None)?;
        let (read, written) = destination
            .with_writer(|writer| run_in_sequence(stream, &mut *input.source(0).into_reader(), writer, &meter))?;
        input.finish()?;
        destination.commit()?;
        Ok(Ciphered { read, written })
    }
}

impl Sequence for Stream<'_> {
    fn update(&mut self, input: &[u8], output: &mut Vec<u8>) {
        self.update(input, output);
    }

    fn finish(self, output: &mut Vec<u8>) -> Result<()> {
        self.finish(output)
    }
}
