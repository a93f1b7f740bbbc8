//! How a file comes out: a head, and behind it the pieces of an input, transformed.

use super::armour::{Armour, FILE};
use crate::error::{Error, Result};
use crate::pipeline::{
    Destination, Input, Meter, Output, Settings, Source, Span, Transform, run_ordered, run_positional,
};
use std::io::Write;

/// What goes to an output.
pub(super) struct Delivery<'a, T> {
    /// What stands before the pieces.
    pub(super) head: &'a [u8],
    pub(super) transform: T,
    /// Bytes that the pieces become, where that is known before.
    pub(super) len: Option<u64>,
    pub(super) armour: bool,
}

impl<T: Transform> Delivery<'_, T> {
    /// Delivers the pieces of an input from byte `at` on; returns how many bytes they became.
    pub(super) fn run<'o>(
        &self,
        input: &mut Input<'_>,
        at: usize,
        output: Output<'o>,
        settings: &Settings,
    ) -> Result<(Destination<'o>, u64)> {
        let Self { head, transform, len, armour } = self;
        let meter = Meter::new(settings, input.len().map(|len| len - at as u64));
        let total = len.map(|len| len + head.len() as u64);
        let mut destination = output.begin(if *armour { None } else { total })?;
        let of_region = || len.expect("delivery: a region has a length");
        let written = match (input.source(at), &mut destination) {
            (Source::Region(region), Destination::File(file)) if !armour => {
                file.write_head(head)?;
                run_positional(transform, &region, Some(file), &meter)?;
                of_region()
            }
            (Source::Region(region), Destination::Nothing) => {
                run_positional(transform, &region, None, &meter)?;
                of_region()
            }
            (source, destination) => destination.with_writer(|writer| {
                let mut reader = source.into_reader();
                let write = |error| Error::from_io("write", None, error);
                if *armour {
                    let mut armour = Armour::new(FILE, writer);
                    armour.write_all(head).map_err(write)?;
                    let written = run_ordered(transform, Span::ALL, &mut reader, &mut armour, &meter)?;
                    armour.finish().map_err(write)?;
                    Ok(written)
                } else {
                    writer.write_all(head).map_err(write)?;
                    run_ordered(transform, Span::ALL, &mut reader, writer, &meter)
                }
            })?,
        };
        Ok((destination, written))
    }
}
