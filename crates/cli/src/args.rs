//! The command line's grammar.

use crate::failure::Failure;
use crate::format::{Format, OF_NKCS_ALONE, OF_NKCT_ALONE, SignatureFormat};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use sealstone::aead;
use sealstone::encoding::Encoding;
use sealstone::exchange;
use sealstone::hash;
use sealstone::hazmat::cipher::{Algorithm, Padding};
use sealstone::interop::nkkb::Fingerprint;
use sealstone::kdf::Variant;
use sealstone::mac;
use sealstone::random;
use sealstone::sign;
use sealstone::sm2::Form;
use sealstone::{KeyForm, Kind, Passphrase, Profile, Suite, escape_name};
use std::ffi::{OsStr, OsString};
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::OnceLock;

/// Encrypts files and data to public keys: post-quantum by default, on all cores.
#[derive(Parser)]
#[command(name = "sealstone", version, arg_required_else_help = true, subcommand_required = true)]
#[command(after_help = "\
Examples:
  sealstone keygen
  sealstone recipients > me.pub
  sealstone encrypt -r me.pub film
  sealstone decrypt -o copy film.seal

Exit status: 0 done; 1 failure; 2 usage; 3 no identity matches, or an unknown signer; 4 damaged or not authentic; \
5 with several files or --recursive: some or all failed; 130 interrupted.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Keygen(Keygen),
    Recipients(Recipients),
    Encrypt(Encrypt),
    Decrypt(Decrypt),
    Verify(Verify),
    Rewrap(Rewrap),
    Sign(Sign),
    VerifySig(VerifySig),
    Message(Message),
    Key(Key),
    #[command(name = "keys")]
    Names(Names),
    Inspect(Inspect),
    Hash(Hash),
    Mac(Mac),
    Kdf(Kdf),
    Password(Password),
    Random(Random),
    Encode(Encode),
    Decode(Decode),
    Sm2(Sm2),
    Hazmat(Hazmat),
    Speed(Speed),
    Completions(Completions),
    Man(Man),
}

/// What every command understands.
#[derive(Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Number of threads; all cores by default
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Replace existing files; with --in-place, also a file that has other names (hard links)
    #[arg(long, global = true)]
    pub(crate) force: bool,
    /// Do not wait until the output is on the disk (faster, but a power cut may lose it)
    #[arg(long, global = true)]
    pub(crate) no_sync: bool,
    /// Print errors only
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print JSON, one object on each line; on stderr if stdout can carry data
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Read the passphrase from a file with one line
    #[arg(long, global = true, value_name = "FILE", group = "passphrase_source")]
    pub(crate) passphrase_file: Option<PathBuf>,
    /// Read the passphrase from an open file descriptor
    #[arg(long, global = true, value_name = "N", group = "passphrase_source")]
    pub(crate) passphrase_fd: Option<u16>,
    /// Run a program to get the passphrase: its argument is the prompt, and it prints one line
    #[arg(long, global = true, value_name = "PROGRAM", group = "passphrase_source")]
    pub(crate) askpass: Option<PathBuf>,
    /// Read the passphrase from this environment variable (your other processes may see it)
    #[arg(long, global = true, value_name = "NAME", group = "passphrase_source")]
    pub(crate) passphrase_env: Option<String>,
    /// What `--passphrase-fd` gave, which can be read once.
    #[arg(skip)]
    pub(crate) descriptor_said: OnceLock<Vec<Passphrase>>,
}

impl Paths {
    /// Files that are replaced under their own names.
    pub(crate) fn in_place(inputs: &[PathBuf], recursive: bool) -> Self {
        Self { recursive, in_place: true, preserve_mode: true, inputs: inputs.to_vec(), ..Self::default() }
    }
}

impl Common {
    /// How many threads may work.
    pub(crate) fn threads(&self) -> usize {
        let found = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.map_or_else(found, usize::from)
    }

    /// Whether a source of passphrases other than the terminal was named.
    pub(crate) fn has_passphrase_source(&self) -> bool {
        self.passphrase_file.is_some()
            || self.passphrase_fd.is_some()
            || self.askpass.is_some()
            || self.passphrase_env.is_some()
    }
}

/// Make a new key
#[derive(Args)]
#[command(after_help = "\
On a terminal, keygen writes ~/.config/sealstone/identity.txt, where decrypt and recipients look by default. It never replaces \
that file. If stdout is not a terminal, keygen prints the secret key there. -o FILE names another file. XDG_CONFIG_HOME, if set, replaces ~/.config. \
`sealstone recipients` prints the recipient, which others encrypt to.

A signing key is a separate key. --sign makes one: on a terminal, it becomes signing.pem in the same folder, where sign looks by default. \
`sealstone key public` prints its public key, which others use to verify.

Examples:
  sealstone keygen
  sealstone keygen -p
      protects the key with a passphrase
  sealstone keygen -o identity.txt
  sealstone keygen --kind key -o shared.key
      a symmetric key, for --key-file
  sealstone keygen --kind p256 -p -o key.pem
      writes encrypted PKCS#8, which OpenSSL reads
  sealstone keygen --sign -p -o release.pem
  sealstone keygen --kind ed25519 -o release.pem
      makes signatures that a stock ssh-keygen verifies")]
pub(crate) struct Keygen {
    /// hybrid (ML-KEM-768 and X25519, post-quantum; the default), x25519, p256, ml-kem-768, sm2 (the default with --profile gm) or key (symmetric);
    /// to sign: hybrid-sign (ML-DSA-65 and Ed25519, post-quantum; the default with --sign), ed25519, p256-sign, ml-dsa-65, hybrid44-sign or sm2-sign;
    /// only for nkCryptoTool and for applications: ml-kem-512, ml-kem-1024, ml-dsa-44 or ml-dsa-87
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    pub(crate) kind: Option<KeygenKind>,
    /// Make a signing key
    #[arg(long)]
    pub(crate) sign: bool,
    /// Another name for a kind: ecc (p256), pqc (ml-kem-768) or hybrid
    #[arg(long, value_name = "MODE", value_parser = modes(), conflicts_with_all = ["kind", "sign"])]
    pub(crate) mode: Option<Kind>,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Protect the file with a passphrase: PEM becomes encrypted PKCS#8, other forms a sealed file
    #[arg(short, long)]
    pub(crate) passphrase: bool,
    /// Write to FILE (mode 0600); - is stdout, even if it is a terminal
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// A kind of key, by what it is for.
#[derive(Clone, Copy)]
pub(crate) enum KeygenKind {
    Encrypts(Kind),
    /// For files of nkCryptoTool and for applications.
    Encapsulates(exchange::Kind),
    Signs(sign::Kind),
}

/// Print the recipients of identities
#[derive(Args)]
#[command(after_help = "Examples:\n  sealstone recipients > me.pub\n  sealstone recipients identity.txt")]
pub(crate) struct Recipients {
    #[command(flatten)]
    pub(crate) pinned: Pinned,
    /// Identity files (default: ~/.config/sealstone/identity.txt), or key bundles; - is stdin
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// Whose key bundles are taken.
#[derive(Args)]
pub(crate) struct Pinned {
    /// Accept the nkCryptoTool key bundle (NKKB) of the owner with this fingerprint, which the owner told you; may be
    /// repeated
    #[arg(long, value_name = "HEX")]
    pub(crate) fingerprint: Vec<Fingerprint>,
}

/// What an organisation allows.
#[derive(Args)]
pub(crate) struct Allowed {
    /// Refuse everything outside a profile: fips (p256 and ml-kem-768 keys, aes-256-gcm; p256-sign and ml-dsa-65 to sign) or
    /// gm (SM2, SM3 and SM4 only)
    #[arg(long, value_name = "PROFILE", value_parser = one_of::<Profile>(&["fips", "gm"]))]
    pub(crate) profile: Option<Profile>,
}

/// Which files a command reads and writes.
#[derive(Args, Default)]
pub(crate) struct Paths {
    /// Write to a file, to a folder that exists or ends in / (it is created), or to stdout (-, even if it is a terminal). By
    /// default, each output goes beside its input, and the output of stdin to stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Process all regular files in folders. Names, sizes and folders stay readable; empty folders and symbolic links are
    /// skipped
    #[arg(long)]
    pub(crate) recursive: bool,
    /// Replace each file with the result
    #[arg(long, conflicts_with = "output")]
    pub(crate) in_place: bool,
    /// Give the output the permission bits of the input; without this, only you can read the plaintext
    #[arg(long)]
    pub(crate) preserve_mode: bool,
    #[command(flatten)]
    pub(crate) existing: Existing,
    /// Inputs; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
}

/// What becomes of outputs that exist.
#[derive(Args, Clone, Copy, Default)]
pub(crate) struct Existing {
    /// Skip each input whose output exists and can be its result (explained below)
    #[arg(long)]
    pub(crate) skip_existing: bool,
    /// Skip each input whose output can be its result and is newer; replace the other outputs (explained below)
    #[arg(long, conflicts_with = "skip_existing")]
    pub(crate) newer: bool,
}

impl Existing {
    /// The option that was given.
    pub(crate) fn option(self) -> Option<&'static str> {
        match (self.skip_existing, self.newer) {
            (true, _) => Some("--skip-existing"),
            (_, true) => Some("--newer"),
            _ => None,
        }
    }
}

/// Encrypt files, or stdin
#[derive(Args)]
#[command(after_help = "\
Each file NAME becomes NAME.seal (NAME.age or NAME.nkct in those formats) beside it, or in the folder -o DIR/; stdin goes to stdout. --recursive skips files that \
are sealed already, and prints how many.

For a second run, --skip-existing and --newer look at each output that exists. An output can be the result if it is a complete file of the format and its content is as long as the input. Its recipients and its authenticity are not checked. --newer also compares modification times, and encrypts again if the output is older or cannot be the result. --skip-existing replaces nothing: an output that cannot be the result is an error.

Examples:
  sealstone encrypt -r age1pq1… film
  tar c photos | sealstone encrypt -R friends.txt > photos.tar.seal
  sealstone encrypt -p -o notes.seal notes.txt
  sealstone encrypt -r age1pq1… --recursive photos -o backup/
  sealstone encrypt -r age1pq1… --recursive photos -o backup/ --newer
      every night: encrypts new and changed files
  sealstone encrypt -r age1pq1… -o - film | ssh host 'cat > film.seal'
  sealstone encrypt --format age -r ~/.ssh/id_ed25519.pub film")]
pub(crate) struct Encrypt {
    /// Encrypt to a recipient (age1…, age1pq1…, or age1NAME1… of a plugin), to a name (@bob) or to the recipients in a file
    /// (age, PEM, DER, JWK); may be repeated
    #[arg(short, long, value_name = "RECIPIENT|FILE")]
    pub(crate) recipient: Vec<String>,
    /// Encrypt to the recipients in a file, one on each line or PEM; may be repeated
    #[arg(short = 'R', long, value_name = "FILE")]
    pub(crate) recipients_file: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) pinned: Pinned,
    /// Encrypt with a passphrase
    #[arg(short, long)]
    pub(crate) passphrase: bool,
    /// Encrypt with the symmetric key in a file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    #[command(flatten)]
    pub(crate) sealing: Sealing,
    #[command(flatten)]
    pub(crate) paths: Paths,
}

