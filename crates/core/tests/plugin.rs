//! Plugins of age: conversations as documents have them, hostile programs, and keys of plugins in files of age.

use sealstone::interop::age::{self, Answer, Conversation, Question, Step};
use sealstone::plugin::{Identity, Plugin, Recipient, SECRET_LEN, Secret, Stanza, Wrapped};
use sealstone::{Decryptor, Encryptor, Error, Input, Kind, PluginFault, Profile, Result, Rewrapper, Suite, inspect};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use zeroize::Zeroizing;

/// Nothing is asked of it.
struct Nobody;

impl Plugin for Nobody {
    fn wrap(&self, _: &Recipient, _: &Secret) -> Result<Wrapped> {
        panic!("nothing is wrapped here")
    }

    fn unwrap(&self, _: &Identity, _: &[Stanza]) -> Result<Option<Secret>> {
        panic!("nothing is unwrapped here")
    }
}

/// Bech32 of no data, of a plugin's recipient.
const RECIPIENT: &str = "age1yubikey1q2w7u3vpya839jxxuq8g0sedh3d740d4xvn639sqhr95ejj8vu3hyfumptt";

fn identity(name: &str) -> Identity {
    Identity::without_data(name, Arc::new(Nobody)).unwrap()
}

fn recipient() -> Recipient {
    Recipient::new([RECIPIENT], Arc::new(Nobody)).unwrap()
}

fn secret() -> Secret {
    Secret::new([7; SECRET_LEN])
}

/// The same in base64.
const SECRET: &str = "BwcHBwcHBwcHBwcHBwcHBw";

/// What was said, as commands; without what no plugin knows.
fn said(conversation: &mut Conversation) -> Vec<String> {
    let output = conversation.take_output();
    let text = std::str::from_utf8(&output).unwrap();
    let commands = text.split("-> ").skip(1).map(|command| command.trim_end_matches('\n').to_owned());
    commands.filter(|command| !command.starts_with("grease-")).collect()
}

/// What a program says, bit by bit, up to where something else comes.
fn hear(conversation: &mut Conversation, text: &str) -> Result<Step> {
    let mut step = conversation.step()?;
    for part in text.as_bytes().chunks(3) {
        assert!(matches!(step, Step::Listen), "{step:?} before {text:?}");
        conversation.receive(part);
        step = conversation.step()?;
    }
    Ok(step)
}

fn fault(error: Error) -> PluginFault {
    match error {
        Error::PluginFailed { fault, .. } => fault,
        other => panic!("{other:?}"),
    }
}

/// "Key wrapping" of the specification's examples.
#[test]
fn the_example_of_wrapping_is_understood() {
    let mut conversation = Conversation::to_wrap(&recipient(), &secret()).unwrap();
    assert_eq!(conversation.state_machine(), "recipient-v1");
    let expected =
        [&format!("add-recipient {RECIPIENT}"), "extension-labels", &format!("wrap-file-key\n{SECRET}"), "done"];
    assert_eq!(said(&mut conversation), expected);
    let stanzas = [
        "some-tag CJM36AHmTbdHSuOQL+NESqyVQE75f2e610iRdLPEN20\nC3ZAeY64NXS4QFrksLm3EGz+uPRyI0eQsWw7LWbbYig\n",
        "another-tag 42 ytazqsbmUnPwVWMVx0c1X9iUtGdY4yAB08UQTY2hNCI\nN3pgrXkbIn/RrVt0T0G3sQr1wGWuclqKxTSWHSqGdkc\n",
    ];
    for stanza in stanzas {
        assert_eq!(hear(&mut conversation, &format!("-> recipient-stanza 0 {stanza}")).unwrap(), Step::Listen);
        assert_eq!(said(&mut conversation), ["ok"]);
    }
    assert_eq!(hear(&mut conversation, "-> done\n\n").unwrap(), Step::Done);
    assert!(conversation.take_output().is_empty());
    let wrapped = conversation.into_wrapped().unwrap();
    let texts: Vec<String> = wrapped.stanzas().iter().map(|stanza| stanza.to_text()[3..].to_owned()).collect();
    assert_eq!(texts, stanzas);
    assert!(!wrapped.is_post_quantum() && !wrapped.is_apart() && wrapped.labels().next().is_none());
}

