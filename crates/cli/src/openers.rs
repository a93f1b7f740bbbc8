//! The keys that open files: those on the command line, and those that a file turns out to need. The kinds of its recipients are
//! public, so a passphrase is asked for only if the file can use one.

use crate::args::{Common, With};
use crate::config::{existing_identity, identity_name};
use crate::failure::Failure;
use crate::format;
use crate::guard::Guard;
use crate::keyring::Keyring;
use crate::keys::Keys;
use crate::passphrase;
use crate::place::Place;
use crate::plan::Plan;
use crate::terminal::Watch;
use crate::work::Attempt;
use sealstone::{Asked, DecryptFiles, Error, FileFormat, Identity, Input, Kind, Passphrase};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

/// The keys of one run.
pub(crate) struct Openers<'a> {
    with: &'a With,
    common: &'a Common,
    keys: Keyring<'a>,
    named: Keys,
    /// The keys of the default identity file, once a file has needed them.
    default: Option<Keys>,
    /// The passphrases that the user typed for files, newest first.
    passphrases: Vec<Passphrase>,
    /// The passphrase that the user just typed, since no earlier one opens the file.
    newest: Option<Vec<Passphrase>>,
    /// The file that the last question was about.
    last_asked_name: Option<String>,
}

/// The keys that may open one file.
pub(crate) struct MatchingKeys {
    pub(crate) keys: Keys,
    pub(crate) format: FileFormat,
    asked: Asked,
    /// The path of the file, for errors.
    input: Option<PathBuf>,
}

impl<'a> Openers<'a> {
    pub(crate) fn new(with: &'a With, common: &'a Common, mut keys: Keyring<'a>) -> Result<Self, Failure> {
        // Wrong options are reported before any question.
        format::of(FileFormat::Sealstone).decryptor(&Keys::default(), with)?;
        let named = keys.find_identities(with)?;
        if named.is_empty() {
            // The default identity may still be read later, after an output was checked.
            if let Some(path) = existing_identity() {
                keys.guard.protect(&path);
            }
        }
        Ok(Self {
            with,
            common,
            keys,
            named,
            default: None,
            passphrases: Vec::new(),
            newest: None,
            last_asked_name: None,
        })
    }

    /// Protects the files that keys were read from.
    pub(crate) fn guard(&self) -> &Guard {
        &self.keys.guard
    }

    /// Gets the keys that the first of several files needs, so that a missing key ends the run once, and does not fail each file.
    pub(crate) fn prepare(&mut self, plan: &Plan) -> Result<(), Failure> {
        if !plan.has_several {
            // Reading stdin would be in vain if no key can open it.
            let is_stdin = plan.jobs.iter().any(|job| job.input.path().is_none());
            let has_keys = !self.named.is_empty() || existing_identity().is_some() || self.may_ask();
            return if is_stdin && !has_keys { Err(explain_no_key()) } else { Ok(()) };
        }
        // Only a regular file can be opened a second time.
        let mut files = plan.jobs.iter().filter(|job| job.input.path().is_some_and(Path::is_file));
        let first = files.find_map(|job| {
            let input = job.input.open().ok();
            let asked =
                input.and_then(|mut input| FileFormat::of(&mut input).and_then(|format| format.asked(&mut input)).ok());
            job.input.release();
            Some((asked?, job.input.name()))
        });
        let Some((asked, name)) = first else { return Ok(()) };
        self.find_keys(&asked, &name).map(drop)
    }