/// How files are encrypted.
#[derive(Args)]
pub(crate) struct Sealing {
    /// The format to write: sealstone (the default); age, for age and rage and for SSH keys; nkct, for nkCryptoTool: one
    /// recipient, with a p256 key, an ML-KEM key, or one of each, which are then both needed to decrypt
    #[arg(long, value_name = "FORMAT", default_value = "sealstone", hide_default_value = true, value_parser = one_of::<Format>(Format::NAMES))]
    pub(crate) format: Format,
    /// aes-256-gcm (the default); chacha20-poly1305, for machines without AES instructions; sm4-gcm (the default with sm2
    /// recipients)
    #[arg(long, value_name = "SUITE", value_parser = one_of::<Suite>(&["aes-256-gcm", "chacha20-poly1305", "sm4-gcm"]))]
    pub(crate) suite: Option<Suite>,
    /// Bind the file to a text, which is not stored and must be given again to decrypt
    #[arg(long, value_name = "TEXT")]
    pub(crate) context: Option<String>,
    /// Allow post-quantum and classical recipients together; the file is then only as strong as the weakest
    #[arg(long)]
    pub(crate) allow_mixed: bool,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Write text (ASCII armour)
    #[arg(short, long, alias = "armour")]
    pub(crate) armor: bool,
}

/// How files are given to other recipients.
#[derive(Args)]
pub(crate) struct Rewrapping {
    /// Remove all recipients that the file has
    #[arg(long)]
    pub(crate) replace: bool,
    /// Allow post-quantum and classical recipients together; the file is then only as strong as the weakest
    #[arg(long)]
    pub(crate) allow_mixed: bool,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
}

/// What opens a file.
#[derive(Args)]
pub(crate) struct With {
    /// Decrypt with the identities in a file (default: ~/.config/sealstone/identity.txt), also those of age plugins
    /// (AGE-PLUGIN-NAME-1…). For age files, this can be an SSH private key; for nkCryptoTool files, one of its private keys;
    /// may be repeated
    #[arg(short, long, value_name = "IDENTITY")]
    pub(crate) identity: Vec<PathBuf>,
    /// Decrypt with a passphrase; on a terminal Sealstone asks for it whenever a file needs one
    #[arg(short, long)]
    pub(crate) passphrase: bool,
    /// Decrypt with the symmetric key in a file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Vec<PathBuf>,
    /// The text that the file was bound to
    #[arg(long, value_name = "TEXT")]
    pub(crate) context: Option<String>,
    /// The highest scrypt work factor (log2 of N) that an age file with a passphrase may have; the default is 20, which
    /// takes 1 GiB
    #[arg(long, value_name = "1-22", value_parser = clap::value_parser!(u8).range(1..=22))]
    pub(crate) scrypt_max: Option<u8>,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
}

/// Plugins of age, programs `age-plugin-NAME` in the folders of PATH.
#[derive(Args, Clone)]
pub(crate) struct Plugins {
    /// Use an age plugin that needs no identity file (age-plugin-NAME in PATH); may be repeated
    #[arg(short = 'j', long, value_name = "NAME")]
    pub(crate) plugin: Vec<String>,
    /// Stop a plugin that is silent for this long, for example while it waits for a touch
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) plugin_timeout: u32,
}

/// Decrypt files, or stdin
#[derive(Args)]
#[command(after_help = "\
Each file NAME.seal, NAME.age or NAME.nkct becomes NAME beside it, or in the folder -o DIR/. There, sealed files with other names keep their names. stdin goes to stdout. \
If stdout is not a terminal, a single file needs -o; -o - writes to stdout.
An output file appears when all of it is authentic, or not at all. A pipe receives authentic parts only: check the exit \
status before you use them, or give --verify-first. --range authenticates only the parts that it reads.

For a second run, --skip-existing and --newer look at each output that exists. An output can be the result if it is as long as the content of the input; nothing else is compared. --newer also compares modification times, and decrypts again if the output is older. An output that cannot be the result may have been changed since: it is an error, unless it is older and --newer is given, which replaces it.

Examples:
  sealstone decrypt -i identity.txt film.seal
  sealstone decrypt -i identity.txt -o copy film.seal
  sealstone decrypt -o - photos.tar.seal | tar x
  sealstone decrypt --range 1000..2000 film.seal | xxd")]
pub(crate) struct Decrypt {
    #[command(flatten)]
    pub(crate) with: With,
    /// Decrypt only the plaintext bytes from A up to, but not including, B, or to the end; authenticate only the parts that
    /// hold them. B may be past the end. Armour is refused. Without -o, the bytes go to stdout
    #[arg(long, value_name = "A..[B]", value_parser = parse_range, conflicts_with_all = ["verify_first", "recursive", "in_place"])]
    pub(crate) range: Option<(u64, u64)>,
    /// Authenticate everything before writing the first byte (reads the file twice)
    #[arg(long)]
    pub(crate) verify_first: bool,
    #[command(flatten)]
    pub(crate) paths: Paths,
}

/// Authenticate whole files and write nothing
#[derive(Args)]
#[command(after_help = "\
verify needs a key that opens the files. A host without the key can check a signed list of digests: `sealstone hash --check --from`.

Examples:
  sealstone verify -i identity.txt film.seal
  sealstone verify --recursive backup")]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) with: With,
    /// Verify all files in folders that are sealed, or whose names end in .seal, .age or .nkct
    #[arg(long)]
    pub(crate) recursive: bool,
    /// Inputs; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
}

/// Give files to other recipients without decrypting them
#[derive(Args)]
#[command(after_help = "\
Each file is replaced when its new form is complete; the payload is copied without decrypting it. The named recipients are added; with \
--replace, they replace all others. One command adds a recipient only once. A file does not say who its recipients are, so the \
same command adds them again. Rewrapping cannot revoke access: whoever could open a file before can open every \
copy of its payload. Instead, decrypt the content and encrypt it again.

Examples:
  sealstone rewrap -r bob.pub film.seal
  sealstone rewrap -r me.pub --replace --recursive backup")]
pub(crate) struct Rewrap {
    /// Open with the identities in a file (default: ~/.config/sealstone/identity.txt); may be repeated
    #[arg(short, long, value_name = "IDENTITY")]
    pub(crate) identity: Vec<PathBuf>,
    /// Open with a passphrase; new recipients can only replace it (--replace)
    #[arg(short, long)]
    pub(crate) passphrase: bool,
    /// Open with the symmetric key in a file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) plugins: Plugins,
    /// Add a recipient (age1…, age1pq1…), a name (@bob) or the recipients in a file; may be repeated
    #[arg(short, long, value_name = "RECIPIENT|FILE")]
    pub(crate) recipient: Vec<String>,
    /// Add the recipients in a file, one on each line or PEM; may be repeated
    #[arg(short = 'R', long, value_name = "FILE")]
    pub(crate) recipients_file: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) pinned: Pinned,
    #[command(flatten)]
    pub(crate) rewrapping: Rewrapping,
    /// Process all sealed files in folders
    #[arg(long)]
    pub(crate) recursive: bool,
    /// Sealed files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
}

/// Sign files, or stdin, so that others can verify who signed them
#[derive(Args)]
#[command(after_help = "\
Each FILE gets a signature in the format of OpenSSH: FILE.sig beside it, or in the folder -o DIR/. The signature of stdin goes to stdout. With --attach, \
FILE.signed holds the content and then its signature. A file of any length is read once.

`sealstone keygen --sign` makes a key. ssh-keygen -Y verify accepts signatures without a comment, by keys of the kinds ed25519 and p256-sign, and from OpenSSH \
10.6 on hybrid44-sign. The name and the time of a file are not signed.

sign exits with 0 if every FILE was signed. It refuses an empty stdin, since the command before the pipe may have failed.

For a second run, --skip-existing and --newer look at each output that exists. An output can be the result if it is one complete signature; with --attach, if the signature comes after as many bytes as FILE has. The key of the signature and its validity are not checked. --newer also compares modification times, and signs again if the output is older or cannot be the result. --skip-existing replaces nothing: an output that cannot be the result is an error.

Examples:
  sealstone sign film.mkv
  sealstone sign -k release.pem *.tar.gz
  sealstone sign -k release.pem --newer *.tar.gz
  sealstone sign -k release.pem --comment 'release 7' film.mkv
  sealstone hash --tag *.tar.gz > SUMS && sealstone sign -k release.pem --attach SUMS
      signs many files at once, in SUMS.signed")]