/// "Key unwrapping" of the specification's examples, of its first file: the words of age-plugin-yubikey.
#[test]
fn the_example_of_unwrapping_is_understood() {
    let body = data_encoding::BASE64_NOPAD.decode(b"51eEu5Oo2JYAG7OU4oamH03FDRP18/GnzeCrY7Z+sa8").unwrap();
    let stanza = Stanza::new("yubikey", ["BjH7FA", "RO+wV4kbbl4NtSmp56lQcfRdRp3dEFpdQmWkaoiw6lY"], body).unwrap();
    let identity = identity("yubikey");
    let mut conversation = Conversation::to_unwrap(&identity, std::slice::from_ref(&stanza)).unwrap();
    let text = identity.strings().next().unwrap();
    assert!(text.starts_with("AGE-PLUGIN-YUBIKEY-1"), "{text}");
    let stanza = format!("recipient-stanza 0 {}", stanza.to_text()[3..].trim_end());
    assert_eq!(said(&mut conversation), [&format!("add-identity {text}"), &stanza[..], "done"]);

    let message = "UGxlYXNlIGluc2VydCBZdWJpS2V5IHdpdGggc2VyaWFsIDY1MjI3MTM0";
    let step = hear(&mut conversation, &format!("-> msg\n{message}\n")).unwrap();
    assert_eq!(step, Step::Ask(Question::Message("Please insert YubiKey with serial 65227134".to_owned())));
    conversation.answer(&Answer::Done);
    assert_eq!(said(&mut conversation), ["ok"]);

    // As age-plugin-yubikey asks whether to skip a token: "YubiKey is plugged in", "Skip this YubiKey".
    let choices = "WXViaUtleSBpcyBwbHVnZ2VkIGlu U2tpcCB0aGlzIFl1YmlLZXk";
    let step = hear(&mut conversation, &format!("-> confirm {choices}\n{message}\n")).unwrap();
    let (yes, no) = ("YubiKey is plugged in".to_owned(), Some("Skip this YubiKey".to_owned()));
    let text = "Please insert YubiKey with serial 65227134".to_owned();
    assert_eq!(step, Step::Ask(Question::Confirm { text, yes, no }));
    conversation.answer(&Answer::Yes);
    assert_eq!(said(&mut conversation), ["ok yes"]);

    // As age-plugin-tpm asks.
    let step = hear(&mut conversation, "-> request-secret\nUGxlYXNlIGVudGVyIHRoZSBQSU4gZm9yIHRoZSBrZXk6\n").unwrap();
    assert_eq!(step, Step::Ask(Question::Secret("Please enter the PIN for the key:".to_owned())));
    conversation.answer(&Answer::Text(Zeroizing::new("123456".to_owned())));
    assert_eq!(said(&mut conversation), ["ok\nMTIzNDU2"]);

    assert_eq!(hear(&mut conversation, &format!("-> file-key 0\n{SECRET}\n")).unwrap(), Step::Listen);
    assert_eq!(said(&mut conversation), ["ok"]);
    assert_eq!(hear(&mut conversation, "-> done\n\n").unwrap(), Step::Done);
    assert_eq!(conversation.into_secret().unwrap(), Some(secret()));
}

