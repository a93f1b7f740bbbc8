//! Key exchange (GB/T 32918.3).

use super::{COORDINATE_LEN, PrivateKey, PublicKey};
use crate::error::{Error, Result};
use crate::hash::{SM3_LEN, Sm3};
use crate::mac;
use crate::provider::sm2::{Point, Scalar, curve};
use zeroize::Zeroizing;

/// The most bytes of a key that is exchanged.
pub const EXCHANGED_KEY_MAX_LEN: usize = 1 << 20;

/// The side of a user in a key exchange: user A of the standard initiates, and user B responds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// User A, who sends an ephemeral public key first.
    Initiator,
    /// User B, who answers with an own one.
    Responder,
}

/// The other side of a key exchange, as a user knows it.
#[derive(Debug, Clone, Copy)]
pub struct Peer<'a> {
    /// The user id.
    pub id: &'a [u8],
    /// The key that belongs to this user. The caller knows that it does: the exchange proves that the peer has it.
    pub key: &'a PublicKey,
    /// The key that the peer made for this exchange, as it was received.
    pub ephemeral: &'a PublicKey,
}

/// The result of a key exchange. Its key is zeroed on drop.
pub struct Exchanged {
    key: Zeroizing<Vec<u8>>,
    own: [u8; SM3_LEN],
    expected: [u8; SM3_LEN],
}

impl PrivateKey {
    /// Agrees with another user on a key of `len` bytes (GB/T 32918.3 section 6.1).
    ///
    /// Each user makes an ephemeral key for this exchange alone, by [`generate`](Self::generate), and sends its public key. `id` is the
    /// caller's user id.
    ///
    /// ```
    /// use sealstone::sm2::{DEFAULT_ID, Peer, PrivateKey, Role};
    ///
    /// let [alice, bob] = [PrivateKey::generate()?, PrivateKey::generate()?];
    /// let [of_alice, of_bob] = [PrivateKey::generate()?, PrivateKey::generate()?];
    /// let [alice_key, bob_key] = [alice.public_key(), bob.public_key()];
    ///
    /// // Alice sends of_alice.public_key(), and Bob answers with of_bob.public_key().
    /// let to_bob = Peer { id: b"bob@example.com", key: &bob_key, ephemeral: &of_bob.public_key() };
    /// let to_alice = Peer { id: b"alice@example.com", key: &alice_key, ephemeral: &of_alice.public_key() };
    /// let a = alice.exchange(Role::Initiator, b"alice@example.com", &of_alice, &to_bob, 16)?;
    /// let b = bob.exchange(Role::Responder, b"bob@example.com", &of_bob, &to_alice, 16)?;
    ///
    /// // Each shows the other that it has the key.
    /// assert_eq!(a.peer_confirmation(), b.confirmation());
    /// a.verify(b.confirmation())?;
    /// b.verify(a.confirmation())?;
    /// assert_eq!(a.key(), b.key());
    /// # Ok::<(), sealstone::Error>(())
    /// ```
    ///
    /// # Security
    /// Use an ephemeral key once, and drop it. Without [`Exchanged::verify`] a user does not know whether the peer has the key.
    ///
    /// # Errors
    /// [`Error::InvalidUserId`]; [`Error::TooLong`] over [`EXCHANGED_KEY_MAX_LEN`]; [`Error::InvalidKey`] if the peer's keys give the
    /// point at infinity; [`Error::UnavailableBackend`].
    pub fn exchange(&self, role: Role, id: &[u8], ephemeral: &Self, peer: &Peer<'_>, len: usize) -> Result<Exchanged> {
        const AT_INFINITY: Error = Error::InvalidKey("the exchange gives the point at infinity");
        if len > EXCHANGED_KEY_MAX_LEN {
            return Err(Error::TooLong);
        }
        let own = ephemeral.public_key();
        let users = [self.public_key().hash_user(id)?, peer.key.hash_user(peer.id)?];
        let curve = curve()?;
        // A4, A5: t = d + x1' r
        let t = Zeroizing::new(self.0.d.add(&Zeroizing::new(shortened(&own.0).multiply(&ephemeral.0.d))));
        // A6, A7: [t](P + [x2']R), of which the sum is public
        let multiple = curve.multiply(&peer.ephemeral.0, &shortened(&peer.ephemeral.0));
        let sum = curve.add(&peer.key.0, &multiple).ok_or(AT_INFINITY)?;
        if t.is_zero() {
            return Err(AT_INFINITY);
        }
        let shared = Zeroizing::new(Zeroizing::new(curve.multiply(&sum, &t)).to_coordinates());

        let (users, ephemerals) = match role {
            Role::Initiator => (users, [own, *peer.ephemeral]),
            Role::Responder => ([users[1], users[0]], [*peer.ephemeral, own]),
        };
        let mut begun = Sm3::new();
        begun.update(&shared[..]);
        begun.update(users.as_flattened());
        let mut key = Zeroizing::new(vec![0; len]);
        super::derive(&begun, &mut key);
        let [of_responder, of_initiator] = [2, 3].map(|mark| confirm(mark, &shared, &users, &ephemerals));
        let (own, expected) = match role {
            Role::Initiator => (of_initiator, of_responder),
            Role::Responder => (of_responder, of_initiator),
        };
        Ok(Exchanged { key, own, expected })
    }
}

impl Exchanged {
    /// The key, a secret.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The hash that shows the peer that this side has the key: the initiator's SA, or the responder's SB. It is no secret.
    #[must_use]
    pub fn confirmation(&self) -> &[u8; SM3_LEN] {
        &self.own
    }

    /// The hash that the peer shows when it has the key: the responder's SB, or the initiator's SA. For interfaces that compare it themselves;
    /// [`verify`](Self::verify) does that in constant time.
    ///
    /// # Security
    /// Do not send it: whoever sends it back has not shown to have the key.
    #[must_use]
    pub fn peer_confirmation(&self) -> &[u8; SM3_LEN] {
        &self.expected
    }

    /// Verifies the peer's hash, in constant time.
    ///
    /// # Errors
    /// [`Error::NotAuthentic`]: the peer has another key, or is someone else. Then do not use the key.
    pub fn verify(&self, confirmation: &[u8]) -> Result<()> {
        if mac::equal(&self.expected, confirmation) { Ok(()) } else { Err(Error::NotAuthentic { chunk: None }) }
    }
}

debug!(Exchanged(..));

/// 2^w + (x mod 2^w) with w = 127, of a point's x (steps A4 and A6).
fn shortened(point: &Point) -> Scalar {
    let half = COORDINATE_LEN / 2;
    let mut number = super::x_bytes(point);
    number[..half].fill(0);
    number[half] |= 0x80;
    Scalar::reduce(&number)
}

/// Hash(mark || y || Hash(x || ZA || ZB || x1 || y1 || x2 || y2)) (steps A9, A10, B8, B10).
fn confirm(
    mark: u8,
    shared: &[u8; Point::LEN],
    users: &[[u8; SM3_LEN]; 2],
    ephemerals: &[PublicKey; 2],
) -> [u8; SM3_LEN] {
    let (x, y) = shared.split_at(COORDINATE_LEN);
    let mut inner = Sm3::new();
    inner.update(x);
    inner.update(users.as_flattened());
    for ephemeral in ephemerals {
        inner.update(&ephemeral.0.to_coordinates());
    }
    let mut hash = Sm3::new();
    hash.update(&[mark]);
    hash.update(y);
    hash.update(&inner.finish());
    hash.finish()
}