pub(crate) struct Sign {
    /// The file with the signing key: PEM, DER or an OpenSSH private key (default: ~/.config/sealstone/signing.pem); - is
    /// stdin
    #[arg(short, long, value_name = "KEYFILE")]
    pub(crate) key: Option<PathBuf>,
    /// Write the content and its signature into one file
    #[arg(long)]
    pub(crate) attach: bool,
    /// The format to write: ssh (the default); nkcs, for nkCryptoTool, with p256-sign and ML-DSA keys
    #[arg(long, value_name = "FORMAT", default_value = "ssh", hide_default_value = true, value_parser = one_of::<SignatureFormat>(SignatureFormat::NAMES))]
    pub(crate) format: SignatureFormat,
    #[command(flatten)]
    pub(crate) purpose: Purpose,
    /// Sign a line of text, of up to 1,024 bytes, with the content; verify-sig shows it, and ssh-keygen refuses such a
    /// signature
    #[arg(long, value_name = "TEXT")]
    pub(crate) comment: Option<String>,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Write to a file, to a folder that exists or ends in / (it is created), or to stdout (-). By default, each output goes
    /// beside its input, and the output of stdin to stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) existing: Existing,
    /// The files to sign; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
}

/// What a signature is for.
#[derive(Args)]
pub(crate) struct Purpose {
    /// What the signature is for; a signature for another purpose is refused
    #[arg(long, value_name = "NAME", default_value = USUAL_NAMESPACE)]
    pub(crate) namespace: String,
}

/// That of signatures that are for no purpose of their own.
const USUAL_NAMESPACE: &str = "file";

impl Purpose {
    pub(crate) fn is_usual(&self) -> bool {
        self.namespace == USUAL_NAMESPACE
    }
}

/// Verify signatures of files, and say who signed
#[derive(Args)]
#[command(after_help = "\
Exit status: 0 one of the named keys signed every FILE; 1 a file or its signature is missing or cannot be read; \
2 the command line or a key is wrong; 3 another key signed FILE, or the key is not valid now; \
4 FILE or its signature was changed, or it is not a signature or is for another purpose; 5 some or all of several FILEs failed.

The signature is in FILE.sig, or in an argument after FILE that ends in .sig, or with --attached at the end of FILE. \
verify-sig reads signatures of `sealstone sign`, `ssh-keygen -Y sign` and nkCryptoTool (NKCS).

The key that a signature names proves nothing: get the signer's key from the signer.

Examples:
  sealstone verify-sig -k @alice film.mkv
  sealstone verify-sig -k release.pub film.mkv other.sig
  sealstone verify-sig -k release.pub *.tar.gz
  sealstone verify-sig --signers allowed_signers --principal alice@example.com film.mkv
  sealstone verify-sig -k release.pub --attached -o notes.txt notes.txt.signed")]
pub(crate) struct VerifySig {
    /// Trust a key: a name (@alice), the public keys in a file (PEM, DER, SSH lines), or an SSH line itself; may be repeated
    #[arg(short, long, value_name = "SIGNER|FILE")]
    pub(crate) key: Vec<String>,
    /// Trust the signers in a file of allowed signers (ALLOWED SIGNERS in `man ssh-keygen`)
    #[arg(long, value_name = "FILE")]
    pub(crate) signers: Option<PathBuf>,
    /// Of the allowed signers, trust only this one
    #[arg(long, value_name = "NAME", requires = "signers")]
    pub(crate) principal: Option<String>,
    #[command(flatten)]
    pub(crate) purpose: Purpose,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// The signature of a single FILE, under any name; - is stdin
    #[arg(long, value_name = "SIG", conflicts_with = "attached")]
    pub(crate) signature: Option<PathBuf>,
    /// The signature is at the end of FILE
    #[arg(long)]
    pub(crate) attached: bool,
    /// Also accept a signature without a header, as nkCryptoTool wrote it before 2026-04-10
    #[arg(long, conflicts_with = "attached")]
    pub(crate) allow_bare: bool,
    /// Once the signature is verified, write the content of a single FILE here, without the signature; - is stdout
    #[arg(short, long, value_name = "OUT", requires = "attached", conflicts_with = "signature")]
    pub(crate) output: Option<PathBuf>,
    /// The signed files, and signatures; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
}

/// Seal and open small texts, for terminals and mail
#[derive(Args)]
pub(crate) struct Message {
    #[command(subcommand)]
    pub(crate) action: MessageAction,
}

#[derive(Subcommand)]
pub(crate) enum MessageAction {
    Seal(MessageSeal),
    Open(MessageOpen),
}

/// Seal up to 16 MiB to one recipient
#[derive(Args)]
#[command(after_help = "\
The message is base64 text. Before base64 it is longer than its content by 50 bytes with an x25519 recipient, 83 with p256, \
1,106 with ml-kem-768 and 1,138 with hybrid.

Examples:
  echo 'meet at six' | sealstone message seal -r bob.pub
  sealstone message seal -r bob.pub --aad 'order 17' -o note.txt note")]
pub(crate) struct MessageSeal {
    /// The recipient (age1…, age1pq1…), a name (@bob), or a file with one
    #[arg(short, long, value_name = "RECIPIENT|FILE")]
    pub(crate) recipient: String,
    /// Bind the message to a text that is not stored in it and must be given again to open it
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) aad: String,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Write bytes instead of text
    #[arg(long)]
    pub(crate) binary: bool,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The file to seal; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
}

/// Open a message
#[derive(Args)]
#[command(after_help = "Example:\n  sealstone message open -i identity.txt < note.txt")]
pub(crate) struct MessageOpen {
    /// A file with one identity (default: ~/.config/sealstone/identity.txt)
    #[arg(short, long, value_name = "IDENTITY")]
    pub(crate) identity: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// The text that the message was bound to
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) aad: String,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The message; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
}

/// Look at keys, convert them, and change the passphrase of an identity file
#[derive(Args)]
pub(crate) struct Key {
    #[command(subcommand)]
    pub(crate) action: KeyAction,
}

#[derive(Subcommand)]
pub(crate) enum KeyAction {
    Inspect(KeyInspect),
    Fingerprint(KeyFingerprint),
    Public(KeyPublic),
    Passphrase(KeyPassphrase),
    Convert(KeyConvert),
    Bundle(KeyBundle),
}

/// Show the keys in a file: kinds, fingerprints and whether they are secret; never the secrets
#[derive(Args)]
#[command(after_help = "Example:\n  sealstone key inspect identity.txt")]
pub(crate) struct KeyInspect {
    #[command(flatten)]
    pub(crate) keys: KeyFiles,
}

/// Which keys a command shows.
#[derive(Args)]
pub(crate) struct KeyFiles {
    /// Treat P-256 and SM2 keys as signing keys: their form does not say what they are for
    #[arg(long)]
    pub(crate) sign: bool,
    /// Key files, secret or public, or names (@bob); - is stdin
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
}

/// Print fingerprints, to compare keys by eye or over the phone
#[derive(Args)]
#[command(after_help = "Example:\n  sealstone key fingerprint bob.pub")]
pub(crate) struct KeyFingerprint {
    #[command(flatten)]
    pub(crate) keys: KeyFiles,
}

/// Print public keys: recipients, and SSH lines for signing keys
#[derive(Args)]
#[command(after_help = "\
Examples:
  sealstone key public > signer.pub
  sealstone key public release.pem > release.pub
  sealstone key public --sign p256.pem")]
pub(crate) struct KeyPublic {
    /// Treat P-256 and SM2 keys as signing keys: their form does not say what they are for
    #[arg(long)]
    pub(crate) sign: bool,
    /// Key files, secret or public, or names (@bob) (default: ~/.config/sealstone/signing.pem); - is stdin
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// Write keys in another form: age strings, PEM, DER, JWK, hexadecimal digits, SSH, or PEM with an expanded key
#[derive(Args)]
#[command(after_help = "\
Which keys each form can hold:
  age       hybrid, x25519 and symmetric keys
  pem, der  p256, ML-KEM, sm2, x25519 and all signing keys
  jwk       p256 and x25519 keys; public keys of ed25519, p256-sign and ML-DSA
  hex       sm2 keys
  ssh       public keys of all signing kinds; private keys of ed25519, p256-sign and hybrid44-sign
  expanded  private keys of ML-KEM and ML-DSA: the seed and the key that it expands to, for nkCryptoTool's Rust edition

Sealstone asks for the passphrase of the file. The result has no passphrase unless -p is given.

Examples:
  sealstone key convert --to jwk --public key.pem
  sealstone key convert --to pem -p -o key.pem key.der
  sealstone key convert --to ssh -o id_release release.pem")]
pub(crate) struct KeyConvert {
    /// age, pem, der, jwk, hex, ssh or expanded
    #[arg(long, value_name = "FORM", value_parser = forms())]
    pub(crate) to: ToForm,
    /// Treat a P-256 or SM2 key as a signing key: its form does not say what it is for
    #[arg(long)]
    pub(crate) sign: bool,
    /// Write the public keys of identities
    #[arg(long)]
    pub(crate) public: bool,
    /// Protect the result with a passphrase
    #[arg(short, long, conflicts_with = "public")]
    pub(crate) passphrase: bool,
    /// Read the passphrase of the result from a file with one line
    #[arg(long, value_name = "FILE", conflicts_with = "public")]
    pub(crate) new_passphrase_file: Option<PathBuf>,
    /// Write to FILE (secrets: mode 0600) instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Identity file or recipient file; - is stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// A form that a key is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToForm {
    Key(KeyForm),
    /// A private key of OpenSSH, or a line with a public one.
    Ssh,
    /// PEM of a seed and what it expands to.
    Expanded,
}

impl std::fmt::Display for ToForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Key(form) => write!(f, "{form}"),
            Self::Ssh => f.write_str("ssh"),
            Self::Expanded => f.write_str("expanded"),
        }
    }
}