/// As plugins of Go's library are: grease, labels, and a stanza, all said before anything is answered.
#[test]
fn labels_are_read_and_what_is_unknown_is_unsupported() {
    let mut conversation = Conversation::to_wrap(&recipient(), &secret()).unwrap();
    drop(conversation.take_output());
    let text = "-> grease-5f 17\nAAAA\n-> labels postquantum\n\n-> recipient-stanza 0 mlkem768p256tag\n\n-> grease-6\n\n-> done\n\n";
    assert_eq!(hear(&mut conversation, text).unwrap(), Step::Done);
    assert_eq!(said(&mut conversation), ["unsupported", "ok", "ok", "unsupported"]);
    let wrapped = conversation.into_wrapped().unwrap();
    assert!(wrapped.is_post_quantum() && !wrapped.is_apart());
}

#[test]
fn an_answer_that_is_none_is_a_failure() {
    for (question, answer, said_then) in [
        ("-> msg\n\n", Answer::Failed, "fail"),
        ("-> msg\n\n", Answer::Yes, "fail"),
        ("-> confirm eWVz\n\n", Answer::No, "ok no"),
        ("-> confirm eWVz\n\n", Answer::Done, "fail"),
        ("-> request-public\n\n", Answer::Text(Zeroizing::default()), "ok"),
        ("-> request-public\n\n", Answer::Yes, "fail"),
        ("-> request-secret\n\n", Answer::Failed, "fail"),
    ] {
        let mut conversation = Conversation::to_unwrap(&identity("x"), &[]).unwrap();
        drop(conversation.take_output());
        assert!(matches!(hear(&mut conversation, question).unwrap(), Step::Ask(_)), "{question}");
        conversation.answer(&answer);
        assert_eq!(said(&mut conversation), [said_then], "{question}");
    }
}

#[test]
fn errors_are_reported_in_the_words_of_the_plugin() {
    let unwrapping = || Conversation::to_unwrap(&identity("x"), &[Stanza::new("a", ["b"], vec![]).unwrap()]).unwrap();
    for (text, expected) in [
        ("-> error internal\nYnJva2Vu\n", "broken"),
        ("-> error identity 0\nYnJva2Vu\n", "broken"),
        ("-> error stanza 0 0\nYnJva2Vu\n", "broken (of stanza 1)"),
        // The first counts; a kind that is not known is an error all the same.
        ("-> error of-a-later-version 1 2 3\nYnJva2Vu\n-> error internal\n\n", "broken"),
    ] {
        let mut conversation = unwrapping();
        assert_eq!(hear(&mut conversation, &format!("{text}-> done\n\n")).unwrap(), Step::Done);
        assert_eq!(fault(conversation.into_secret().unwrap_err()), PluginFault::Said(expected.into()), "{text}");
        // One that ends at once has said why.
        let mut conversation = unwrapping();
        assert_eq!(hear(&mut conversation, text).unwrap(), Step::Listen);
        let error = conversation.broken_off(PluginFault::Ended("exit status 1".into()));
        assert_eq!(fault(error), PluginFault::Said(expected.into()), "{text}");
    }
    // As age-plugin-yubikey does, where one of two tokens opened the file.
    let mut conversation = unwrapping();
    let text = format!("-> error stanza 0 0\n\n-> file-key 0\n{SECRET}\n-> done\n\n");
    assert_eq!(hear(&mut conversation, &text).unwrap(), Step::Done);
    assert_eq!(conversation.into_secret().unwrap(), Some(secret()));
    // Beside stanzas an error is one.
    let mut conversation = Conversation::to_wrap(&recipient(), &secret()).unwrap();
    let text = "-> recipient-stanza 0 x\n\n-> error recipient 0\nYnJva2Vu\n-> done\n\n";
    assert_eq!(hear(&mut conversation, text).unwrap(), Step::Done);
    assert_eq!(fault(conversation.into_wrapped().unwrap_err()), PluginFault::Said("broken".into()));
    // Of several it is said whose it is.
    let both = Recipient::new([RECIPIENT, RECIPIENT], Arc::new(Nobody)).unwrap();
    let mut conversation = Conversation::to_wrap(&both, &secret()).unwrap();
    assert_eq!(hear(&mut conversation, "-> error recipient 1\nYnJva2Vu\n-> done\n\n").unwrap(), Step::Done);
    let expected = PluginFault::Said(format!("broken (of {RECIPIENT})").into());
    assert_eq!(fault(conversation.into_wrapped().unwrap_err()), expected);
}

