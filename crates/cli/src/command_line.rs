//! Parses the command line, and explains its errors.

use crate::args::{Common, digest_name};
use crate::commands::{Arguments, COMMON_COMMANDS, grammar};
use crate::failure::Failure;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, FromArgMatches};
use sealstone::escape_name;
use sealstone::hazmat::cipher::Algorithm;
use std::ffi::OsString;
use std::path::Path;

/// Parses the command line.
///
/// # Errors
/// A usage error, formatted like all errors. Help and version are printed, and end the process.
pub(crate) fn parse() -> Result<Arguments, Failure> {
    let backend = sealstone::backend()?;
    let of_one = parse_common_command(std::env::args_os());
    if let Some(arguments) = of_one.and_then(|matches| Arguments::from_arg_matches(&matches).ok()) {
        return Ok(arguments);
    }
    let version: &str = format!("{}\n{backend}", env!("CARGO_PKG_VERSION")).leak();
    let parsed = grammar().long_version(version).try_get_matches();
    parsed.and_then(|matches| Arguments::from_arg_matches(&matches)).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.exit()
        }
        _ => match hint_at_option(&error).or_else(|| suggest_command(&error)).or_else(|| suggest_algorithm(&error)) {
            Some(hint) => convert_error(&error.render().to_string()).with_hint(hint),
            None => convert_error(&error.render().to_string()),
        },
    })
}

/// Whether the command line has `--json`. Works even if the command line cannot be parsed.
pub(crate) fn wants_json() -> bool {
    std::env::args_os().take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

/// Parses a valid command line of a common command with that command's grammar alone, which is faster. Returns `None` for all
/// others, which the whole grammar parses.
fn parse_common_command(arguments: impl IntoIterator<Item = OsString>) -> Option<clap::ArgMatches> {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let (name, augment) =
        COMMON_COMMANDS.iter().find(|(name, _)| arguments.get(1).is_some_and(|first| first == name))?;
    let grammar = Common::augment_args(clap::Command::new("sealstone"));
    grammar.subcommand(augment(clap::Command::new(*name))).try_get_matches_from(arguments).ok()
}

/// The hint for an argument that belongs to an option or to another command.
fn hint_at_option(error: &clap::Error) -> Option<String> {
    let (ErrorKind::UnknownArgument, Some(ContextValue::String(argument))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    else {
        return None;
    };
    let command = find_command(error)?;
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

/// The command that caused an error.
fn find_command(error: &clap::Error) -> Option<clap::Command> {
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

/// Other names that people try for our commands.
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

/// The hint that names the right command for an unknown one.
fn suggest_command(error: &clap::Error) -> Option<String> {
    let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(name))) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand))
    else {
        return None;
    };
    let command = find_command(error)?;
    let meant = OTHER_NAMES.iter().find(|(of, names, _)| *of == command.get_name() && names.contains(&name.as_str()));
    meant.map(|(_, _, meant)| format!("the command is `sealstone {meant}`"))
}

/// The hint for an algorithm that `mac` or `hazmat cipher` does not know.
fn suggest_algorithm(error: &clap::Error) -> Option<String> {
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

/// Converts an error of clap: the first paragraph becomes the message, its tip the hint.
fn convert_error(text: &str) -> Failure {
    let (message, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let message: Vec<_> = message.trim_start_matches("error: ").lines().map(str::trim).collect();
    let hint = rest.lines().map(str::trim).find_map(|line| line.strip_prefix("tip: "));
    // clap's other tip, how to pass an option as a value, is never useful here.
    let hint = hint.filter(|hint| !hint.starts_with("to pass "));
    // The user pasted a PEM key, and clap took its dashes for an option.
    let pasted = message.join(" ").contains("-----BEGIN ").then_some("put the key into a file, and name the file");
    let hint =
        pasted.or(hint).unwrap_or("`sealstone help` and `sealstone COMMAND --help` show what there is, with examples");
    Failure::usage_with_hint(escape_name(Path::new(&message.join(" "))), escape_name(Path::new(hint)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::ffi::OsStr;

    /// The name of the command, and the values of its arguments.
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
        for (name, _) in COMMON_COMMANDS {
            for line in lines {
                let words = ["sealstone", name].into_iter().chain(line.split_whitespace()).map(OsString::from);
                let all = grammar().try_get_matches_from(words.clone()).ok();
                assert_eq!(parse_common_command(words).as_ref().map(read), all.as_ref().map(read), "{name} {line}");
                right += usize::from(all.is_some());
            }
        }
        assert!(right > 2 * COMMON_COMMANDS.len(), "only {right} lines were right");
        assert!(parse_common_command(["sealstone", "--quiet", "hash"].map(OsString::from)).is_none());
    }
}