/// Protect an identity file or a signing key with a passphrase, or change or remove the passphrase
#[derive(Args)]
#[command(after_help = "\
The file is replaced when its new form is complete. Sealstone asks for the old passphrase first, or takes it from \
--passphrase-file or a similar option.

Examples:
  sealstone key passphrase identity.txt
  sealstone key passphrase --remove identity.txt")]
pub(crate) struct KeyPassphrase {
    /// Write the file without a passphrase
    #[arg(long)]
    pub(crate) remove: bool,
    /// Read the new passphrase from a file with one line
    #[arg(long, value_name = "FILE", conflicts_with = "remove")]
    pub(crate) new_passphrase_file: Option<PathBuf>,
    /// The identity file, or the file with a signing key
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

/// Make an nkCryptoTool key bundle: public keys under the name of their owner, signed by the owner
#[derive(Args)]
#[command(after_help = "\
Those who encrypt to you with nkCryptoTool need the bundle and its fingerprint, which this command prints. Tell them the fingerprint \
yourself, over another channel, since anyone can make a bundle in your name. With an ML-KEM key and a P-256 key, their files are hybrid. \
When a key expires or is lost, make a new bundle.

Examples:
  sealstone keygen --kind ml-dsa-65 -o owner.pem
  sealstone keygen --kind ml-kem-768 -o pqc.pem
  sealstone keygen --kind p256 -o ecc.pem
  sealstone key bundle -k owner.pem --handle alice --days 365 -o alice.nkkb pqc.pem ecc.pem")]
pub(crate) struct KeyBundle {
    /// The file with the owner's ml-dsa-65 key, of Sealstone or nkCryptoTool; - is stdin
    #[arg(short, long, value_name = "KEYFILE")]
    pub(crate) key: PathBuf,
    /// The name of the owner, which the bundle shows
    #[arg(long, value_name = "NAME")]
    pub(crate) handle: String,
    /// Let the keys expire after N days; without this, they do not expire
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(crate) days: Option<u32>,
    /// Write to FILE instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Files with p256, ml-kem-512, ml-kem-768 and ml-kem-1024 keys, secret or public, or names (@me); - is stdin
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
}

/// Keep recipients and signers under names: encrypt -r @bob, verify-sig -k @bob
#[derive(Args)]
pub(crate) struct Names {
    #[command(subcommand)]
    pub(crate) action: NamesAction,
}

#[derive(Subcommand)]
pub(crate) enum NamesAction {
    Add(NamesAdd),
    List(NamesList),
    Remove(NamesRemove),
}

/// Keep a recipient or a signer under a name, with its fingerprint
#[derive(Args)]
#[command(after_help = "\
A name can have one recipient and one signer. Only --force replaces them by other keys. Compare the printed fingerprint \
with the one that Bob reads to you.

Examples:
  sealstone keys add bob bob.pub
  sealstone keys add --sign bob bob-signs.pem
  sealstone keys add bob age1pq1… --fingerprint SHA256:…")]
pub(crate) struct NamesAdd {
    /// 1 to 64 letters, digits, dots, underscores and hyphens, beginning with a letter or digit
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The recipient (age1…, age1pq1…), the SSH line of a signer, or a file with one key
    #[arg(value_name = "RECIPIENT|FILE")]
    pub(crate) key: String,
    /// The key is a signing key; needed only for P-256 and SM2, whose forms do not say so
    #[arg(long)]
    pub(crate) sign: bool,
    /// Refuse a key with any other fingerprint; digits in groups and the fingerprint of ssh-keygen -l work, too
    #[arg(long, value_name = "FINGERPRINT")]
    pub(crate) fingerprint: Option<String>,
}

/// Show all names with their kinds and fingerprints
#[derive(Args)]
pub(crate) struct NamesList {}

/// Forget a name and its keys
#[derive(Args)]
pub(crate) struct NamesRemove {
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

/// Show what anyone can see of a file: suite, kinds of recipients, sizes
#[derive(Args)]
#[command(
    after_help = "This needs no key, and nothing it shows is authenticated.\n\nExample:\n  sealstone inspect film.seal"
)]
pub(crate) struct Inspect {
    /// The file; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// Print digests of files, as sha256sum does, or check files against such lines
#[derive(Args)]
#[command(after_help = "\
--check reads the output of this command, sha256sum and its relatives, cksum, b3sum and openssl dgst. --check and --verify exit with 4 \
if a digest differs, and otherwise with 1 if a file cannot be read.

Anyone who can change both the files and the list can make them match, unless the list is signed. --from and --signers verify the \
signature of the list first. If that fails, they check no file and exit as `sealstone verify-sig` does.

Examples:
  sealstone hash film.mkv
  sealstone hash --verify ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad film.mkv
  sealstone hash --algorithm sm3 --recursive photos > photos.sm3
  sealstone hash --algorithm sm3 --check photos.sm3
  sealstone hash --tag *.tar.gz > SUMS && sealstone sign --attach SUMS
  sealstone hash --check --from @alice SUMS.signed

md5 and sha1 are for old lists: anyone can make two files with the same digest.")]
pub(crate) struct Hash {
    /// The hash function (default: sha256, or the one that a line of --check or the digest of --verify names)
    #[arg(short, long, value_name = "ALGORITHM", value_parser = DigestNames)]
    pub(crate) algorithm: Option<hash::Algorithm>,
    /// Length of the digests in bytes, for shake128, shake256 and blake3
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) length: Option<u32>,
    /// Read lists of digests and names, and check the files that they name
    #[arg(short, long, conflicts_with_all = ["tag", "recursive", "length"])]
    pub(crate) check: bool,
    /// Check one file against these digits, for example from a web page; sha256:DIGITS names the hash function
    #[arg(long, value_name = "DIGITS", conflicts_with_all = ["check", "tag", "recursive", "length"])]
    pub(crate) verify: Option<String>,
    /// With --check, require that this key signed each list with `sealstone sign --attach`: a name (@alice), the public keys
    /// in a file, or an SSH line; may be repeated
    #[arg(long, value_name = "SIGNER|FILE", requires = "check", conflicts_with = "verify")]
    pub(crate) from: Vec<String>,
    /// With --check, the same for the signers in a file of allowed signers (ALLOWED SIGNERS in `man ssh-keygen`)
    #[arg(long, value_name = "FILE", requires = "check")]
    pub(crate) signers: Option<PathBuf>,
    /// Of the allowed signers, trust only this one
    #[arg(long, value_name = "NAME", requires = "signers")]
    pub(crate) principal: Option<String>,
    /// With --check, fail if a line cannot be parsed, instead of warning
    #[arg(long, requires = "check", conflicts_with = "verify")]
    pub(crate) strict: bool,
    /// Write lines that name the algorithm: SHA256 (film.mkv) = …
    #[arg(long)]
    pub(crate) tag: bool,
    /// Hash all files in folders; symbolic links inside are skipped
    #[arg(long)]
    pub(crate) recursive: bool,
    /// Files; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
}

/// Print tags of files under a key (HMAC, CMAC, KMAC or a keyed BLAKE), or check one
#[derive(Args)]
#[command(after_help = "\
Whoever has the key can make tags and check them. A check exits with 0 if the tag matches, and with 4 if it does not. It compares \
in constant time: use it, and do not compare printed tags yourself.

The key file holds the key as hexadecimal digits and nothing else, or as bytes. With --key-text it holds one line of text, whose characters \
are the key, as with most webhooks.

Examples:
  (umask 077; openssl rand -hex 32 > key)
  sealstone mac -a hmac-sha256 --key-file key order.json > order.mac
  sealstone mac -a hmac-sha256 --key-file key --verify-file order.mac order.json
  sealstone mac -a hmac-sha256 --key-file secret --key-text --base64 < body")]
pub(crate) struct Mac {
    /// The message authentication code, such as hmac-sha256
    #[arg(short, long, value_name = "ALGORITHM", ignore_case = true, value_parser = mac_names())]
    pub(crate) algorithm: mac::Algorithm,
    /// A file with the key; - is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: PathBuf,
    /// The key is text: the characters of the file's one line
    #[arg(long)]
    pub(crate) key_text: bool,
    /// Check the tag in a file: one line of this command's output (with --base64 if it is base64), or the bytes of a tag
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verify_hex", "raw"])]
    pub(crate) verify_file: Option<PathBuf>,
    /// Check this tag, in hexadecimal digits
    #[arg(long, value_name = "HEX", conflicts_with_all = ["raw", "base64"])]
    pub(crate) verify_hex: Option<String>,
    /// With a check, accept a tag that is cut short, with at least 8 bytes
    #[arg(long)]
    pub(crate) truncated: bool,
    /// For kmac256, a text that separates this use of the key from others
    #[arg(long, value_name = "TEXT")]
    pub(crate) customization: Option<String>,
    /// For kmac256, the length of the tag in bytes, from 8 to 64
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u16).range(8..=64))]
    pub(crate) length: Option<u16>,
    #[command(flatten)]
    pub(crate) written: Written,
    /// Files; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
}

/// How bytes are printed.
#[derive(Args)]
pub(crate) struct Written {
    /// Print hexadecimal digits (the default)
    #[arg(long, conflicts_with_all = ["base64", "raw"])]
    pub(crate) hex: bool,
    /// Print base64
    #[arg(long, conflicts_with = "raw")]
    pub(crate) base64: bool,
    /// Print the bytes as they are, without a line end
    #[arg(long, conflicts_with = "json")]
    pub(crate) raw: bool,
}

/// Derive a key from a password or from a secret
#[derive(Args)]
#[command(after_help = "\
From a password: argon2id, argon2i, argon2d, scrypt and pbkdf2-HASH. Each password needs a salt of its own. Keep the salt: the same key needs the \
same salt. The password comes from the terminal, or from --passphrase-file, --passphrase-fd, --askpass or --passphrase-env, and is used as it \
is. A cost over 1 GiB, 16 passes or lanes, a block size of 8192, or 10,000,000 iterations is refused.