#[test]
fn what_breaks_a_rule_ends_the_conversation() {
    let wrapping = || Conversation::to_wrap(&recipient(), &secret()).unwrap();
    let unwrapping = || Conversation::to_unwrap(&identity("x"), &[Stanza::new("a", ["b"], vec![]).unwrap()]).unwrap();
    let long = "A".repeat(64);
    let is_broken = |mut conversation: Conversation, text: &str| {
        let found = fault(hear(&mut conversation, text).expect_err(text));
        assert!(matches!(found, PluginFault::Protocol(_)), "{text}: {found}");
    };
    for text in [
        "-> recipient-stanza 1 x\n\n",
        "-> recipient-stanza 00 x\n\n",
        "-> recipient-stanza 0\n\n",
        "-> recipient-stanza\n\n",
        "-> labels a a\n\n",
        "-> labels a\n\n-> labels b\n\n",
        "-> error recipient 1\n\n",
        "-> error identity 0\n\n",
        "-> error recipient -1\n\n",
        "-> done now\n\n",
        "-> done\nAAAA\n",
        "-> confirm\n\n",
        "-> confirm YQ YQ YQ\n\n",
        "-> confirm YR\n\n",
        "-> msg\nYR\n",
        "-> msg\nYQ==\n",
        "-> msg \n\n",
        "->\n\n",
        "hello\n\n",
        "\n\n",
        "-> msg\r\n\r\n",
        "-> m\u{e4}g\n\n",
        &format!("-> msg\n{long}A\n"),
    ] {
        is_broken(wrapping(), text);
    }
    for text in [
        &format!("-> file-key 1\n{SECRET}\n"),
        &format!("-> file-key\n{SECRET}\n"),
        &format!("-> file-key 0 0\n{SECRET}\n"),
        "-> file-key 0\nBwcH\n",
        &format!("-> file-key 0\n{SECRET}\n-> file-key 0\n{SECRET}\n"),
        "-> error stanza 0 1\n\n",
        "-> error stanza 1 0\n\n",
        "-> error stanza 0\n\n",
        "-> error identity 1\n\n",
    ] {
        is_broken(unwrapping(), text);
    }
    // What the other task has is not known here.
    for (mut conversation, text) in [(wrapping(), "-> file-key 0\n\n"), (unwrapping(), "-> recipient-stanza 0 x\n\n")] {
        drop(conversation.take_output());
        assert_eq!(hear(&mut conversation, text).unwrap(), Step::Listen);
        assert_eq!(said(&mut conversation), ["unsupported"]);
    }
}

#[test]
fn a_program_that_never_ends_is_cut_off() {
    let mut conversation = Conversation::to_wrap(&recipient(), &secret()).unwrap();
    let mut received = 0;
    // A line that does not end.
    let error = loop {
        conversation.receive(&[b'x'; 4096]);
        received += 4096;
        match conversation.step() {
            Ok(step) => assert_eq!(step, Step::Listen),
            Err(error) => break error,
        }
    };
    assert!(matches!(fault(error), PluginFault::Protocol(_)) && received <= 140_000, "{received}");
    // A body that does not end.
    let mut conversation = Conversation::to_wrap(&recipient(), &secret()).unwrap();
    conversation.receive(b"-> msg\n");
    let line = format!("{}\n", "A".repeat(64));
    let found = (0..10_000).find_map(|_| {
        conversation.receive(line.as_bytes());
        conversation.step().err()
    });
    assert!(matches!(fault(found.unwrap()), PluginFault::Protocol(_)));
    // Commands that do not end, and stanzas.
    for (command, most) in [("-> grease\n\n", 10_000), ("-> recipient-stanza 0 x\n\n", 1024)] {
        let mut conversation = Conversation::to_wrap(&recipient(), &secret()).unwrap();
        let steps = (0..20_000).take_while(|_| {
            conversation.receive(command.as_bytes());
            let goes_on = conversation.step().is_ok();
            drop(conversation.take_output());
            goes_on
        });
        assert_eq!(steps.count(), most, "{command}");
    }
}

