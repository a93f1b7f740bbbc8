//! Signatures of content verify, every change of them is refused, and `ssh-keygen` agrees.

use super::*;
use crate::openssl_tests::skip;
use crate::sign::{Options, PrivateKey, PublicKey};
use proptest::prelude::*;
use std::process::{Command, Stdio};
use std::time::SystemTime;

const KINDS: [Kind; 6] =
    [Kind::Ed25519, Kind::P256Sign, Kind::MlDsa65, Kind::HybridSign, Kind::Hybrid44Sign, Kind::Sm2Sign];
const CONTENT: &[u8] = b"attack at dawn\n";

fn key(kind: Kind) -> SigningKey {
    SigningKey::new(PrivateKey::generate(kind).unwrap()).unwrap()
}

fn reader(key: &SigningKey) -> SignatureReader {
    SignatureReader::new(Signers::new([key.signer().clone()]))
}

fn code<T: fmt::Debug>(result: Result<T>) -> &'static str {
    result.unwrap_err().code()
}

/// A signed file, in memory.
fn attached(key: &SigningKey, content: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let done = SignatureWriter::new(key).attached(Input::reader(content), Output::writer(&mut file)).unwrap();
    assert_eq!((done.content, done.written), (content.len() as u64, file.len() as u64));
    file
}

#[test]
fn the_kinds_are_those_that_sign_files() {
    assert!(Kind::ALL.into_iter().filter(|kind| kind.signs_files()).eq(KINDS));
    for kind in Kind::ALL.into_iter().filter(|kind| !kind.signs_files() && *kind != Kind::RsaSign) {
        let key = PrivateKey::generate(kind).unwrap();
        assert_eq!(code(Signer::new(key.public_key())), "unsupported_key");
        assert_eq!(code(SigningKey::new(key)), "unsupported_key");
    }
}

#[test]
fn what_every_kind_signs_it_verifies() {
    for kind in KINDS {
        let key = key(kind);
        let (writer, reader) = (SignatureWriter::new(&key), reader(&key));
        let comment = Comment::new("a comment").unwrap();
        for writer in [writer.clone(), writer.comment(comment.clone())] {
            let text = writer.detached(Input::reader(CONTENT)).unwrap();
            assert!(text.len() <= 9187, "{kind}");
            let verified = reader.detached(Input::reader(CONTENT), text.as_bytes()).unwrap();
            assert_eq!(verified.comment(), writer.comment.as_ref().map(Comment::as_str));
            assert_eq!((verified.kind(), verified.content_len()), (kind, CONTENT.len() as u64));
            let crlf = text.replace('\n', "\r\n");
            reader.detached(Input::reader(CONTENT), crlf.as_bytes()).unwrap();
            assert_eq!(code(reader.detached(Input::reader(&CONTENT[1..]), text.as_bytes())), "invalid_signature");
            let git = reader.clone().namespace(Namespace::new("git").unwrap());
            assert_eq!(code(git.detached(Input::reader(CONTENT), text.as_bytes())), "wrong_namespace");
        }
        let file = attached(&key, CONTENT);
        assert_eq!(reader.check_attached(Input::reader(&file[..])).unwrap().signer(), key.signer());
    }
}

#[test]
fn content_whose_signature_never_comes_is_not_verified() {
    let (key, stranger) = (key(Kind::Ed25519), key(Kind::Ed25519));
    let file = attached(&stranger, CONTENT);
    let mut verifying = reader(&key).begin_attached().unwrap();
    verifying.update(CONTENT);
    assert_eq!(code(verifying.behind(CONTENT)), "not_a_signature");
    assert_eq!(code(verifying.behind(&file)), "unknown_signer");
    assert_eq!(code(verifying.finish()), "not_a_signature");
    assert_eq!(code(SignatureReader::new(Signers::default()).begin_attached()), "invalid_signer");
}