From a secret that nobody can guess, in --key-file: hkdf-HASH, concat-HASH (SP 800-56C in one step) and blake3, whose context is --info.

Examples:
  sealstone random --bytes 16 > salt
  sealstone kdf -a argon2id --salt-hex $(cat salt)
  sealstone kdf -a pbkdf2-sha256 --salt-hex $(cat salt) --passphrase-file p
  sealstone kdf -a hkdf-sha256 --key-file secret --info 'tokens' --length 64
  (umask 077; sealstone kdf -a blake3 --key-file secret --info 'my app, files' --for-files > key)
  sealstone encrypt --key-file key film")]
pub(crate) struct Kdf {
    /// argon2id, argon2i, argon2d, scrypt, pbkdf2-HASH, hkdf-HASH, concat-HASH or blake3
    #[arg(short, long, value_name = "ALGORITHM", value_parser = kdf_name)]
    pub(crate) algorithm: KdfName,
    /// The salt, in hexadecimal digits
    #[arg(long, value_name = "HEX")]
    pub(crate) salt_hex: Option<String>,
    /// A file with the secret: its bytes, or hexadecimal digits; - is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// The secret is text: the characters of the file's one line
    #[arg(long, requires = "key_file")]
    pub(crate) key_text: bool,
    /// What the key is for
    #[arg(long, value_name = "TEXT")]
    pub(crate) info: Option<String>,
    /// Length of the key in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(crate) length: u32,
    /// Print the key in the form that --key-file of encrypt and decrypt takes
    #[arg(long, conflicts_with = "Written")]
    pub(crate) for_files: bool,
    #[command(flatten)]
    pub(crate) cost: CostOptions,
    #[command(flatten)]
    pub(crate) written: Written,
}

/// What derives keys.
#[derive(Debug, Clone)]
pub(crate) enum KdfName {
    Cost(CostName),
    Hkdf(hash::Algorithm),
    Concat(hash::Algorithm),
    Blake3,
}

/// What has a cost.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CostName {
    Argon2(Variant),
    Scrypt,
    Pbkdf2(hash::Algorithm),
}

/// What a password costs.
#[derive(Args)]
pub(crate) struct CostOptions {
    /// Argon2: memory in KiB (default: 65536)
    #[arg(long, value_name = "KIB")]
    pub(crate) memory_kib: Option<u32>,
    /// Argon2: number of passes over the memory (default: 3)
    #[arg(long, value_name = "N")]
    pub(crate) passes: Option<u32>,
    /// Argon2: number of parallel lanes (default: 1)
    #[arg(long, value_name = "N")]
    pub(crate) lanes: Option<u32>,
    /// scrypt: log2 of N (default: 17)
    #[arg(long, value_name = "N")]
    pub(crate) log_n: Option<u8>,
    /// scrypt: block size, r (default: 8)
    #[arg(long = "block-size", value_name = "N")]
    pub(crate) r: Option<u32>,
    /// scrypt: parallelization, p (default: 1)
    #[arg(long = "parallel", value_name = "N")]
    pub(crate) p: Option<u32>,
    /// PBKDF2: number of iterations (default: 600000)
    #[arg(long, value_name = "N")]
    pub(crate) iterations: Option<u32>,
}

/// Hash passwords for servers to store, and check them at a login
#[derive(Args)]
pub(crate) struct Password {
    #[command(subcommand)]
    pub(crate) action: PasswordAction,
}

#[derive(Subcommand)]
pub(crate) enum PasswordAction {
    Hash(PasswordHash),
    Verify(PasswordVerify),
}

/// Print the hash to store for a password
#[derive(Args)]
#[command(after_help = "\
The password comes from the terminal, or from --passphrase-file, --passphrase-fd, --askpass or --passphrase-env.

Examples:
  sealstone password hash
  sealstone password hash --target-ms 250 --passphrase-file p > stored
  sealstone password hash -a scrypt --log-n 15")]
pub(crate) struct PasswordHash {
    /// argon2id, argon2i, argon2d, scrypt or pbkdf2-HASH
    #[arg(short, long, value_name = "ALGORITHM", default_value = "argon2id", value_parser = cost_name)]
    pub(crate) algorithm: CostName,
    /// Raise the cost until a hash takes about MS milliseconds on this machine
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) target_ms: Option<u32>,
    #[command(flatten)]
    pub(crate) cost: CostOptions,
}

/// Check a password against a stored hash
#[derive(Args)]
#[command(after_help = "\
verify reads PHC strings of Argon2, scrypt and PBKDF2, strings of passlib, and bcrypt hashes. It exits with 0 if the password matches, and with 4 if \
it does not. If the cost is over 1 GiB, 16 passes or lanes, a block size of 8192, 10,000,000 iterations or 2^16 rounds, it computes nothing \
and exits with 2.

Examples:
  sealstone password verify --stored stored
  sealstone password verify --stored stored --passphrase-file p")]
pub(crate) struct PasswordVerify {
    /// A file with the stored hash; - is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) stored: PathBuf,
}

/// Print random bytes, a UUID, a password, a passphrase or a key, from the system's generator
#[derive(Args)]
#[command(after_help = "\
Without an option, random prints 32 bytes as hexadecimal digits. The output is a secret. For a password or passphrase, random also says how many \
bits of entropy it has: on stderr, unless -q is given, or in --json.

Examples:
  sealstone random --bytes 16 --base64
  sealstone random --password --length 24
  sealstone random --words 6
  (umask 077; sealstone random --key aes-256-gcm > key)
  sealstone random --uuid 7")]
#[command(group = clap::ArgGroup::new("what"))]
pub(crate) struct Random {
    /// Print N random bytes (default: 32)
    #[arg(long, value_name = "N", group = "what", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    pub(crate) bytes: Option<u32>,
    /// Print a UUID: 4 is random, 7 begins with the time
    #[arg(long, value_name = "VERSION", group = "what", conflicts_with = "Written", value_parser = PossibleValuesParser::new(["4", "7"]).map(|version| if version == "7" { Uuid::V7 } else { Uuid::V4 }))]
    pub(crate) uuid: Option<Uuid>,
    /// Print a password
    #[arg(long, group = "what", conflicts_with = "Written")]
    pub(crate) password: bool,
    /// Length of the password in characters
    #[arg(long, value_name = "N", requires = "password", conflicts_with_all = OTHERS_THAN_PASSWORDS, default_value_t = random::PASSWORD_LEN as u32, value_parser = clap::value_parser!(u32).range(1..=random::TEXT_MAX_LEN as i64))]
    pub(crate) length: u32,
    /// The characters to draw the password from: at least two, and none of them twice
    #[arg(long, value_name = "CHARACTERS", requires = "password", conflicts_with_all = OTHERS_THAN_PASSWORDS, default_value = random::PASSWORD_ALPHABET)]
    pub(crate) alphabet: String,
    /// Print a passphrase of N words of the EFF's list, with hyphens between them; 6 words have 77 bits
    #[arg(long, value_name = "N", group = "what", conflicts_with = "Written", value_parser = clap::value_parser!(u32).range(1..=random::TEXT_MAX_LEN as i64))]
    pub(crate) words: Option<u32>,
    /// Print a key for an algorithm, such as aes-256-gcm or hmac-sha256
    #[arg(long, value_name = "ALGORITHM", group = "what")]
    pub(crate) key: Option<String>,
    #[command(flatten)]
    pub(crate) written: Written,
}

/// What `random` prints besides, which has no length and alphabet; the grammar forgets what an option requires where that is in conflict.
const OTHERS_THAN_PASSWORDS: [&str; 4] = ["bytes", "uuid", "words", "key"];

/// A version of UUIDs.
#[derive(Clone, Copy)]
pub(crate) enum Uuid {
    V4,
    V7,
}

/// Write data as text: hexadecimal digits, Base64, Base32 or Base58
#[derive(Args)]
#[command(after_help = "\
The text is one line with a line end. base58 takes up to 4,096 bytes, the others up to 64 MiB.

Examples:
  sealstone encode base64 picture.png
  sealstone random --raw --bytes 16 | sealstone encode base58")]
pub(crate) struct Encode {
    #[command(flatten)]
    pub(crate) coded: Coded,
}

/// Turn such text back into data, strictly
#[derive(Args)]
#[command(after_help = "\
decode accepts only the exact text of the data, with or without one line end after it: no spaces, no other line ends, no missing padding, \
no unused bits. Hexadecimal digits may be in either case.

Examples:
  sealstone decode base64 -o picture.png picture.txt
  printf 'c2VhbD8' | sealstone decode base64url")]
pub(crate) struct Decode {
    #[command(flatten)]
    pub(crate) coded: Coded,
}

/// An encoding, and what is read and written with it.
#[derive(Args)]
pub(crate) struct Coded {
    /// hex, base64, base64url (without padding), base32 or base58
    #[arg(value_name = "ENCODING", value_parser = one_of::<Encoding>(&["hex", "base64", "base64url", "base32", "base58"]))]
    pub(crate) encoding: Encoding,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The file to read; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
}

/// SM2 for other systems: signatures, and encryption of small data
#[derive(Args)]
pub(crate) struct Sm2 {
    #[command(subcommand)]
    pub(crate) action: Sm2Action,
}

#[derive(Subcommand)]
pub(crate) enum Sm2Action {
    Sign(Sm2Sign),
    Verify(Sm2Verify),
    Encrypt(Sm2Encrypt),
    Decrypt(Sm2Decrypt),
}

/// Sign a file, or stdin, with SM2 and SM3 (GB/T 32918.2)
#[derive(Args)]
#[command(after_help = "\
The signature is DER, as in OpenSSL, GmSSL and certificates; on a terminal it is printed as hexadecimal digits. \
--form raw --hex is what sm-crypto uses (before 0.4.0 with its option hash: true), and --id is its userId.