#[test]
fn names_are_those_of_programs_and_never_of_paths() {
    let keys: serde_json::Value = {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/borrowed/age_keys.json");
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    };
    let invalid = keys["invalid"].as_array().unwrap().iter().filter(|row| row["kind"] == "plugin");
    let mut count = 0;
    for row in invalid {
        let text = row["string"].as_str().unwrap();
        assert!(Recipient::plugin_of(text).is_none() && Identity::plugin_of(text).is_none(), "{text}");
        assert!(Recipient::new([text], Arc::new(Nobody)).is_err() && Identity::new([text], Arc::new(Nobody)).is_err());
        count += 1;
    }
    assert_eq!(count, 2);
    // age's own strings are of no plugin, post-quantum ones among them.
    for kind in ["x25519", "mlkem768x25519"] {
        for row in keys[kind].as_array().unwrap() {
            let (recipient, identity) = (row["recipient"].as_str().unwrap(), row["identity"].as_str().unwrap());
            assert!(Recipient::plugin_of(recipient).is_none() && Identity::plugin_of(identity).is_none());
        }
    }
    for name in ["", "a/b", "..\\x", "a b", "\u{e4}", "a\n", &"a".repeat(72)] {
        assert!(Identity::without_data(name, Arc::new(Nobody)).is_err(), "{name}");
    }
    for name in ["x", "YubiKey", "a-b_c.d+e", "1", "batchpass", &"a".repeat(71)] {
        let identity = identity(name);
        assert_eq!(identity.name(), name.to_ascii_lowercase());
        let text = identity.strings().next().unwrap().to_owned();
        assert_eq!(Identity::plugin_of(&text).unwrap(), identity.name());
        // Every other case is another string.
        assert!(Identity::plugin_of(&text.to_ascii_lowercase()).is_none());
        let damaged = format!("{}{}", &text[..text.len() - 1], if text.ends_with('Q') { 'P' } else { 'Q' });
        assert!(Identity::plugin_of(&damaged).is_none(), "{damaged}");
    }
    let of_two =
        [identity("x").strings().next().unwrap().to_owned(), identity("y").strings().next().unwrap().to_owned()];
    assert!(Identity::new(&of_two, Arc::new(Nobody)).is_err());
    assert!(Identity::new([""; 0], Arc::new(Nobody)).is_err() && Recipient::new([""; 0], Arc::new(Nobody)).is_err());
    for (text, is_identity) in [(RECIPIENT, false), (&of_two[0], true)] {
        let read = if is_identity {
            text.parse::<age::Identity>().map(drop)
        } else {
            text.parse::<age::Recipient>().map(drop)
        };
        assert!(read.unwrap_err().to_string().contains("an age plugin string"));
        let read = if is_identity {
            text.parse::<sealstone::Identity>().map(drop)
        } else {
            text.parse::<sealstone::Recipient>().map(drop)
        };
        assert!(read.unwrap_err().to_string().contains("an age plugin string"));
    }
}

/// A plugin in this process: it keeps what it wrapped in the clear, under the labels and in the stanzas that it is told.
#[derive(Default)]
struct Clear {
    labels: Vec<String>,
    /// Bytes of another stanza beside it.
    ballast: usize,
    /// What it answers in place of a secret.
    failure: Option<PluginFault>,
    asked: AtomicUsize,
}

