//! Points of Ed25519, for both providers.

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use std::sync::LazyLock;

/// A point of edwards25519, for operations that no library of Ed25519 exports.
#[derive(Clone)]
pub(crate) struct Ed25519Point(EdwardsPoint);

impl Ed25519Point {
    /// Reads a point; `None` if it is not on the curve. Accepts encodings that are not canonical.
    pub(crate) fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        CompressedEdwardsY(*bytes).decompress().map(Self)
    }

    pub(crate) fn has_low_order(&self) -> bool {
        self.0.is_small_order()
    }

    /// The encodings of all points of low order, each in its canonical form.
    pub(crate) fn encodings_of_low_order() -> &'static [[u8; 32]; 8] {
        static POINTS: LazyLock<[[u8; 32]; 8]> =
            LazyLock::new(|| EIGHT_TORSION.map(|point| point.compress().to_bytes()));
        &POINTS
    }

    /// The same point on the curve of X25519.
    pub(crate) fn to_x25519(&self) -> [u8; 32] {
        self.0.to_montgomery().to_bytes()
    }

    /// Reduces a number modulo the group's order.
    pub(crate) fn reduce(number: [u8; 32]) -> [u8; 32] {
        Scalar::from_bytes_mod_order(number).to_bytes()
    }
}