#[test]
fn the_longest_signature_has_as_many_bytes_as_is_said() {
    let key = key(Kind::HybridSign);
    let namespace = Namespace::new(&"n".repeat(NAMESPACE_MAX_LEN)).unwrap();
    let comment = Comment::new(&"c".repeat(COMMENT_MAX_LEN)).unwrap();
    let text = SignatureWriter::new(&key).namespace(namespace).comment(comment).detached(Input::reader(CONTENT));
    assert_eq!(text.unwrap().len(), 9187);
}

#[test]
fn a_change_of_any_byte_of_a_signature_is_refused() {
    for (kind, step) in [
        (Kind::Ed25519, 1),
        (Kind::P256Sign, 1),
        (Kind::Sm2Sign, 7),
        (Kind::MlDsa65, 131),
        (Kind::HybridSign, 131),
        (Kind::Hybrid44Sign, 131),
    ] {
        let key = key(kind);
        let reader = reader(&key);
        let comment = Comment::new("ok").unwrap();
        let text = SignatureWriter::new(&key).comment(comment).detached(Input::reader(CONTENT)).unwrap();
        for at in (0..text.len()).step_by(step) {
            for change in [0x01, 0x02, 0x20] {
                let mut changed = text.clone().into_bytes();
                changed[at] ^= change;
                let refused = code(reader.detached(Input::reader(CONTENT), &changed));
                let codes = "not_a_signature malformed_signature unsupported_signature wrong_namespace unknown_signer \
                             invalid_signature";
                assert!(codes.split(' ').any(|code| code == refused), "{kind}, byte {at}: {refused}");
            }
            let cut = reader.detached(Input::reader(CONTENT), &text.as_bytes()[..at]);
            // Without its last line end it is whole.
            assert_eq!(cut.is_ok(), at + 1 == text.len(), "{kind}, {at} bytes");
        }
    }
}

#[test]
fn signed_files_nest_and_each_reader_takes_the_last_signature() {
    let [inner, outer] = [key(Kind::Ed25519), key(Kind::P256Sign)];
    let once = attached(&inner, CONTENT);
    let twice = attached(&outer, &once);
    let mut content = Vec::new();
    reader(&outer).attached(Input::reader(&twice[..]), Output::writer(&mut content)).unwrap();
    assert_eq!(content, once);
    assert_eq!(code(reader(&inner).check_attached(Input::reader(&twice[..]))), "unknown_signer");
    let thrice = attached(&inner, &twice);
    assert_eq!(reader(&inner).check_attached(Input::reader(&thrice[..])).unwrap().content_len(), twice.len() as u64);
}

proptest! {
    #![proptest_config(crate::cases::cases(60))]

    #[test]
    fn any_split_of_reads_gives_the_same(
        len in prop_oneof![0usize..100, 15_800usize..16_800, 130_000usize..133_000, 0usize..300_000],
        parts in proptest::collection::vec(1usize..40_000, 1..6),
        change in any::<prop::sample::Index>(),
    ) {
        let key = key(Kind::Ed25519);
        let content: Vec<u8> = (0..=250).cycle().take(len).collect();
        let file = attached(&key, &content);
        let pieces = |file: &[u8]| Input::reader(Pieces { bytes: file.to_vec(), lengths: parts.clone(), at: 0, calls: 0 });
        let mut released = Vec::new();
        let verified = reader(&key).attached(pieces(&file), Output::writer(&mut released)).unwrap();
        prop_assert_eq!(verified.content_len(), len as u64);
        prop_assert!(released == content);
        let mut changed = file.clone();
        let at = change.index(file.len());
        changed[at] ^= 1;
        released.clear();
        prop_assert!(reader(&key).attached(pieces(&changed), Output::writer(&mut released)).is_err());
        prop_assert!(released.is_empty());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signed");
        std::fs::write(&path, &file).unwrap();
        reader(&key).attached(Input::open(&path).unwrap(), Output::writer(&mut released)).unwrap();
        prop_assert!(released == content);
        let text = SignatureWriter::new(&key).detached(pieces(&content)).unwrap();
        reader(&key).detached(pieces(&content), text.as_bytes()).unwrap();
    }
}