impl Clear {
    fn identity(self) -> (Arc<Self>, Identity) {
        let own = Arc::new(self);
        (Arc::clone(&own), Identity::without_data("clear", own).unwrap())
    }

    fn labelled(labels: &[&str]) -> Recipient {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        Self { labels, ..Self::default() }.identity().1.recipient()
    }
}

impl Plugin for Clear {
    fn wrap(&self, recipient: &Recipient, secret: &Secret) -> Result<Wrapped> {
        assert_eq!((recipient.name(), recipient.identities().len()), ("clear", 1));
        let mut stanzas = vec![Stanza::new("clear", ["x"], secret.to_vec())?];
        if self.ballast > 0 {
            stanzas.push(Stanza::new("ballast", [""; 0], vec![7; self.ballast])?);
        }
        Ok(Wrapped::new(stanzas, self.labels.clone()))
    }

    fn unwrap(&self, _: &Identity, stanzas: &[Stanza]) -> Result<Option<Secret>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if let Some(fault) = &self.failure {
            return Err(Error::PluginFailed { plugin: "clear".into(), fault: fault.clone() });
        }
        let own = stanzas.iter().find(|stanza| stanza.kind() == "clear");
        Ok(own.map(|stanza| Secret::new(stanza.body().try_into().unwrap())))
    }
}

fn generate(kind: Kind) -> sealstone::Identity {
    sealstone::Identity::generate(kind).unwrap()
}

#[test]
fn a_file_of_ours_is_for_keys_of_plugins_and_of_others() {
    let (_, identity) = Clear::default().identity();
    let own = generate(Kind::X25519);
    for suite in [Suite::Aes256Gcm, Suite::ChaCha20Poly1305] {
        let recipients = [identity.recipient().into(), own.recipient()];
        let sealed = Encryptor::new(recipients).suite(suite).encrypt(b"attack at dawn").unwrap();
        for identity in [sealstone::Identity::from(identity.clone()), own.clone()] {
            assert_eq!(Decryptor::new([identity]).decrypt(&sealed).unwrap(), b"attack at dawn");
        }
        let seen = inspect(Input::reader(&sealed[..])).unwrap();
        let kinds: Vec<_> = seen.stanzas.iter().map(|stanza| (stanza.kind, stanza.type_id, stanza.served())).collect();
        assert_eq!(kinds[0], ("plugin", 8, Some(Kind::Plugin)));
    }
    let to_plugin = || Encryptor::new([identity.recipient().into()]);
    assert_eq!(to_plugin().suite(Suite::Sm4Gcm).encrypt(b"").unwrap_err().code(), "invalid_recipients");
    for profile in [Profile::Fips, Profile::Gm] {
        assert_eq!(to_plugin().profile(profile).encrypt(b"").unwrap_err().code(), "not_in_profile");
    }
    // No two files share a salt, and what the plugin shows of its secrets, behind flags and salt.
    let [one, other] = [(); 2].map(|()| to_plugin().encrypt(b"").unwrap());
    let text = String::from_utf8_lossy(&one[37..46]).into_owned();
    assert_eq!(text, "-> clear ");
    assert_ne!(one[21..37], other[21..37]);
    assert_ne!(one[48..70], other[48..70]);
}

