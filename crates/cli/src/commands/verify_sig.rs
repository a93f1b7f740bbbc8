//! `sealstone verify-sig`

use crate::args::{Allowed, Common, Paths, Purpose};
use crate::failure::{Failure, plain_name};
use crate::guard::Guard;
use crate::keyring::Keyring;
use crate::place::{Place, is_stdin, refuse_printing_into};
use crate::plan::{self, Direction, Plan, SIGNATURE_SUFFIX, add_suffix};
use crate::signers::{self, Names, NkcsSigner, SignerReport};
use crate::terminal::{Terminal, Watch, json_text};
use crate::whole;
use crate::work::{self, Bytes, Task, TaskReport};
use clap::Args;
use sealstone::interop::{nkcs, nkkb};
use sealstone::sign::{Kind, PublicKey};
use sealstone::signature::{MAX_LEN, Namespace, SignatureReader, Signer, Signers, claims};
use sealstone::{Error, KeyFault, UnsupportedKey, escape_name};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

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

pub(crate) fn run(command: &VerifySig, common: &Common, terminal: &Terminal) -> Result<(), Failure> {
    let namespace = Namespace::new(&command.purpose.namespace)?;
    let (inputs, signatures) = split_arguments(command)?;
    plan::refuse_any_folder(&inputs)?;
    let mut keys = Keyring::new(common, terminal);
    if command.key.is_empty() && command.signers.is_none() {
        let hint = "name the signer's key with -k FILE or -k @NAME, or a file of allowed signers with --signers FILE";
        return Err(Failure::from(Error::InvalidSigner(KeyFault::Other("there is no signer"))).with_hint(hint));
    }
    let trusted = signers::read_trusted(&command.key, &mut keys)?;
    let mut signers = Signers::new(trusted.signers);
    if let Some(path) = &command.signers {
        let principal = command.principal.as_deref();
        signers.append(signers::read_allowed(path, principal, &command.purpose.namespace, &mut keys)?);
    }
    if let Some(profile) = command.allowed.profile {
        signers.iter().try_for_each(|signer| profile.check_signer(signer.kind()))?;
    }
    signatures.values().try_for_each(|path| keys.guard.claim_stdin(path))?;
    keys.guard.check_stdin(&inputs)?;
    let (names, has_no_signer) = (Names::load(&command.key), signers.is_empty());
    let of_nkcs = trusted.of_nkcs;
    let reader = |watch: &Watch| {
        let reader = SignatureReader::new(signers.clone()).namespace(namespace.clone());
        match watch.callback() {
            Some(callback) => reader.on_progress(callback),
            None => reader,
        }
    };
    let plan = make_plan(command, &inputs, &keys.guard, terminal)?;
    let paths = Paths { output: command.output.clone(), inputs, ..Paths::default() };
    let prints = !matches!(plan.jobs.first().map(|job| &job.output), Some(Place::Standard));
    work::run(plan, common, terminal, |job, watch, _| {
        let (name, names, reader, progress) = (job.input.name(), names.clone(), reader(watch), watch.callback());
        let namespace = command.purpose.namespace.clone();
        let (terminal, watch) = (terminal.clone(), watch.clone());
        let (is_quiet, is_json) = (common.quiet, common.json);
        let show = move |report: SignerReport| match (is_json, prints) {
            // stdout carries the content.
            (true, false) => {
                watch.suspend_bar(|| terminal.print_event(|| report.json));
                None
            }
            (false, false) => {
                watch.suspend_bar(|| terminal.note(&report.text));
                None
            }
            (true, true) => Some(json_text(&report.json)),
            (false, true) => (!is_quiet).then_some(report.text),
        };
        let refuse_others = || of_nkcs.first().map_or(Ok(()), |other| Err(other.refusal()));
        if command.attached {
            refuse_others()?;
            let input = job.input.open()?;
            let output = match &job.output {
                Place::Nowhere => None,
                _ => Some(work::open_output(job, &input, &paths, common, Direction::Release, &keys.guard)?),
            };
            output.as_ref().map_or(Ok(()), |output| output.check(&input))?;
            let task = Task::new(input, move |input, _| {
                let verified = match output {
                    Some(output) => reader.attached(input, output),
                    None => reader.check_attached(input),
                };
                let verified = verified.map_err(|error| signers::explain(error.into(), &names, "-k", has_no_signer))?;
                let line = show(names.describe(&name, None, &namespace, &verified));
                Ok(TaskReport { bytes: Bytes::Signed { content: Some(verified.content_len()) }, line })
            });
            return Ok(task.on_one_thread());
        }
        let path = find_signature_path(job.input.path(), &signatures)?;
        let signature = read_signature(&path, &job.input)?;
        // Text in OpenSSH's form, valid or not, is never taken for a signature without a header.
        let is_no_text = || matches!(claims(&signature), Err(Error::NotASignature(_)));
        if nkcs::begins(&signature) || command.allow_bare && is_no_text() {
            let reader = make_nkcs_reader(command, &signers, &of_nkcs);
            let reader = reader.map_err(|failure| Failure::OfKeys(Box::new(failure)))?;
            let reader = match progress {
                Some(progress) => reader.on_progress(progress),
                None => reader,
            };
            let (input, signers) = (job.input.open()?, signers.clone());
            let task = Task::new(input, move |input, _| {
                let verified = reader.detached(input, &signature).map_err(|error| explain_nkcs_error(error, &path))?;
                let line = show(names.describe_nkcs(&name, &escape_name(&path), &signers, &verified));
                Ok(TaskReport { bytes: Bytes::Signed { content: Some(verified.content_len()) }, line })
            });
            return Ok(task.on_one_thread());
        }
        // Builds before 2026-04-10 signed with ML-DSA-87 unless told otherwise.
        let is_bare = is_no_text() && may_be_bare(&signature);
        refuse_others().map_err(|failure| if is_bare { failure.with_hint(BARE) } else { failure })?;
        let input = job.input.open()?;
        let task = Task::new(input, move |input, _| {
            let verified = reader.detached(input, &signature);
            let verified = verified
                .map_err(|error| identify_other(explain_error(error, &path), &signature, &path))
                .map_err(|failure| signers::explain(failure, &names, "-k", has_no_signer))?;
            let line = show(names.describe(&name, Some(&escape_name(&path)), &namespace, &verified));
            Ok(TaskReport { bytes: Bytes::Signed { content: Some(verified.content_len()) }, line })
        });
        Ok(task.on_one_thread())
    })
}

