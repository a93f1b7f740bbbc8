//! The command line, `crates/cli`.

use sealstone_layers::{Row, Rules, Sources};

/// Every module of the crate root, and what it may use.
const MAY_USE: &[Row] = &[
    (
        "commands",
        &[
            "application_key",
            "crew",
            "date",
            "digits",
            "fingerprint",
            "foreign",
            "format",
            "openers",
            "plugin",
            "sealer",
            "whole",
            "work",
            "keyring",
            "plan",
            "address_book",
            "identity_file",
            "place",
            "config",
            "folder",
            "passphrase",
            "terminal",
            "args",
            "descriptor",
            "failure",
            "plural",
            "cost",
            "encoded",
            "secret",
            "signers",
        ],
    ),
    (
        "signers",
        &[
            "application_key",
            "keyring",
            "address_book",
            "fingerprint",
            "foreign",
            "identity_file",
            "passphrase",
            "terminal",
            "format",
            "args",
            "failure",
            "plural",
        ],
    ),
    ("application_key", &["args", "format"]),
    ("crew", &[]),
    ("cost", &["args", "failure"]),
    ("date", &[]),
    ("digits", &[]),
    ("encoded", &["args", "failure"]),
    ("secret", &["digits", "keyring", "terminal", "failure"]),
    ("fingerprint", &["failure"]),
    (
        "openers",
        &[
            "work",
            "sealer",
            "keyring",
            "plan",
            "plugin",
            "place",
            "config",
            "passphrase",
            "terminal",
            "format",
            "args",
            "failure",
        ],
    ),
    ("plugin", &["passphrase", "signals", "terminal", "args", "failure"]),
    ("sealer", &["format", "args", "failure"]),
    ("whole", &["keyring", "place", "passphrase", "terminal", "args", "descriptor", "failure"]),
    ("work", &["crew", "keyring", "plan", "place", "terminal", "args", "descriptor", "failure"]),
    (
        "keyring",
        &[
            "address_book",
            "foreign",
            "identity_file",
            "place",
            "plugin",
            "passphrase",
            "terminal",
            "format",
            "args",
            "descriptor",
            "failure",
            "plural",
        ],
    ),
    ("plan", &["place", "folder", "terminal", "format", "args", "failure"]),
    ("address_book", &["config", "failure"]),
    ("foreign", &["digits", "failure"]),
    ("identity_file", &["application_key", "foreign", "passphrase", "terminal", "args", "descriptor", "failure"]),
    ("place", &["folder", "descriptor", "failure"]),
    ("config", &["failure"]),
    ("folder", &["failure"]),
    ("passphrase", &["args", "descriptor", "signals", "failure"]),
    ("terminal", &["args", "failure", "plural"]),
    ("args", &["format", "failure"]),
    ("format", &["failure"]),
    ("descriptor", &["failure"]),
    ("signals", &[]),
    ("failure", &["plural"]),
    ("plural", &[]),
];

/// Every dependency of the crate, and the files that name it: all of these and no other.
const THIRD_PARTY: &[Row] = &[
    ("clap", &["args.rs", "commands/manual.rs"]),
    ("clap_complete", &["args.rs", "commands/manual.rs"]),
    ("clap_mangen", &["commands/manual.rs"]),
    ("indicatif", &["terminal.rs"]),
    ("rpassword", &["passphrase.rs"]),
    ("rustix", &["descriptor.rs", "folder.rs", "keyring.rs", "place.rs", "signals.rs", "terminal.rs"]),
    ("sealstone_speed", &["commands/speed.rs"]),
    ("signal_hook", &["signals.rs"]),
];

/// These may be named anywhere: the toolkit itself, what JSON is written with, and what zeroes secrets.
const EVERYWHERE: &[&str] = &["sealstone", "serde_json", "zeroize"];

pub(crate) const SOURCES: &str = "crates/cli/src";

#[test]
fn no_arrow_points_up_and_no_command_uses_another() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules { may_use: MAY_USE, apart: &["commands"] }));
}

#[test]
fn each_third_party_crate_is_named_in_its_own_module_only() {
    crate::none(&Sources::of(SOURCES).libraries(THIRD_PARTY));
}

#[test]
fn every_dependency_has_a_rule() {
    crate::every_dependency_has_a_rule("crates/cli", THIRD_PARTY, EVERYWHERE);
}