#[test]
fn what_goes_with_a_plugin_is_what_its_labels_say() {
    let (hybrid, x25519) = (generate(Kind::Hybrid).recipient(), generate(Kind::X25519).recipient());
    let key = generate(Kind::Key).recipient();
    for (labels, with_hybrid, with_x25519, with_key) in [
        (&[][..], Some("mixed_recipients"), None, None),
        (&["postquantum"], None, Some("mixed_recipients"), None),
        (&["own"], Some("invalid_recipients"), Some("invalid_recipients"), Some("invalid_recipients")),
        (&["own", "postquantum"], Some("invalid_recipients"), Some("invalid_recipients"), Some("invalid_recipients")),
    ] {
        for (other, expected) in [(&hybrid, with_hybrid), (&x25519, with_x25519), (&key, with_key)] {
            let recipient = || sealstone::Recipient::from(Clear::labelled(labels));
            let encryptor = Encryptor::new([other.clone(), recipient()]);
            let found = encryptor.encrypt(b"").err().map(|error| error.code());
            assert_eq!(found, expected, "{labels:?} and {}", other.kind());
            let allowed = encryptor.allow_mixed(true).encrypt(b"").err().map(|error| error.code());
            assert_eq!(
                allowed,
                expected.filter(|code| *code == "invalid_recipients"),
                "{labels:?} and {}",
                other.kind()
            );
            // In a file that is there, whichever was first.
            let (_, identity) = Clear::default().identity();
            let sealed = Encryptor::new([recipient()]).encrypt(b"").unwrap();
            let given = Rewrapper::new([identity.into()], [other.clone()]).rewrap(&sealed);
            assert_eq!(given.err().map(|error| error.code()), expected, "{} to {labels:?}", other.kind());
        }
        // Alone it stands with any.
        assert!(Encryptor::new([Clear::labelled(labels).into()]).encrypt(b"").is_ok(), "{labels:?}");
    }
    let of_age = |labels: &[&str], other: &str| {
        let other = if other == "x25519" { x25519.clone() } else { hybrid.clone() };
        let recipients = [age::Recipient::from(Clear::labelled(labels)), other.try_into().unwrap()];
        age::Encryptor::new(recipients).encrypt(b"").err().map(|error| error.code())
    };
    assert_eq!((of_age(&[], "x25519"), of_age(&["postquantum"], "hybrid")), (None, None));
    assert_eq!(of_age(&[], "hybrid"), Some("mixed_recipients"));
    assert_eq!(of_age(&["postquantum"], "x25519"), Some("mixed_recipients"));
    assert_eq!(of_age(&["own"], "x25519"), Some("invalid_recipients"));
    assert_eq!(of_age(&["own", "postquantum"], "hybrid"), Some("invalid_recipients"));
    let both = || [Clear::labelled(&["own"]).into(), Clear::labelled(&["own"]).into()];
    assert!(age::Encryptor::new(both()).encrypt(b"").is_ok(), "the same labels go together");
}

#[test]
fn a_plugin_is_asked_last_and_its_failure_is_told_of_when_nothing_opens() {
    let fault = PluginFault::Said("no token".into());
    let (plugin, identity) = Clear { failure: Some(fault.clone()), ..Clear::default() }.identity();
    let own = generate(Kind::X25519);
    let stranger = generate(Kind::X25519);
    let sealed = Encryptor::new([identity.recipient().into(), own.recipient()]).encrypt(b"attack").unwrap();
    let of_age = {
        let recipients = [identity.recipient().into(), own.recipient().try_into().unwrap()];
        age::Encryptor::new(recipients).encrypt(b"attack").unwrap()
    };
    let ours = |other: &sealstone::Identity| Decryptor::new([identity.clone().into(), other.clone()]).decrypt(&sealed);
    let theirs = |other: &sealstone::Identity| {
        age::Decryptor::new([identity.clone().into(), other.clone().try_into().unwrap()]).decrypt(&of_age)
    };
    assert_eq!((ours(&own).unwrap(), theirs(&own).unwrap()), (b"attack".to_vec(), b"attack".to_vec()));
    assert_eq!(plugin.asked.load(Ordering::Relaxed), 0);
    for result in [ours(&stranger), theirs(&stranger)] {
        let Err(Error::PluginFailed { fault: found, .. }) = result else { panic!("{result:?}") };
        assert_eq!(found, fault);
    }
    assert_eq!(plugin.asked.load(Ordering::Relaxed), 2);
}