    /// Opens an input. For the second attempt, first asks for a passphrase of its own, since those of other files do not open it:
    /// one question for each file.
    pub(crate) fn open(&mut self, place: &Place, attempt: Attempt) -> Result<Input<'static>, Failure> {
        if attempt == Attempt::Second {
            let name = place.name();
            if !self.may_ask_again(place, &name) {
                return Err(Failure::WrongPassphrase { of: None, is_input: true });
            }
            self.newest = Some(self.ask(&name).map_err(|failure| Failure::OfKeys(Box::new(failure)))?);
        }
        place.open()
    }

    /// Finds the keys that may open an input, without consuming any of it. Time spent on questions does not count as work.
    pub(crate) fn match_keys(
        &mut self,
        input: &mut Input<'_>,
        place: &Place,
        watch: &Watch,
    ) -> Result<MatchingKeys, Failure> {
        let format = FileFormat::of(input)?;
        let (keys, asked) = (Keys::default(), Asked::default());
        let mut matching = MatchingKeys { keys, format, asked, input: place.path().map(Path::to_path_buf) };
        match format.asked(input) {
            Ok(asked) => matching.asked = asked,
            Err(error @ Error::Io { .. }) => return Err(error.into()),
            Err(error @ Error::MalformedArmour(_)) => return Err(Failure::from(error).on(place.path())),
            // The reader reports this error, before keys matter.
            Err(_) => return Ok(matching),
        }
        // Other tasks run meanwhile, so no progress bar may start during a question.
        let keys = watch.suspend_bar(|| self.find_keys(&matching.asked, &place.name()));
        matching.keys = keys.map_err(|failure| Failure::OfKeys(Box::new(failure)))?;
        watch.restart();
        Ok(matching)
    }

    /// Makes the decryptor with these keys, which reports progress if progress is shown.
    pub(crate) fn make_opener(&self, matching: &MatchingKeys, watch: &Watch) -> Result<Box<dyn DecryptFiles>, Failure> {
        let opener = format::of(matching.format).decryptor(&matching.keys, self.with);
        let mut opener = opener.map_err(|failure| failure.of_format(matching.input.as_deref()))?;
        if let Some(threads) = self.common.threads {
            opener.settings_mut().set_threads(threads.into());
        }
        if let Some(callback) = watch.callback() {
            opener.settings_mut().set_progress(callback);
        }
        Ok(opener)
    }

    /// Whether a second passphrase can be asked for: a person is watching, was not asked about this file yet, and the file can be
    /// opened again.
    fn may_ask_again(&self, place: &Place, name: &str) -> bool {
        let is_watched = self.with.passphrase || io::stderr().is_terminal();
        let is_new = self.last_asked_name.as_deref() != Some(name);
        is_watched && is_new && !self.common.has_passphrase_source() && place.path().is_some_and(Path::is_file)
    }

    fn ask(&mut self, name: &str) -> Result<Vec<Passphrase>, Failure> {
        self.last_asked_name = Some(name.to_owned());
        let answers = passphrase::ask(&self.common.passphrase_source, name)?.into_passphrases();
        self.passphrases.splice(0..0, answers.iter().cloned());
        Ok(answers)
    }

    fn find_keys(&mut self, asked: &Asked, name: &str) -> Result<Keys, Failure> {
        if let Some(newest) = self.newest.take() {
            return Ok(newest.into_iter().map(Identity::from).collect::<Vec<_>>().into());
        }
        let takes_passphrase = asked.passphrase;
        let typed = self.passphrases.iter().cloned().map(Identity::from);
        // Some plugins have passphrases.
        if takes_passphrase && self.named.has_plugin() && !self.named.has_passphrase() {
            return Ok(self.named.clone());
        }
        if !self.named.is_empty() && (!takes_passphrase || self.named.has_passphrase()) {
            if !takes_passphrase {
                return Ok(self.named.clone());
            }
            // The passphrase of `-p` was asked for the first file.
            self.last_asked_name.get_or_insert_with(|| name.to_owned());
            let own = typed.chain(self.named.own.iter().cloned()).collect();
            return Ok(Keys { own, ..self.named.clone() });
        }
        if takes_passphrase {
            if !self.may_ask() && self.named.is_empty() && existing_identity().is_none() {
                return Err(explain_no_key());
            }
            if !self.may_ask() {
                // No key opens the file; its hint says that it needs a passphrase.
                return Ok(self.named.clone());
            }
            self.with.allowed.profile.map_or(Ok(()), |profile| profile.check_kind(Kind::Passphrase))?;
            if self.passphrases.is_empty() {
                return Ok(self.ask(name)?.into_iter().map(Identity::from).collect::<Vec<_>>().into());
            }
            return Ok(typed.collect::<Vec<_>>().into());
        }
        if let Some(found) = &self.default {
            return Ok(found.clone());
        }
        let Some(path) = existing_identity() else {
            // The named passphrase opens no file that has only keys.
            return if self.common.has_passphrase_source() { Ok(Keys::default()) } else { Err(explain_no_key()) };
        };
        let programs = self.keys.programs(&self.with.plugins);
        let found = self.keys.read_openers(&path, &programs)?;
        if let Some(profile) = self.with.allowed.profile {
            found.for_sealstone().iter().try_for_each(|identity| profile.check_kind(identity.kind()))?;
        }
        Ok(self.default.insert(found).clone())
    }

    /// Whether a passphrase can be asked for without `-p`: from a source that no key used up, or from the person who watches.
    fn may_ask(&self) -> bool {
        if self.common.has_passphrase_source() { self.named.is_empty() } else { io::stderr().is_terminal() }
    }
}

impl MatchingKeys {
    /// Whether a passphrase may open the file.
    pub(crate) fn is_for_passphrase(&self) -> bool {
        self.asked.passphrase
    }

    /// The error of this input, with a hint from the kinds of its recipients, which are public.
    pub(crate) fn explain(&self, error: Error) -> Failure {
        let failure = match error {
            Error::NoMatchingIdentity => match format::of(self.format).hint_without_match(&self.asked, &self.keys) {
                Some(hint) => Failure::from(error).with_hint(hint),
                None => error.into(),
            },
            Error::WrongPassphrase => Failure::WrongPassphrase { of: None, is_input: true },
            error => format::explain(self.format, error),
        };
        failure.on(self.input.as_deref())
    }
}

/// The failure if there is no key at all.
fn explain_no_key() -> Failure {
    Failure::usage_with_hint(
        "there is no identity, key or passphrase to decrypt with",
        format!(
            "name an identity file (-i), keep one at {}, name a key file (--key-file) or use a passphrase (-p)",
            identity_name()
        ),
    )
}