/// Makes a verifier for nkCryptoTool signatures.
fn make_nkcs_reader(
    command: &VerifySig,
    signers: &Signers,
    others: &[NkcsSigner],
) -> Result<nkcs::SignatureReader, Failure> {
    if let Some(profile) = command.allowed.profile {
        return Err(Failure::usage(format!("the profile {} does not allow nkCryptoTool signatures", profile.name())));
    }
    if !command.purpose.is_default() {
        return Err(Failure::usage("nkCryptoTool signatures have no --namespace"));
    }
    if signers.is_empty() && others.is_empty() {
        let error = Error::InvalidSigner(KeyFault::Other("no line of the allowed signers applies now"));
        return Err(Failure::from(error).with_hint("check the principals, valid-after and valid-before of its lines"));
    }
    let kinds = [Kind::P256Sign, Kind::MlDsa65];
    let keys = signers.iter().map(Signer::public_key).filter(|key| kinds.contains(&key.kind()));
    let keys: Vec<PublicKey> = keys.chain(others.iter().map(|other| &other.key)).cloned().collect();
    if keys.is_empty() {
        return Err(Failure::from(Error::from(UnsupportedKey::NkcsKind)));
    }
    Ok(nkcs::SignatureReader::new(keys)?.allow_bare(command.allow_bare))
}

/// Splits the arguments into inputs and signatures with other names than the default. An argument that ends in `.sig` is the
/// signature of the input with the same name if that is an argument, otherwise of the input before it.
fn split_arguments(command: &VerifySig) -> Result<(Vec<PathBuf>, BTreeMap<PathBuf, PathBuf>), Failure> {
    let (given, mut inputs, mut signatures) = (&command.inputs, Vec::new(), BTreeMap::new());
    if let Some(signature) = &command.signature {
        let ([] | [_]) = &given[..] else {
            return Err(Failure::usage("--signature takes one FILE"));
        };
        let input = given.first().cloned().unwrap_or_else(|| PathBuf::from("-"));
        if is_stdin(&input) && is_stdin(signature) {
            return Err(Failure::usage("stdin can be read only once"));
        }
        signatures.insert(input.clone(), signature.clone());
        return Ok((vec![input], signatures));
    }
    if command.output.is_some() && given.len() > 1 {
        return Err(Failure::usage_with_hint("-o takes one FILE", "run the command once for each FILE"));
    }
    let mut before: Option<&PathBuf> = None;
    for path in given {
        let named = remove_suffix(path).filter(|_| !command.attached);
        match (named, before) {
            (None, _) => {
                inputs.push(path.clone());
                before = Some(path);
            }
            (Some(named), _) if given.contains(&named) => add_signature(&mut signatures, &named, path)?,
            (Some(_), Some(input)) => {
                add_signature(&mut signatures, input, path)?;
                before = None;
            }
            (Some(named), None) => {
                let (signature, named) = (escape_name(path), escape_name(&named));
                return Err(Failure::usage_with_hint(
                    format!("{signature} has the name of a signature, and the signed file is not before it"),
                    format!(
                        "name the signed file, such as {named}; for a FILE that ends in .sig itself, use --signature SIG FILE"
                    ),
                ));
            }
        }
    }
    if inputs.is_empty() {
        inputs.push(PathBuf::from("-"));
    }
    Ok((inputs, signatures))
}

