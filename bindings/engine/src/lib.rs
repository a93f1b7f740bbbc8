//! The code that every binding of Sealstone shares: objects by number, jobs, threads, batches, and which work belongs together.
//!
//! A binding converts bytes, errors and threads of its language, and calls these functions. Long work is [`Work`], which
//! runs on threads that stay or on threads of the call (`docs/design/engine.md`). The engine names no language, and takes
//! the lengths of the format from core.

pub mod aead;
pub mod age;
#[cfg(not(target_family = "wasm"))]
pub mod archives;
pub mod batch;
pub mod calls;
pub mod delivery;
pub mod deriving;
pub mod exchange;
pub mod files;
pub mod forms;
pub mod hashing;
pub mod hazmat;
pub mod kdf;
pub mod keys;
pub mod loading;
pub mod mac;
pub mod memory;
pub mod messages;
pub mod numbers;
pub mod parts;
pub mod password;
pub mod records;
pub mod rsa;
pub mod sign;
pub mod signature;
pub mod sm2;
#[cfg(not(target_family = "wasm"))]
pub mod streams;
pub mod stretching;
pub mod text;
pub mod yuants;

mod failure;
mod handles;
mod job;
mod loan;
mod lock;
mod pool;
mod process;
mod work;

pub use delivery::{DeliveredText, Delivery, Undelivered};
pub use failure::{Failure, caught, guarded, guarded_of_users, misused};
pub use handles::{Handles, NoObject, Object, Owner};
pub use hashing::Hashing;
pub use job::{Job, Wanted};
pub use loading::Loading;
pub use loan::{Lender, Loan};
pub use work::Work;
