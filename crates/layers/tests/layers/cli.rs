//! The command line, `crates/cli`.

use sealstone_layers::{Row, Rules, Sources};

/// The layers, from top to bottom.
const LAYERS: &[&[&str]] = &[
    &["command_line"],
    &["commands"],
    &["archive"],
    &["openers", "secret", "signers", "whole", "work"],
    &["application_key", "format", "guard", "identity_file", "keyring", "plan", "plugin"],
    &["address_book", "cost", "encoded", "passphrase", "place", "terminal"],
    &["args", "config", "descriptor", "fingerprint", "folder", "foreign", "keys", "recognition"],
    &["crew", "date", "digits", "failure", "plural", "signals"],
];

/// Planning prints nothing.
const NARROW: &[Row] = &[("plan", &["args", "failure", "folder", "format", "place"])];

/// Every dependency of the crate, and the files that name it: all of these and no other.
const THIRD_PARTY: &[Row] = &[
    ("clap", &["args/", "command_line.rs", "commands/"]),
    ("clap_complete", &["commands/manual.rs"]),
    ("clap_mangen", &["commands/manual.rs"]),
    ("indicatif", &["terminal.rs"]),
    ("rpassword", &["passphrase.rs"]),
    ("rustix", &["descriptor.rs", "folder.rs", "guard.rs", "place.rs", "signals.rs", "terminal.rs"]),
    ("sealstone_speed", &["commands/speed.rs"]),
    ("signal_hook", &["signals.rs"]),
];

/// These may be named anywhere: the toolkit itself, what JSON is written with, and what zeroes secrets.
const EVERYWHERE: &[&str] = &["sealstone", "serde_json", "zeroize"];

pub(crate) const SOURCES: &str = "crates/cli/src";

#[test]
fn no_arrow_points_up_and_no_command_uses_another() {
    crate::none(&Sources::of(SOURCES).arrows(&Rules {
        layers: LAYERS,
        narrow: NARROW,
        apart: &["commands"],
        ..Rules::default()
    }));
}

#[test]
fn each_third_party_crate_is_named_in_its_own_module_only() {
    crate::none(&Sources::of(SOURCES).libraries(THIRD_PARTY));
}

#[test]
fn every_dependency_has_a_rule() {
    crate::every_dependency_has_a_rule("crates/cli", THIRD_PARTY, EVERYWHERE);
}