OpenSSL signs for the empty user id unless you give another: openssl dgst -sm3 -sign key.pem -sigopt distid:1234567812345678

Examples:
  sealstone sm2 sign -i key.pem -o contract.sig contract.pdf
  sealstone sm2 sign -i key.pem --id alice@example.com --form raw --hex contract.pdf")]
pub(crate) struct Sm2Sign {
    /// A file with one sm2 key (PEM, DER, digits; default: ~/.config/sealstone/identity.txt)
    #[arg(short, long, value_name = "IDENTITY")]
    pub(crate) identity: Option<PathBuf>,
    /// The user id of the signer
    #[arg(long, value_name = "TEXT", default_value = DEFAULT_ID)]
    pub(crate) id: String,
    /// der, or raw: r and s, 32 bytes each
    #[arg(long, value_name = "FORM", default_value = "der", value_parser = PossibleValuesParser::new(["der", "raw"]).map(|name| if name == "raw" { SignatureForm::Raw } else { SignatureForm::Der }))]
    pub(crate) form: SignatureForm,
    /// Write hexadecimal digits instead of bytes
    #[arg(long)]
    pub(crate) hex: bool,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The file to sign; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
}

/// How r and s of a signature stand together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignatureForm {
    Der,
    Raw,
}

/// Verify a signature of a file, or of stdin
#[derive(Args)]
#[command(after_help = "\
verify exits with 0 if this key and user id signed these bytes, and otherwise with 4.

Examples:
  sealstone sm2 verify -r @alice --signature contract.sig contract.pdf
  sealstone sm2 verify -r alice.pem --id alice@example.com --signature contract.sig < contract.pdf")]
pub(crate) struct Sm2Verify {
    /// The public key: 130 hexadecimal digits, a name (@alice), or a file with one key
    #[arg(short, long, value_name = "RECIPIENT|FILE")]
    pub(crate) recipient: String,
    /// A file with the signature: DER or r and s, as bytes or hexadecimal digits; - is stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) signature: PathBuf,
    /// The user id of the signer
    #[arg(long, value_name = "TEXT", default_value = DEFAULT_ID)]
    pub(crate) id: String,
    /// The signed file; - or none is stdin
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
}

/// Encrypt small data, 1 byte to 16 MiB, with SM2 alone (GB/T 32918.4)
#[derive(Args)]
#[command(after_help = "\
This is for protocols that use such ciphertexts. They do not prove who made them. Use `sealstone encrypt` for files; it \
takes the same keys.

c1c3c2 is the order of the standard, c1c2c3 the order of 2010, and der the form of OpenSSL and GmSSL. For sm-crypto use \
--hex --without-04. On a terminal the output is hexadecimal digits.

Examples:
  sealstone sm2 encrypt -r bob.pem --form der -o pin.sm2 pin
  printf 123456 | sealstone sm2 encrypt -r @bob --hex --without-04")]
pub(crate) struct Sm2Encrypt {
    /// The public key: 130 hexadecimal digits, a name (@bob), or a file with one key
    #[arg(short, long, value_name = "RECIPIENT|FILE")]
    pub(crate) recipient: String,
    #[command(flatten)]
    pub(crate) form: CiphertextForm,
    /// Write hexadecimal digits instead of bytes
    #[arg(long)]
    pub(crate) hex: bool,
    /// Leave out the byte 04 that a point begins with
    #[arg(long)]
    pub(crate) without_04: bool,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The file to encrypt; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
}

/// How the parts of a ciphertext stand together.
#[derive(Args)]
pub(crate) struct CiphertextForm {
    /// c1c3c2, c1c2c3 or der
    #[arg(long, value_name = "FORM", default_value = "c1c3c2", value_parser = one_of::<Form>(&["c1c3c2", "c1c2c3", "der"]))]
    pub(crate) form: Form,
}

/// Decrypt small data that was encrypted with SM2 alone
#[derive(Args)]
#[command(after_help = "\
Bytes and hexadecimal digits are both recognised, with or without the 04 before the point. A ciphertext that decrypts does \
not prove who made it.

Examples:
  sealstone sm2 decrypt -i key.pem --form der pin.sm2
  printf $ciphertext | sealstone sm2 decrypt -i key.pem")]
pub(crate) struct Sm2Decrypt {
    /// A file with one sm2 key (PEM, DER, digits; default: ~/.config/sealstone/identity.txt)
    #[arg(short, long, value_name = "IDENTITY")]
    pub(crate) identity: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: CiphertextForm,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The ciphertext; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
}

/// The core's, as text.
const DEFAULT_ID: &str = match std::str::from_utf8(sealstone::sm2::DEFAULT_ID) {
    Ok(id) => id,
    Err(_) => unreachable!(),
};

/// Unauthenticated ciphers, for data that already uses them
#[derive(Args)]
pub(crate) struct Hazmat {
    #[command(subcommand)]
    pub(crate) action: HazmatAction,
}

#[derive(Subcommand)]
pub(crate) enum HazmatAction {
    Cipher(HazmatCipher),
}

/// Encrypt or decrypt with SM4 or AES in a bare mode, as `openssl enc -K -iv` does
#[derive(Args)]
#[command(after_help = "\
Nothing detects changes to such data. ECB shows which blocks are equal. CTR and OFB reveal both plaintexts if an IV is used \
twice. Use `sealstone encrypt` for anything new.

sm4-xts follows GB/T 17964, sm4-xts-ieee IEEE 1619. Each run is one data unit, and the IV is its number.

Examples:
  (umask 077; openssl rand -hex 16 > key); iv=$(openssl rand -hex 16)
  sealstone hazmat cipher --algorithm sm4-cbc --key-file key --iv-hex $iv -o out in
  sealstone hazmat cipher --algorithm sm4-cbc --key-file key --iv-hex $iv -d < out > copy")]
pub(crate) struct HazmatCipher {
    /// The block cipher and its mode
    #[arg(short, long, value_name = "ALGORITHM", ignore_case = true, value_parser = cipher_names())]
    pub(crate) algorithm: String,
    /// A file with the key: its bytes, or hexadecimal digits; - is stdin
    #[arg(long, value_name = "FILE", required_unless_present = "key_hex", conflicts_with = "key_hex")]
    pub(crate) key_file: Option<PathBuf>,
    /// The key as hexadecimal digits; other processes can read it
    #[arg(long, value_name = "HEX")]
    pub(crate) key_hex: Option<String>,
    /// Accept a key on the command line
    #[arg(long)]
    pub(crate) insecure_key_on_command_line: bool,
    /// The IV as 32 hexadecimal digits: for CTR the first counter block, for XTS the number of the data unit
    #[arg(long, value_name = "HEX")]
    pub(crate) iv_hex: Option<String>,
    /// Decrypt
    #[arg(short, long)]
    pub(crate) decrypt: bool,
    /// The padding of ECB and CBC: pkcs7 (the default) or none
    #[arg(long, value_name = "PADDING", value_parser = PossibleValuesParser::new(["pkcs7", "none"]).map(|name| if name == "none" { Padding::None } else { Padding::Pkcs7 }))]
    pub(crate) padding: Option<Padding>,
    /// Write here instead of stdout
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The file to encrypt or decrypt; - or none is stdin
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
}

/// Measure how fast this machine is: ciphers, hashes and keys, on one thread
#[derive(Args)]
#[command(after_help = "\
speed takes some seconds, and shows which code this CPU uses. Other work on the machine changes the numbers.

Examples:
  sealstone speed
  sealstone speed aes-256-gcm sm4
  sealstone speed --json | jq '.results[] | {operation, bytes, seconds}'")]
pub(crate) struct Speed {
    /// Measure only operations whose names contain one of these, such as sm4, sign or kem/hybrid
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
}

/// Print a completion script for a shell
#[derive(Args)]
#[command(after_help = "\
Examples:
  sealstone completions bash > ~/.local/share/bash-completion/completions/sealstone
  sealstone completions zsh > ~/.zfunc/_sealstone
  sealstone completions fish > ~/.config/fish/completions/sealstone.fish")]
pub(crate) struct Completions {
    /// bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// Print a manual page, or write all of them
#[derive(Args)]
#[command(after_help = "\
Examples:
  sealstone man encrypt | man -l -
  sealstone man -o ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Write the pages of all commands to this folder
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "command")]
    pub(crate) output: Option<PathBuf>,
    /// The command, such as encrypt or key convert; without one, the page of sealstone itself
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// The options of all commands that a command has no use for, nor its own commands: it takes them, and its help leaves them out.
const UNUSED: &[(&str, &[&str])] = &[
    ("keygen", &["threads"]),
    ("recipients", &["threads", "force", "no_sync"]),
    ("verify", &["force", "no_sync"]),
    ("verify-sig", PASSPHRASES),
    ("message", &["threads"]),
    ("message seal", PASSPHRASES),
    ("key", &["threads"]),
    ("key inspect", OUTPUTS),
    ("key fingerprint", OUTPUTS),
    ("key public", OUTPUTS),
    ("keys", THREADS_AND_PASSPHRASES),
    ("keys list", OUTPUTS),
    ("keys remove", OUTPUTS),
    ("inspect", ALL_BUT_JSON),
    ("hash", ALL_BUT_THREADS_QUIET_AND_JSON),
    ("mac", ALL_BUT_QUIET_AND_JSON),
    ("kdf", &["threads", "force", "no_sync"]),
    ("password", &["threads", "force", "no_sync"]),
    ("random", ALL_BUT_QUIET_AND_JSON),
    ("encode", THREADS_AND_PASSPHRASES),
    ("decode", THREADS_AND_PASSPHRASES),
    ("sm2", &["threads"]),
    ("hazmat", PASSPHRASES),
    ("speed", ALL_BUT_JSON),
    ("completions", ALL),
    ("man", ALL),
];

const ALL: &[&str] =
    &["threads", "force", "no_sync", "quiet", "json", "passphrase_file", "passphrase_fd", "askpass", "passphrase_env"];

