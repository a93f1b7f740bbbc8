//! The commands, one a file. None uses another: what several need is beside this folder.

mod decrypt;
mod encode;
mod encrypt;
mod hash;
mod hazmat;
mod inspect;
mod kdf;
mod key;
mod keygen;
mod keys;
mod mac;
mod manual;
mod message;
mod password;
mod random;
mod recipients;
mod rewrap;
mod sign;
mod sm2;
mod speed;
mod verify;
mod verify_sig;

use crate::args::{Command, Common, Speed};
use crate::failure::Failure;
use crate::terminal::Terminal;

pub(crate) fn run(command: &Command, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    match command {
        Command::Keygen(command) => keygen::run(command, common, terminal),
        Command::Recipients(command) => recipients::run(command, common, terminal),
        Command::Encrypt(command) => encrypt::run(command, common, terminal),
        Command::Decrypt(command) => decrypt::run(command, common, terminal),
        Command::Verify(command) => verify::run(command, common, terminal),
        Command::Rewrap(command) => rewrap::run(command, common, terminal),
        Command::Sign(command) => sign::run(command, common, terminal),
        Command::VerifySig(command) => verify_sig::run(command, common, terminal),
        Command::Message(command) => message::run(command, common, terminal),
        Command::Key(command) => key::run(command, common, terminal),
        Command::Names(command) => keys::run(command, common, terminal),
        Command::Inspect(command) => inspect::run(command, common, terminal),
        Command::Hash(command) => hash::run(command, common, terminal),
        Command::Mac(command) => mac::run(command, common, terminal),
        Command::Kdf(command) => kdf::run(command, common, terminal),
        Command::Password(command) => password::run(command, common, terminal),
        Command::Random(command) => random::run(command, common, terminal),
        Command::Encode(command) => encode::encode(&command.coded, common, terminal),
        Command::Decode(command) => encode::decode(&command.coded, common, terminal),
        Command::Sm2(command) => sm2::run(command, common, terminal),
        Command::Hazmat(command) => hazmat::run(command, common, terminal),
        Command::Speed(Speed { names }) => speed::run(names, common),
        Command::Completions(command) => manual::completions(command),
        Command::Man(command) => manual::pages(command),
    }
}