fn add_signature(signatures: &mut BTreeMap<PathBuf, PathBuf>, input: &Path, signature: &Path) -> Result<(), Failure> {
    match signatures.insert(input.to_owned(), signature.to_owned()) {
        Some(other) if other != signature => {
            Err(Failure::usage(format!("there are two signatures for {}", escape_name(input))))
        }
        _ => Ok(()),
    }
}

/// The name of the file that a signature belongs to, derived from its own name.
fn remove_suffix(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.as_bytes().strip_suffix(SIGNATURE_SUFFIX.as_bytes())?;
    Some(path.with_file_name(OsStr::from_bytes(name)))
}

fn make_plan(command: &VerifySig, inputs: &[PathBuf], guard: &Guard, terminal: &Terminal) -> Result<Plan, Failure> {
    if let Some(output) = &command.output {
        let plan = plan::plan_one(Some(inputs[0].as_path()), Some(output.as_path()))?;
        guard.check_outputs(plan.replaced_ids())?;
        return Ok(plan);
    }
    let plan = work::announce(plan::plan_to_hash(inputs, false), terminal)?;
    guard.check_stdout()?;
    Ok(plan)
}

/// The path of an input's signature.
fn find_signature_path(input: Option<&Path>, signatures: &BTreeMap<PathBuf, PathBuf>) -> Result<PathBuf, Failure> {
    let named = signatures.get(input.unwrap_or(Path::new("-"))).cloned();
    named.or_else(|| input.map(|path| add_suffix(path, SIGNATURE_SUFFIX))).ok_or_else(|| {
        Failure::usage_with_hint(
            "the signature of stdin has no default name",
            "name it with --signature SIG; for a signature at the end of the input, use --attached",
        )
    })
}

/// Reads a detached signature; of a longer file, `MAX_LEN + 1` bytes.
fn read_signature(path: &Path, input: &Place) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let place = Place::new(path);
    refuse_printing_into(std::slice::from_ref(&place))?;
    whole::read_beginning(&place, MAX_LEN).map_err(|failure| {
        if matches!(failure.error(), Some(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound) {
            let (missing, name) = (find_missing(input), input.path().and_then(plain_name).unwrap_or("FILE"));
            return match missing {
                // The user mistyped the name of the file itself.
                Some(missing) => missing,
                // The user named the signature.
                None if input.path().is_none_or(|input| path != add_suffix(input, SIGNATURE_SUFFIX)) => failure,
                None => failure.with_hint(format!(
                    "name the signature: {name} SIG; for a signature at the end of {name}, use --attached"
                )),
            };
        }
        failure
    })
}

/// The failure of a missing input; `None` if the input exists.
fn find_missing(input: &Place) -> Option<Failure> {
    let path = input.path()?;
    std::fs::metadata(path).err().map(|error| Failure::io("open", Some(path), error))
}

/// Adds a hint if the signature is recognized as something else.
fn identify_other(failure: Failure, signature: &[u8], path: &Path) -> Failure {
    if !matches!(failure.error(), Some(Error::NotASignature(_))) {
        return failure;
    }
    let name = plain_name(path).unwrap_or("SIG");
    if signers::is_open_pgp(signature) {
        return failure.with_hint(format!("this is a gpg (OpenPGP) signature: gpg --verify {name} FILE"));
    }
    if nkkb::begins(signature) {
        return failure.with_hint(format!("this is an nkCryptoTool key bundle: sealstone inspect {name}"));
    }
    if signature.starts_with(b"NKCT") {
        return failure.with_hint(format!("this is an encrypted nkCryptoTool file: sealstone decrypt {name}"));
    }
    if may_be_bare(signature) { failure.with_hint(BARE) } else { failure }
}

const BARE: &str =
    "if nkCryptoTool wrote it before 2026-04-10, it is a signature without a header: --allow-bare takes it";

/// Whether this may be an ECDSA signature in DER, or an ML-DSA-44, 65 or 87 signature, by its length.
fn may_be_bare(signature: &[u8]) -> bool {
    signature.starts_with(b"\x30") || matches!(signature.len(), 2420 | 3309 | 4627)
}

/// The failure of an input, or of its nkCryptoTool signature.
fn explain_nkcs_error(error: Error, path: &Path) -> Failure {
    match error {
        // The signature names no key, so a wrong key and damage look the same.
        error @ Error::InvalidSignature(_) => Failure::from(error).with_hint(
            "the file or its signature was changed, or another key signed it: get the file, the signature and the key from the signer again",
        ),
        error => explain_error(error, path),
    }
}

/// The failure of an input, or of its signature.
fn explain_error(error: Error, path: &Path) -> Failure {
    match error {
        Error::NotASignature(_) | Error::MalformedSignature(_) | Error::UnsupportedSignature(_) => {
            Failure::In { file: escape_name(path), error }
        }
        error => error.into(),
    }
}