/// Gives bytes in pieces of these lengths, over and over.
struct Pieces {
    bytes: Vec<u8>,
    lengths: Vec<usize>,
    at: usize,
    calls: usize,
}

impl Read for Pieces {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        let len = self.lengths[self.calls % self.lengths.len()].min(out.len()).min(self.bytes.len() - self.at);
        out[..len].copy_from_slice(&self.bytes[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

#[test]
fn content_that_goes_to_a_stream_waits_in_bounded_memory() {
    let key = key(Kind::Ed25519);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signed");
    let len = (64 << 20) + 1;
    let input = Input::reader(io::repeat(b'a').take(len));
    SignatureWriter::new(&key).attached(input, Output::file(&path).unwrap()).unwrap();
    let open = || Input::open(&path).unwrap();
    let stream = || Input::reader(std::fs::File::open(&path).unwrap());
    for input in [open(), stream()] {
        let mut released = Vec::new();
        assert_eq!(code(reader(&key).attached(input, Output::writer(&mut released))), "too_long");
        assert!(released.is_empty());
    }
    for input in [open(), stream()] {
        let output = folder.path().join("content");
        assert_eq!(reader(&key).attached(input, Output::file(&output).unwrap()).unwrap().content_len(), len);
        assert_eq!(std::fs::metadata(&output).unwrap().len(), len);
        std::fs::remove_file(output).unwrap();
    }
}

#[test]
fn files_are_not_replaced_unasked_and_the_work_can_be_ended() {
    let key = key(Kind::Ed25519);
    let folder = tempfile::tempdir().unwrap();
    let [content, signed] = ["content", "signed"].map(|name| folder.path().join(name));
    std::fs::write(&content, CONTENT).unwrap();
    let writer = SignatureWriter::new(&key);
    let sign = |output| writer.attached(Input::open(&content).unwrap(), output);
    assert_eq!(code(sign(Output::file(&content).unwrap())), "same_file");
    sign(Output::file(&signed).unwrap()).unwrap();
    assert_eq!(code(sign(Output::file(&signed).unwrap())), "output_exists");
    let verify = |output| reader(&key).attached(Input::open(&signed).unwrap(), output);
    assert_eq!(code(verify(Output::file(&content).unwrap())), "output_exists");
    verify(Output::file(&signed).unwrap().in_place()).unwrap();
    assert_eq!(std::fs::read(&signed).unwrap(), CONTENT);
    let ended = writer.clone().cancel_when(|| true);
    assert_eq!(code(ended.detached(Input::reader(CONTENT))), "cancelled");
    let ended = reader(&key).cancel_when(|| true);
    let text = writer.detached(Input::reader(CONTENT)).unwrap();
    assert_eq!(code(ended.detached(Input::reader(CONTENT), text.as_bytes())), "cancelled");
    assert_eq!(code(ended.check_attached(Input::reader(&attached(&key, CONTENT)[..]))), "cancelled");
}

#[test]
fn a_caller_without_signers_and_kinds_outside_of_a_profile_are_refused_before_the_file() {
    let none = SignatureReader::new(Signers::default());
    assert_eq!(code(none.detached(Input::reader(CONTENT), b"nothing")), "invalid_signer");
    assert_eq!(code(none.clone().profile(Profile::Gm).check_attached(Input::reader(CONTENT))), "invalid_signer");
    for (profile, kinds) in [(Profile::Fips, &[Kind::P256Sign, Kind::MlDsa65][..]), (Profile::Gm, &[Kind::Sm2Sign])] {
        for kind in KINDS {
            let key = key(kind);
            let text = SignatureWriter::new(&key).profile(profile).detached(Input::reader(CONTENT));
            let refused =
                reader(&key).profile(profile).detached(Input::reader(CONTENT), b"nothing").unwrap_err().code();
            if kinds.contains(&kind) {
                reader(&key).profile(profile).detached(Input::reader(CONTENT), text.unwrap().as_bytes()).unwrap();
                assert_eq!(refused, "not_a_signature");
            } else {
                assert_eq!((code(text), refused), ("not_in_profile", "not_in_profile"));
            }
        }
    }
}

#[test]
fn namespaces_and_comments_are_those_of_the_specification() {
    for wrong in ["", " ", "a b", "a,b", "ä", "a\n", &"a".repeat(256), "sealstone-", "sealstone-file"] {
        assert_eq!(code(wrong.parse::<Namespace>()), "invalid_namespace", "{wrong:?}");
    }
    for right in ["!", "~", "file@example.org", &"a".repeat(255), "sealstone"] {
        assert_eq!(right.parse::<Namespace>().unwrap().to_string(), right);
    }
    let refused = ["\u{0}", "\u{1f}", "\u{7f}", "\u{9f}", "\u{2028}", "\u{2029}", "\u{61c}", "\u{200e}", "\u{200f}"];
    let turning = ["\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}"];
    for wrong in ["", &"ä".repeat(513)].into_iter().chain(refused).chain(turning) {
        assert_eq!(code(wrong.parse::<Comment>()), "invalid_comment", "{wrong:?}");
    }
    for right in [" ", "\u{a0}", "\u{200d}", "\u{2027}", "\u{202f}", "\u{206a}", "\u{feff}", &"ä".repeat(512)] {
        assert_eq!(right.parse::<Comment>().unwrap().to_string(), right);
    }
}

/// Section 7.6. OpenSSH signs files with RSA and other curves, which we do not.
#[test]
fn no_key_signs_data_that_begins_as_what_files_sign() {
    for key in crate::sign::tests::keys() {
        let kind = key.kind();
        for message in
            [&b"SSHSIG"[..], b"SSHSIG\0", b"CompositeAlgorithmSignatures2025", b"CompositeAlgorithmSignatures2025\0"]
        {
            assert_eq!(code(key.sign(message)), "invalid_key", "{kind}");
            // Only the writer of signature files makes this prefix.
            let signature = key.sign_of_file(message).unwrap();
            key.public_key().verify_of_file(message, &signature).unwrap();
            let has_numbers =
                matches!(kind, Kind::P256Sign | Kind::P384Sign | Kind::P521Sign | Kind::Secp256k1 | Kind::Sm2Sign);
            let options = Options::new();
            let options = if has_numbers { options.encoding(crate::sign::Encoding::Fixed) } else { options };
            assert_eq!(
                code(key.public_key().verify_with(&options, message, &signature)),
                "invalid_signature",
                "{kind}"
            );
            let short = &message[..message.len().min(5)];
            key.public_key().verify(short, &key.sign(short).unwrap()).unwrap();
        }
    }
}

#[test]
fn a_key_of_ssh_signs_files_and_nothing_else() {
    let own = PrivateKey::generate(Kind::Ed25519).unwrap();
    let file = own.to_ssh(None).unwrap();
    let read = PrivateKey::parse(&*file, None).unwrap();
    assert_eq!(code(read.sign(CONTENT)), "invalid_key");
    assert_eq!(code(read.sign_with(&Options::new(), CONTENT)), "invalid_key");
    for key in [SigningKey::new(read).unwrap(), SigningKey::parse(&*file, None).unwrap()] {
        let text = SignatureWriter::new(&key).detached(Input::reader(CONTENT)).unwrap();
        let signers = Signers::new([Signer::new(own.public_key()).unwrap()]);
        SignatureReader::new(signers).detached(Input::reader(CONTENT), text.as_bytes()).unwrap();
    }
}

/// With `ssh-keygen`, of which Debian has 9.2: each verifies what the other signs.
#[test]
fn ssh_keygen_and_we_verify_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str], input: &[u8]| {
        let mut child = Command::new("ssh-keygen")
            .current_dir(folder.path())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .ok()?;
        // One that refuses before it reads has closed its end.
        _ = child.stdin.take().unwrap().write_all(input);
        Some(child.wait_with_output().unwrap())
    };
    let long = vec![7; 100_000];
    for (kind, made) in [(Kind::Ed25519, ["ed25519", "256"]), (Kind::P256Sign, ["ecdsa", "256"])] {
        let name = kind.name();
        let arguments = ["-q", "-t", made[0], "-b", made[1], "-N", "", "-C", "", "-f", name];
        let Some(said) = run(&arguments, b"") else { return skip("there is no ssh-keygen") };
        assert!(said.status.success(), "{said:?}");
        let key = SigningKey::parse(std::fs::read(folder.path().join(name)).unwrap(), None).unwrap();
        let line = key.signer().to_line("").unwrap();
        let allowed = format!("alice@example.org namespaces=\"file,git\",valid-after=\"20200101Z\" {line}\n");
        std::fs::write(folder.path().join("allowed"), &allowed).unwrap();
        for (namespace, content) in [("file", &b""[..]), ("git", CONTENT), ("file", &long)] {
            let namespace = Namespace::new(namespace).unwrap();
            // Sealstone signs, and ssh-keygen verifies.
            let text =
                SignatureWriter::new(&key).namespace(namespace.clone()).detached(Input::reader(content)).unwrap();
            std::fs::write(folder.path().join("ours.sig"), &text).unwrap();
            let verify = [
                "-Y",
                "verify",
                "-f",
                "allowed",
                "-I",
                "alice@example.org",
                "-n",
                namespace.as_str(),
                "-s",
                "ours.sig",
            ];
            let said = run(&verify, content).unwrap();
            assert!(said.status.success(), "{kind}: {said:?}");
            let said = run(&verify, &[content, b"."].concat()).unwrap();
            assert!(!said.status.success(), "{kind}: {said:?}");
            // ssh-keygen signs, and Sealstone verifies.
            let hashes = [&["-O", "hashalg=sha512"][..], &["-O", "hashalg=sha256"]];
            for hash in hashes {
                let sign = [&["-q", "-Y", "sign", "-f", name, "-n", namespace.as_str()][..], hash].concat();
                let said = run(&sign, content).unwrap();
                assert!(said.status.success(), "{kind}: {said:?}");
                let signers = AllowedSigners::parse(&allowed).unwrap();
                let signers = signers.signers(Some("alice@example.org"), namespace.as_str(), SystemTime::now());
                let reader = SignatureReader::new(signers).namespace(namespace.clone());
                let verified = reader.detached(Input::reader(content), &said.stdout).unwrap();
                assert_eq!((verified.kind(), verified.principals()), (kind, Some("alice@example.org")));
                // Behind the content it is an attached file.
                let file = [content, &said.stdout].concat();
                assert_eq!(
                    reader.check_attached(Input::reader(&file[..])).unwrap().content_len(),
                    content.len() as u64
                );
            }
        }
        let comment = Comment::new("it refuses comments").unwrap();
        let text = SignatureWriter::new(&key).comment(comment).detached(Input::reader(CONTENT)).unwrap();
        std::fs::write(folder.path().join("ours.sig"), text).unwrap();
        let verify = ["-Y", "verify", "-f", "allowed", "-I", "alice@example.org", "-n", "file", "-s", "ours.sig"];
        assert!(!run(&verify, CONTENT).unwrap().status.success());
        let public = PublicKey::parse(std::fs::read(folder.path().join(format!("{name}.pub"))).unwrap()).unwrap();
        assert_eq!(key.signer().public_key(), &public);
    }
}