/// Those about what is written.
const OUTPUTS: &[&str] = &["force", "no_sync"];

const THREADS_AND_PASSPHRASES: &[&str] = &["threads", "passphrase_file", "passphrase_fd", "askpass", "passphrase_env"];

const PASSPHRASES: &[&str] = &["passphrase_file", "passphrase_fd", "askpass", "passphrase_env"];

const ALL_BUT_THREADS_QUIET_AND_JSON: &[&str] =
    &["force", "no_sync", "passphrase_file", "passphrase_fd", "askpass", "passphrase_env"];

const ALL_BUT_QUIET_AND_JSON: &[&str] =
    &["threads", "force", "no_sync", "passphrase_file", "passphrase_fd", "askpass", "passphrase_env"];

const ALL_BUT_JSON: &[&str] =
    &["threads", "force", "no_sync", "quiet", "passphrase_file", "passphrase_fd", "askpass", "passphrase_env"];

pub(crate) fn grammar() -> clap::Command {
    let grammar = Arguments::command();
    let options: Vec<_> = grammar.get_arguments().cloned().collect();
    without_unused(grammar, "", &options)
}

/// Hides below a command which of the `options` are unused there. What a command has of its own is not handed down to it.
fn without_unused(command: clap::Command, path: &str, options: &[clap::Arg]) -> clap::Command {
    let unused = UNUSED.iter().filter(|(of, _)| *of == path).flat_map(|(_, unused)| *unused);
    let hidden = unused.flat_map(|id| options.iter().filter(move |option| option.get_id() == *id));
    let command = command.args(hidden.map(|option| option.clone().hide(true)));
    // Each of them, since a command that is changed becomes the last.
    let names: Vec<_> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    names.iter().fold(command, |command, name| {
        let path = if path.is_empty() { name.clone() } else { format!("{path} {name}") };
        command.mut_subcommand(name, |below| without_unused(below, &path, options))
    })
}

/// Adds what a command takes.
type Augment = fn(clap::Command) -> clap::Command;

/// Commands that scripts call for file after file: the grammar of all of them would take a tenth of such a process's time.
const OFTEN: &[(&str, Augment)] = &[
    ("encrypt", Encrypt::augment_args),
    ("decrypt", Decrypt::augment_args),
    ("verify", Verify::augment_args),
    ("hash", Hash::augment_args),
    ("sign", Sign::augment_args),
    ("verify-sig", VerifySig::augment_args),
];

/// Reads a command line that begins with one of those and has nothing wrong; of all others the whole grammar judges.
fn matches_of_one(arguments: impl IntoIterator<Item = OsString>) -> Option<clap::ArgMatches> {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let (name, augment) = OFTEN.iter().find(|(name, _)| arguments.get(1).is_some_and(|first| first == name))?;
    let grammar = Common::augment_args(clap::Command::new("sealstone"));
    grammar.subcommand(augment(clap::Command::new(*name))).try_get_matches_from(arguments).ok()
}

/// Reads the command line.
///
/// # Errors
/// A usage error, in the form of all errors. Help and version are printed, and end the process.
pub(crate) fn parse() -> Result<Arguments, Failure> {
    let backend = sealstone::backend()?;
    let of_one = matches_of_one(std::env::args_os());
    if let Some(arguments) = of_one.and_then(|matches| Arguments::from_arg_matches(&matches).ok()) {
        return Ok(arguments);
    }
    let version: &str = format!("{}\n{backend}", env!("CARGO_PKG_VERSION")).leak();
    let parsed = grammar().long_version(version).try_get_matches();
    parsed.and_then(|matches| Arguments::from_arg_matches(&matches)).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.exit()
        }
        _ => match named_without_option(&error).or_else(|| other_command(&error)).or_else(|| other_algorithm(&error)) {
            Some(hint) => usage(&error.render().to_string()).with_hint(hint),
            None => usage(&error.render().to_string()),
        },
    })
}

/// An argument too many, of a command that names its output with an option.
fn named_without_option(error: &clap::Error) -> Option<String> {
    let (ErrorKind::UnknownArgument, Some(ContextValue::String(argument))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    else {
        return None;
    };
    let command = command_of(error)?;
    if command.get_name() == "kdf" && !argument.starts_with('-') {
        return Some("name the algorithm with -a, as in -a hkdf-sha256".to_owned());
    }
    if command.get_name() == "random" && argument == "--passphrase" {
        return Some("use --words N for a passphrase, as in --words 6".to_owned());
    }
    if command.get_name() == "verify" && (argument.starts_with("-k") || argument.starts_with("--signature")) {
        return Some("`sealstone verify-sig -k SIGNER FILE` verifies signatures".to_owned());
    }
    if matches!(command.get_name(), "sign" | "verify-sig")
        && ["--detach-sign", "--clearsign", "--armor"].contains(&argument.as_str())
    {
        return Some(
            "a signature is text in a file of its own by default; --attach puts it after the content".to_owned(),
        );
    }
    if command.get_name() == "encrypt" && (argument.starts_with("-i") || argument.starts_with("--identity")) {
        return Some(
            "encrypt takes recipients (-r), not identities: sealstone recipients identity.txt > me.pub".to_owned(),
        );
    }
    let has_output = command.get_arguments().any(|option| option.get_id() == "output");
    let name = escape_name(Path::new(argument));
    (has_output && !argument.starts_with('-')).then(|| format!("name the output with -o: -o {name}"))
}

/// The command that an error is about.
fn command_of(error: &clap::Error) -> Option<clap::Command> {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    let usage = usage.to_string();
    let path = usage.split_whitespace().skip_while(|word| *word != "sealstone").skip(1);
    let mut command = grammar();
    for name in path {
        let Some(next) = command.find_subcommand(name) else { break };
        command = next.clone();
    }
    Some(command)
}

/// Commands that people look for under other names.
const OTHER_NAMES: &[(&str, &[&str], &str)] = &[
    ("sealstone", &["genkey", "gen", "generate", "key-gen", "keypair"], "keygen"),
    ("sealstone", &["seal", "enc", "lock"], "encrypt"),
    ("sealstone", &["open", "unseal", "dec", "unlock"], "decrypt"),
    ("message", &["decrypt", "read", "unseal"], "message open"),
    ("message", &["encrypt", "send", "write"], "message seal"),
    ("key", &["generate", "gen", "new", "create"], "keygen"),
    ("sealstone", &["verify-signature", "verifysig", "check-sig", "checksig"], "verify-sig"),
    ("sealstone", &["signature", "sign-file"], "sign"),
    ("key", &["show", "list", "ls"], "key inspect"),
    ("keys", &["generate", "gen", "new", "create"], "keygen"),
    ("keys", &["show", "ls", "inspect"], "keys list"),
    ("keys", &["delete", "rm"], "keys remove"),
    ("sealstone", &["rand", "uuid", "pwgen"], "random"),
];

/// The command that an unknown one stands for.
fn other_command(error: &clap::Error) -> Option<String> {
    let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(name))) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand))
    else {
        return None;
    };
    let command = command_of(error)?;
    let meant = OTHER_NAMES.iter().find(|(of, names, _)| *of == command.get_name() && names.contains(&name.as_str()));
    meant.map(|(_, _, meant)| format!("the command is `sealstone {meant}`"))
}

/// What people mean by a name that is none of those of `mac`, or of `hazmat cipher`.
fn other_algorithm(error: &clap::Error) -> Option<String> {
    let (Some(ContextValue::String(name)), Some(ContextValue::Strings(known))) =
        (error.get(ContextKind::InvalidValue), error.get(ContextKind::ValidValue))
    else {
        return None;
    };
    let (name, takes) = (name.to_ascii_lowercase(), |name: &str| known.iter().any(|known| known == name));
    if let Some(hash) = digest_name(&name)
        && takes(&format!("hmac-{hash}"))
    {
        return Some(format!("{hash} is a hash function without a key: its MAC is -a hmac-{hash}"));
    }
    let is_old = ["des", "3des", "tdes", "bf", "blowfish", "rc4", "rabbit"].iter().any(|old| name.starts_with(old));
    let hint = "the command line has no old ciphers: openssl enc -d -provider legacy -provider default reads them, \
                and programs have sealstone::hazmat::legacy";
    (is_old && takes(Algorithm::Aes256Cbc.name())).then(|| hint.to_owned())
}

/// Whether JSON was asked for on a command line that could not be read.
pub(crate) fn wants_json() -> bool {
    std::env::args_os().take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

/// The library's message as ours: what is wrong on one line, what to do as the hint.
fn usage(text: &str) -> Failure {
    let (message, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let message: Vec<_> = message.trim_start_matches("error: ").lines().map(str::trim).collect();
    let hint = rest.lines().map(str::trim).find_map(|line| line.strip_prefix("tip: "));
    // Its other tip, how to pass an option as a value, is never what was meant.
    let hint = hint.filter(|hint| !hint.starts_with("to pass "));
    // A key that was pasted where its option takes no dashes.
    let pasted = message.join(" ").contains("-----BEGIN ").then_some("put the key into a file, and name the file");
    let hint =
        pasted.or(hint).unwrap_or("`sealstone help` and `sealstone COMMAND --help` show what there is, with examples");
    Failure::usage_with_hint(escape_name(Path::new(&message.join(" "))), escape_name(Path::new(hint)))
}

/// A parser of names that the core knows; shells complete them, and errors list them.
fn one_of<T: FromStr<Err: Debug> + Clone + Send + Sync + 'static>(
    names: &'static [&'static str],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).map(|name| name.parse().expect("args: the core knows the names that are offered"))
}

/// The bare modes; AEADs are taken as well, to be refused with a reason.
fn cipher_names() -> impl TypedValueParser<Value = String> {
    let modes = Algorithm::ALL.iter().map(|algorithm| PossibleValue::new(algorithm.name()));
    let aeads = aead::Algorithm::ALL.map(|algorithm| PossibleValue::new(algorithm.name()).hide(true));
    PossibleValuesParser::new(modes.chain(aeads)).map(|name| name.to_ascii_lowercase())
}