#[test]
fn what_a_plugin_makes_is_bounded() {
    let sealed = |ballast| {
        let (_, identity) = Clear { ballast, ..Clear::default() }.identity();
        let sealed = Encryptor::new([identity.recipient().into()]).encrypt(b"")?;
        Decryptor::new([identity.into()]).decrypt(&sealed)
    };
    // 65,535 less flags, salt, wrap and the plugin's own stanza; of the other, four characters for three bytes and 65 for 64.
    let text = |bytes| Stanza::new("ballast", [""; 0], vec![7; bytes]).unwrap().to_text().len();
    let room = 65_535 - 1 - 16 - 48 - Stanza::new("clear", ["x"], vec![7; 16]).unwrap().to_text().len();
    let most = (0..65_535).rev().find(|bytes| text(*bytes) <= room).unwrap();
    assert!(sealed(most).is_ok());
    assert_eq!(sealed(most + 1).unwrap_err().code(), "invalid_recipients");
    let none = |count: usize| {
        struct Many(usize);
        impl Plugin for Many {
            fn wrap(&self, _: &Recipient, _: &Secret) -> Result<Wrapped> {
                Ok(Wrapped::classical(vec![Stanza::new("x", [""; 0], vec![])?; self.0]))
            }
            fn unwrap(&self, _: &Identity, _: &[Stanza]) -> Result<Option<Secret>> {
                Ok(None)
            }
        }
        let recipient = Identity::without_data("many", Arc::new(Many(count))).unwrap().recipient();
        let ours = Encryptor::new([recipient.clone().into()]).encrypt(b"").err();
        let theirs = age::Encryptor::new([recipient.into()]).encrypt(b"").err();
        [ours, theirs].map(|error| error.map(|error| error.code()))
    };
    assert_eq!(none(0), [Some("plugin_failed"); 2]);
    assert_eq!(none(1024), [None; 2]);
    assert_eq!(none(1025), [Some("plugin_failed"); 2]);
}

/// The example of the format's section 4.12.
#[test]
fn the_example_of_the_format_opens() {
    struct Example;
    impl Plugin for Example {
        fn wrap(&self, _: &Recipient, _: &Secret) -> Result<Wrapped> {
            panic!("nothing is wrapped here")
        }
        fn unwrap(&self, _: &Identity, stanzas: &[Stanza]) -> Result<Option<Secret>> {
            assert_eq!(stanzas, [Stanza::new("example", ["x"], vec![1, 2, 3])?]);
            Ok(Some(Secret::new(std::array::from_fn(|i| 0x50 + u8::try_from(i).unwrap()))))
        }
    }
    let spec = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/format.md")).unwrap();
    let section = spec.split("### 4.12 `plugin`").nth(1).expect("the spec has the section");
    let value = |name: &str| {
        let line = section.lines().find_map(|line| line.strip_prefix(&format!("{name} = ")));
        data_encoding::HEXLOWER.decode(line.expect("the example has this value").as_bytes()).unwrap()
    };
    // The header's MAC and the payload are those of another file, and the MAC is the first that differs.
    let stanza = value("stanza");
    let len = u32::try_from(stanza.len()).unwrap().to_be_bytes();
    let file = [b"\x89SEAL\r\n\x1a\x01\x01\0\0", &len[..], &stanza, &[0; 32 + 56 + 16]].concat();
    let identity = Identity::without_data("example", Arc::new(Example)).unwrap();
    assert_eq!(Decryptor::new([identity.into()]).decrypt(&file).unwrap_err().code(), "header_not_authentic");
    let text = String::from_utf8(value("age_stanzas")).unwrap();
    assert_eq!(text, Stanza::new("example", ["x"], vec![1, 2, 3]).unwrap().to_text());
}

#[test]
fn no_secret_is_printed() {
    let identity = identity("x");
    let shown =
        format!("{identity:?} {:?} {:?}", identity.recipient(), Conversation::to_unwrap(&identity, &[]).unwrap());
    assert!(!shown.contains("AGE-PLUGIN"), "{shown}");
}