fn mac_names() -> impl TypedValueParser<Value = mac::Algorithm> {
    let names = mac::Algorithm::ALL.iter().map(|algorithm| algorithm.name());
    PossibleValuesParser::new(names)
        .map(|name| name.to_ascii_lowercase().parse().expect("args: the core knows the names that are offered"))
}

fn kdf_name(text: &str) -> Result<KdfName, String> {
    let name = text.to_ascii_lowercase();
    let found = match name.as_str() {
        "blake3" => Some(KdfName::Blake3),
        _ => match (name.strip_prefix("hkdf-"), name.strip_prefix("concat-")) {
            (Some(hash), _) => hmac_hash(hash).map(KdfName::Hkdf),
            (_, Some(hash)) => hmac_hash(hash).map(KdfName::Concat),
            _ => cost_of(&name).map(KdfName::Cost),
        },
    };
    found.ok_or_else(|| {
        "expected argon2id, argon2i, argon2d, scrypt, pbkdf2-HASH, hkdf-HASH, concat-HASH or blake3, such as hkdf-sha256"
            .to_owned()
    })
}

fn cost_name(text: &str) -> Result<CostName, String> {
    let name = text.to_ascii_lowercase();
    cost_of(&name).ok_or_else(|| match name.as_str() {
        "bcrypt" => "bcrypt is only for `sealstone password verify`: use argon2id for new hashes".to_owned(),
        _ => "expected argon2id, argon2i, argon2d, scrypt or pbkdf2-HASH, such as pbkdf2-sha256".to_owned(),
    })
}

fn cost_of(name: &str) -> Option<CostName> {
    Some(match name {
        "argon2id" => CostName::Argon2(Variant::Id),
        "argon2i" => CostName::Argon2(Variant::I),
        "argon2d" => CostName::Argon2(Variant::D),
        "scrypt" => CostName::Scrypt,
        _ => CostName::Pbkdf2(hmac_hash(name.strip_prefix("pbkdf2-")?)?),
    })
}

/// A hash function that HMAC is over.
fn hmac_hash(name: &str) -> Option<hash::Algorithm> {
    name.parse().ok().filter(|hash| mac::Algorithm::ALL.iter().any(|mac| mac.hash() == Some(*hash)))
}

impl std::fmt::Display for CostName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Argon2(Variant::D) => f.write_str("argon2d"),
            Self::Argon2(Variant::I) => f.write_str("argon2i"),
            Self::Argon2(_) => f.write_str("argon2id"),
            Self::Scrypt => f.write_str("scrypt"),
            Self::Pbkdf2(hash) => write!(f, "pbkdf2-{hash}"),
        }
    }
}

impl std::fmt::Display for KdfName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cost(cost) => write!(f, "{cost}"),
            Self::Hkdf(hash) => write!(f, "hkdf-{hash}"),
            Self::Concat(hash) => write!(f, "concat-{hash}"),
            Self::Blake3 => f.write_str("blake3"),
        }
    }
}

/// A hash function by any of its names.
pub(crate) fn digest_name(text: &str) -> Option<hash::Algorithm> {
    let name = text.to_ascii_lowercase().replace('_', "-");
    let name = match name.as_str() {
        "md-5" => "md5",
        "sha-1" => "sha1",
        "rmd160" | "ripemd-160" => "ripemd160",
        "sha-224" | "sha2-224" => "sha224",
        "sha-256" | "sha2-256" => "sha256",
        "sha-384" | "sha2-384" => "sha384",
        "sha-512" | "sha2-512" => "sha512",
        "sha-512-256" | "sha-512/256" | "sha512/256" | "sha2-512/256" | "sha512256" => "sha512-256",
        "sha3224" | "sha-3-224" => "sha3-224",
        "sha3256" | "sha-3-256" => "sha3-256",
        "sha3384" | "sha-3-384" => "sha3-384",
        "sha3512" | "sha-3-512" => "sha3-512",
        "keccak224" => "keccak-224",
        "keccak256" => "keccak-256",
        "keccak384" => "keccak-384",
        "keccak512" => "keccak-512",
        "shake-128" => "shake128",
        "shake-256" => "shake256",
        "blake2b-512" | "blake2b512" => "blake2b",
        "blake2s-256" | "blake2s256" => "blake2s",
        "blake-3" | "blake3-256" => "blake3",
        "sm-3" => "sm3",
        name => name,
    };
    name.parse().ok()
}

/// Hash functions under their names, in any case, and under the names that standards and other programs give them.
#[derive(Clone)]
struct DigestNames;

impl TypedValueParser for DigestNames {
    type Value = hash::Algorithm;

    fn parse_ref(
        &self,
        command: &clap::Command,
        option: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let text = value.to_string_lossy();
        digest_name(&text).ok_or_else(|| {
            // Without a similar name: another digest is never what was meant.
            let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
            let names = hash::Algorithm::ALL.iter().map(|algorithm| algorithm.name().to_owned()).collect();
            let option = option.map_or_else(String::new, ToString::to_string);
            error.insert(ContextKind::InvalidArg, ContextValue::String(option));
            error.insert(ContextKind::InvalidValue, ContextValue::String(text.into_owned()));
            error.insert(ContextKind::ValidValue, ContextValue::Strings(names));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(hash::Algorithm::ALL.iter().map(|algorithm| PossibleValue::new(algorithm.name()))))
    }
}

/// The kinds that a key can be made of.
fn kinds() -> impl TypedValueParser<Value = KeygenKind> {
    let encrypt = Kind::ALL.into_iter().filter(|kind| kind.is_generated()).map(Kind::name);
    let sign = sign::Kind::ALL.into_iter().filter(|kind| kind.signs_files()).map(sign::Kind::name);
    let others = OF_NKCT_ALONE.map(exchange::Kind::name).into_iter().chain(OF_NKCS_ALONE.map(sign::Kind::name));
    PossibleValuesParser::new(encrypt.chain(sign).chain(others)).map(|name| {
        let encrypts = name.parse().map(KeygenKind::Encrypts);
        let kind = encrypts.or_else(|_| name.parse().map(KeygenKind::Encapsulates));
        kind.or_else(|_| name.parse().map(KeygenKind::Signs)).expect("args: the core knows its kinds")
    })
}

fn forms() -> impl TypedValueParser<Value = ToForm> {
    let names = KeyForm::ALL.into_iter().map(KeyForm::name).chain(["ssh", "expanded"]);
    PossibleValuesParser::new(names).map(|name| match name.parse() {
        Ok(form) => ToForm::Key(form),
        Err(_) if name == "ssh" => ToForm::Ssh,
        Err(_) => ToForm::Expanded,
    })
}

fn modes() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(["ecc", "pqc", "hybrid"]).map(|mode| match mode.as_str() {
        "ecc" => Kind::P256,
        "pqc" => Kind::MlKem768,
        _ => Kind::Hybrid,
    })
}

fn parse_range(text: &str) -> Result<(u64, u64), String> {
    let expected = || format!("expected A..B or A.. with byte offsets A ≤ B, such as 0..1024, got {text:?}");
    let (from, to) = text.split_once("..").ok_or_else(expected)?;
    let number = |text: &str| {
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        text.parse().ok().filter(|_| digits).ok_or_else(expected)
    };
    let range: (u64, u64) = (number(from)?, if to.is_empty() { u64::MAX } else { number(to)? });
    if range.0 <= range.1 { Ok(range) } else { Err(expected()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// The command, and its arguments with what they were given.
    fn read(matches: &clap::ArgMatches) -> (String, BTreeMap<String, Vec<OsString>>) {
        let (name, below) = matches.subcommand().unwrap();
        let given = |matches: &clap::ArgMatches| -> Vec<_> {
            let values =
                |id: &clap::Id| matches.get_raw(id.as_str()).into_iter().flatten().map(OsStr::to_owned).collect();
            matches
                .ids()
                .filter(|id| matches.try_contains_id(id.as_str()).is_ok())
                .map(|id| (id.to_string(), values(id)))
                .collect()
        };
        (name.to_owned(), given(matches).into_iter().chain(given(below)).collect())
    }

    #[test]
    fn one_command_is_read_as_among_all() {
        let lines = [
            "-r a -o x film",
            "--threads 2 --json --in-place -R me.pub --suite sm4-gcm a b",
            "-q film --no-sync --recursive --force",
            "-i key --passphrase-file p -o - x.seal",
            "-p --passphrase-env NAME --key-file k x.seal --context c",
            "--range 1..2 --verify-first -- -x",
            "-a blake3 --check --tag list",
            "--check --strict -a sha256 list",
            "--check --from @alice --from me.pub list",
            "--check --signers s --principal p list",
            "--from @alice list",
            "-k key --namespace n -o x film",
            "--key key film --profile gm",
            "--attach --comment c",
            "-k me.pub -k @bob --signers s --principal p film film.sig",
            "--attached -o x film",
            "--signature s --attached film",
            "",
            "--help",
            "-V",
            "--threads",
            "--threads 0 film",
            "--passphrase-fd 3 --askpass x film",
            "--unknown",
            "help",
        ];
        let mut right = 0;
        for (name, _) in OFTEN {
            for line in lines {
                let words = ["sealstone", name].into_iter().chain(line.split_whitespace()).map(OsString::from);
                let all = grammar().try_get_matches_from(words.clone()).ok();
                assert_eq!(matches_of_one(words).as_ref().map(read), all.as_ref().map(read), "{name} {line}");
                right += usize::from(all.is_some());
            }
        }
        assert!(right > 2 * OFTEN.len(), "only {right} lines were right");
        assert!(matches_of_one(["sealstone", "--quiet", "hash"].map(OsString::from)).is_none());
    }
}
