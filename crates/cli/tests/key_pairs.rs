//! Python's `cryptography`, and `GmSSL` of SM2, as the judges of key pairs for applications, on random keys and messages: what either signs,
//! agrees on or encrypts the other takes, and each reads the other's keys in all forms.

mod support;

use sealstone::encoding::{decode_hex, encode_hex};
use sealstone::{Passphrase, exchange, hash, rsa, sign};
use serde_json::{Value, json};
use std::num::NonZero;
use std::path::Path;
use support::chance::exhaustive;
use support::{Sandbox, python, repository, run_python};

/// What all of the programs begin with. They read lines of JSON from the file `ours`, and print lines of JSON.
const HEAD: &str = r#"
import json
from cryptography.hazmat.primitives import hashes, serialization as s
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, mldsa, mlkem, padding, rsa, x25519

HASHES = {"sha1": hashes.SHA1(), "sha256": hashes.SHA256(), "sha384": hashes.SHA384(), "sha512": hashes.SHA512()}
CURVES = {"p256": ec.SECP256R1, "p384": ec.SECP384R1, "p521": ec.SECP521R1, "secp256k1": ec.SECP256K1}
LATTICES = {
    "ml-dsa-44": mldsa.MLDSA44PrivateKey, "ml-dsa-65": mldsa.MLDSA65PrivateKey, "ml-dsa-87": mldsa.MLDSA87PrivateKey,
    "ml-kem-768": mlkem.MLKEM768PrivateKey, "ml-kem-1024": mlkem.MLKEM1024PrivateKey,
}
LOCK = s.BestAvailableEncryption(b"correct horse")

def generate(kind):
    kind = kind.removesuffix("-sign")
    if kind in CURVES:
        return ec.generate_private_key(CURVES[kind]())
    if kind in LATTICES:
        return LATTICES[kind].generate()
    if kind == "rsa":
        return rsa.generate_private_key(65537, 2048)
    return {"ed25519": ed25519.Ed25519PrivateKey, "x25519": x25519.X25519PrivateKey}[kind].generate()

def forms(key, of):
    public = key.public_key()
    made = {
        "private_der": key.private_bytes(s.Encoding.DER, s.PrivateFormat.PKCS8, s.NoEncryption()).hex(),
        "public_der": public.public_bytes(s.Encoding.DER, s.PublicFormat.SubjectPublicKeyInfo).hex(),
        "public_pem": public.public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo).decode(),
    }
    if "locked" in of:
        made["locked"] = key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, LOCK).decode()
    if "ssh" in of:
        made["ssh"] = public.public_bytes(s.Encoding.OpenSSH, s.PublicFormat.OpenSSH).decode()
    if "ssh_private" in of:
        made["ssh_private"] = key.private_bytes(s.Encoding.PEM, s.PrivateFormat.OpenSSH, LOCK).decode()
    return made

def read(ours):
    key = s.load_der_private_key(bytes.fromhex(ours["private_der"]), None)
    public = s.load_pem_public_key(ours["public_pem"].encode())
    assert key.public_key() == public
    if "locked" in ours:
        assert s.load_pem_private_key(ours["locked"].encode(), b"correct horse").public_key() == public
    assert s.load_der_public_key(bytes.fromhex(ours["public_der"])) == public
    if "ssh" in ours:
        assert s.load_ssh_public_key(ours["ssh"].encode()) == public
    if "ssh_private" in ours:
        assert s.load_ssh_private_key(ours["ssh_private"].encode(), b"correct horse").public_key() == public
    return key

def ours():
    for line in open("ours"):
        yield json.loads(line)

def say(**said):
    print(json.dumps(said))
"#;

/// Verifies a signature of ours, and signs the message with our key and with one of its own.
const SIGN: &str = r#"
def arguments(of):
    kind = of["kind"].removesuffix("-sign")
    if kind in CURVES:
        return [ec.ECDSA(HASHES[of["hash"]])]
    if kind in LATTICES:
        return [bytes.fromhex(of["context"])]
    if kind == "rsa":
        hash = HASHES[of["hash"]]
        pss = padding.PSS(padding.MGF1(hash), padding.PSS.DIGEST_LENGTH)
        return [pss if of["scheme"] == "pss" else padding.PKCS1v15(), hash]
    return []

for of in ours():
    key, message = read(of), bytes.fromhex(of["message"])
    key.public_key().verify(bytes.fromhex(of["signature"]), message, *arguments(of))
    for made in (key, generate(of["kind"])):
        say(**forms(made, of), signature=made.sign(message, *arguments(of)).hex())
"#;

/// Computes what we computed, and the same with a key of its own.
const EXCHANGE: &str = r#"
for of in ours():
    key, own = read(of), generate(of["kind"])
    if "ciphertext" in of:
        assert key.decapsulate(bytes.fromhex(of["ciphertext"])).hex() == of["secret"]
        for made in (key, own):
            secret, ciphertext = made.public_key().encapsulate()
            say(**forms(made, of), secret=secret.hex(), ciphertext=ciphertext.hex())
        continue
    agree = lambda own, other: own.exchange(*([] if of["kind"] == "x25519" else [ec.ECDH()]), other)
    other = s.load_pem_public_key(of["other"].encode())
    assert agree(key, other).hex() == of["secret"]
    say(**forms(own, of), secret=agree(own, key.public_key()).hex())
"#;

/// Decrypts what we encrypted, and encrypts the same to our key and to one of its own.
const RSA: &str = r#"
own = generate("rsa")
for of in ours():
    key, message = read(of), bytes.fromhex(of["message"])
    if of["hash"] is None:
        how = padding.PKCS1v15()
    else:
        hash = HASHES[of["hash"]]
        how = padding.OAEP(padding.MGF1(hash), hash, bytes.fromhex(of["label"]) or None)
    assert key.decrypt(bytes.fromhex(of["ciphertext"]), how) == message
    for made in (key, own):
        say(**forms(made, of), ciphertext=made.public_key().encrypt(message, how).hex())
"#;

/// `GmSSL`, whose keys in Python are a number and two coordinates. It signs as the user that nobody names, and as others.
const SM2: &str = r#"
from gmssl_pyx import sm2_decrypt, sm2_encrypt, sm2_key_generate, sm2_sign, sm2_verify

own_public, own_private = sm2_key_generate()
for of in ours():
    private, public, message = (bytes.fromhex(of[name]) for name in ("private", "public", "message"))
    user = {} if of["id"] is None else {"signer_id": bytes.fromhex(of["id"])}
    signature = bytes.fromhex(of["signature"])
    assert sm2_verify(public, message, signature, **user)
    assert not sm2_verify(public, message + b"!", signature, **user)
    assert not sm2_verify(public, message, signature, signer_id=b"somebody else")
    assert not sm2_verify(own_public, message, signature, **user)
    plaintext = bytes.fromhex(of["plaintext"])
    assert sm2_decrypt(private, bytes.fromhex(of["ciphertext"])) == plaintext
    for private, public in ((private, public), (own_private, own_public)):
        say(
            private=private.hex(), public=public.hex(), signature=sm2_sign(private, public, message, **user).hex(),
            ciphertext=sm2_encrypt(public, plaintext).hex(),
        )
"#;

fn random(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    sealstone::random::fill(&mut bytes).unwrap();
    bytes
}

fn below(bound: usize) -> usize {
    let bound = NonZero::new(bound as u64).unwrap();
    sealstone::random::below(bound).unwrap().try_into().unwrap()
}

fn passphrase() -> Passphrase {
    Passphrase::new("correct horse").unwrap()
}

fn hex(value: &Value) -> Vec<u8> {
    decode_hex(value.as_str().unwrap()).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// A key of 2,048 bits: making one takes long.
fn rsa_2048() -> Vec<u8> {
    std::fs::read(repository().join("vectors/sign/rsa_2048.der")).unwrap()
}

/// What the program prints for these lines.
fn run(python: &Path, program: &str, ours: &[Value]) -> Vec<Value> {
    let sandbox = Sandbox::new();
    sandbox.write("ours", ours.iter().map(Value::to_string).collect::<Vec<_>>().join("\n"));
    let done = run_python(python, &sandbox, &[HEAD, program].concat(), &[]);
    assert_eq!(done.status, Some(0), "{done}");
    done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Both halves in the forms of their program, as `read` there takes them, and with a passphrase where that is asked for, which takes most of the
/// time. Macros, since the families' types have no trait in common.
macro_rules! forms {
    ($key:expr, $public_pem:expr, $public_der:expr, $is_locked:expr) => {{
        let mut made = json!({
            "private_der": encode_hex(&$key.to_der(None).unwrap()),
            "public_pem": $public_pem,
            "public_der": encode_hex(&$public_der),
        });
        if $is_locked {
            made["locked"] = $key.to_pem(Some(&passphrase())).unwrap().as_str().into();
        }
        made
    }};
}

/// Reads what `forms` there has made: each form has the same key, and DER is written as it was.
macro_rules! read {
    ($family:ident, $theirs:expr) => {{
        let key = $family::PrivateKey::parse(hex(&$theirs["private_der"]), None).unwrap();
        if let Some(locked) = $theirs["locked"].as_str() {
            let locked = $family::PrivateKey::parse(locked, Some(&passphrase())).unwrap();
            assert_eq!(locked.to_bytes(), key.to_bytes());
        }
        assert_eq!(encode_hex(&key.to_der(None).unwrap()), text(&$theirs["private_der"]));
        assert_eq!($family::PublicKey::parse(hex(&$theirs["public_der"])).unwrap(), key.public_key());
        assert_eq!($family::PublicKey::parse(text(&$theirs["public_pem"])).unwrap(), key.public_key());
        key
    }};
}

/// With a line of SSH and openssh-key-v1 where both programs have them.
fn has_ssh(kind: sign::Kind) -> bool {
    use sign::Kind;
    matches!(kind, Kind::Ed25519 | Kind::P256Sign | Kind::P384Sign | Kind::P521Sign)
}

#[test]
fn cryptography_and_we_verify_each_other_and_read_each_others_keys() {
    use sign::{Hash, Kind, Options, PrivateKey, PublicKey, Scheme};
    let Some(python) = python() else { return };
    let contexts = [vec![], random(1 + below(255))];
    let often = if exhaustive() { 4 } else { 1 };
    let mut cases = Vec::new();
    for kind in Kind::ALL {
        match kind {
            Kind::Ed25519 => cases.extend((0..often).map(|_| (kind, json!({}), Options::new()))),
            Kind::MlDsa44 | Kind::MlDsa65 | Kind::MlDsa87 => cases.extend(
                contexts.iter().map(|own| (kind, json!({ "context": encode_hex(own) }), Options::new().context(own))),
            ),
            Kind::RsaSign => {
                for scheme in Scheme::ALL {
                    cases.extend(Hash::ALL.map(|hash| {
                        let said = json!({ "hash": hash.name(), "scheme": scheme.name() });
                        (kind, said, Options::new().hash(hash).scheme(scheme))
                    }));
                }
            }
            // Python has neither.
            Kind::HybridSign | Kind::Hybrid44Sign | Kind::Sm2Sign => {}
            _ => cases.extend(Hash::ALL.map(|hash| (kind, json!({ "hash": hash.name() }), Options::new().hash(hash)))),
        }
    }
    let (mut ours, mut locked) = (Vec::new(), Vec::new());
    for (kind, said, options) in &cases {
        // The first of each kind.
        let is_locked = exhaustive() || !locked.contains(kind);
        locked.push(*kind);
        let key = match kind {
            Kind::RsaSign => PrivateKey::from_bytes(*kind, &rsa_2048()).unwrap(),
            _ => PrivateKey::generate(*kind).unwrap(),
        };
        let (public, message) = (key.public_key(), random(below(3000)));
        let mut line = forms!(key, public.to_pem(), public.to_der(), is_locked);
        let members = line.as_object_mut().unwrap();
        members.extend(said.as_object().unwrap().clone());
        members.insert("kind".to_owned(), kind.name().into());
        members.insert("message".to_owned(), encode_hex(&message).into());
        members.insert("signature".to_owned(), encode_hex(&key.sign_with(options, &message).unwrap()).into());
        if has_ssh(*kind) {
            members.insert("ssh".to_owned(), public.to_ssh("a comment").unwrap().into());
        }
        if has_ssh(*kind) && is_locked {
            members.insert("ssh_private".to_owned(), key.to_ssh(Some(&passphrase())).unwrap().to_string().into());
        }
        ours.push(line);
    }
    let said = run(&python, SIGN, &ours);
    assert_eq!(said.len(), 2 * cases.len());
    for ((theirs, (kind, _, options)), own) in said.chunks(2).zip(&cases).zip(&ours) {
        assert_eq!(theirs[0]["public_der"], own["public_der"], "{kind}");
        for theirs in theirs {
            let key = read!(sign, theirs);
            let public = key.public_key();
            public.verify_with(options, &hex(&own["message"]), &hex(&theirs["signature"])).unwrap();
            if has_ssh(*kind) {
                assert_eq!(text(&theirs["ssh"]), public.to_ssh("").unwrap());
                assert_eq!(PublicKey::parse(text(&theirs["ssh"])).unwrap(), public);
            }
            if let Some(private) = theirs["ssh_private"].as_str() {
                let read = PrivateKey::parse(private, Some(&passphrase())).unwrap();
                assert_eq!(read.to_bytes(), key.to_bytes(), "{kind}");
            }
        }
    }
    println!("{} keys and signatures each way", said.len());
    assert_eq!(cases.len(), often + 4 * 3 + 2 * 3 + 3 * 2);
}

#[test]
fn cryptography_and_we_share_the_same_secrets() {
    use exchange::{Kind, PrivateKey};
    let Some(python) = python() else { return };
    // Python has no X-Wing by itself, and no ML-KEM-512.
    let kinds = [Kind::X25519, Kind::P256, Kind::P384, Kind::P521, Kind::MlKem768, Kind::MlKem1024];
    let often = if exhaustive() { 3 } else { 1 };
    let kinds = kinds.repeat(often);
    let keys: Vec<_> = kinds.iter().map(|kind| PrivateKey::generate(*kind).unwrap()).collect();
    let mut ours = Vec::new();
    for (kind, key) in kinds.iter().zip(&keys) {
        let public = key.public_key();
        let mut line = forms!(key, public.to_pem().unwrap(), public.to_der().unwrap(), true);
        line["kind"] = kind.name().into();
        if kind.ciphertext_len().is_some() {
            let (ciphertext, secret) = public.encapsulate().unwrap();
            line["ciphertext"] = encode_hex(&ciphertext).into();
            line["secret"] = encode_hex(&*secret).into();
        } else {
            let other = PrivateKey::generate(*kind).unwrap().public_key();
            line["other"] = other.to_pem().unwrap().into();
            line["secret"] = encode_hex(&key.hazmat_shared_secret(&other).unwrap()).into();
        }
        ours.push(line);
    }
    let said = run(&python, EXCHANGE, &ours);
    let mut rest = said.iter();
    for (kind, key) in kinds.iter().zip(&keys) {
        if kind.ciphertext_len().is_none() {
            let theirs = rest.next().unwrap();
            let own = read!(exchange, theirs);
            assert_eq!(own.kind(), *kind);
            for (one, other) in [(key, &own), (&own, key)] {
                assert_eq!(**one.hazmat_shared_secret(&other.public_key()).unwrap(), hex(&theirs["secret"]), "{kind}");
            }
            continue;
        }
        for expected in [Some(key), None] {
            let theirs = rest.next().unwrap();
            let own = read!(exchange, theirs);
            assert!(expected.is_none_or(|key| key.to_bytes() == own.to_bytes()), "{kind}");
            assert_eq!(own.decapsulate(&hex(&theirs["ciphertext"])).unwrap()[..], hex(&theirs["secret"]), "{kind}");
        }
    }
    assert_eq!((rest.next(), said.len()), (None, often * (4 + 2 * 2)));
}

#[test]
fn cryptography_and_we_decrypt_what_the_other_encrypted_with_rsa() {
    use hash::Algorithm;
    use rsa::{Oaep, PrivateKey, legacy};
    let Some(python) = python() else { return };
    let key = PrivateKey::from_bytes(&rsa_2048()).unwrap();
    let public = key.public_key();
    let mut cases: Vec<(Option<Algorithm>, Vec<u8>, Vec<u8>)> = Vec::new();
    for hash in [Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha384, Algorithm::Sha512] {
        let longest = 256 - 2 * hash.digest_len() - 2;
        for len in [0, below(longest), longest] {
            cases.push((Some(hash), random(below(40)), random(len)));
        }
    }
    cases.extend([1, below(245), 245].map(|len| (None, vec![], random(len))));
    let ours: Vec<_> = cases
        .iter()
        .enumerate()
        .map(|(i, (hash, label, message))| {
            let ciphertext = match hash {
                Some(hash) => public.encrypt(&Oaep { hash: *hash, label }, message).unwrap(),
                None => legacy::encrypt(&public, message).unwrap(),
            };
            let mut line = forms!(key, public.to_pem(), public.to_der(), i == 0 || exhaustive());
            line["hash"] = hash.map(Algorithm::name).into();
            line["label"] = encode_hex(label).into();
            line["message"] = encode_hex(message).into();
            line["ciphertext"] = encode_hex(&ciphertext).into();
            line
        })
        .collect();
    let said = run(&python, RSA, &ours);
    assert_eq!(said.len(), 2 * cases.len());
    for (theirs, (hash, label, message)) in said.chunks(2).zip(&cases) {
        for theirs in theirs {
            let (key, ciphertext) = (read!(rsa, theirs), hex(&theirs["ciphertext"]));
            let plaintext = match hash {
                Some(hash) => key.decrypt(&Oaep { hash: *hash, label }, &ciphertext),
                None => legacy::decrypt(&key, &ciphertext),
            };
            assert_eq!(**plaintext.unwrap(), message[..], "{hash:?}");
        }
    }
    assert_eq!(cases.len(), 15);
}

#[test]
fn gmssl_and_we_verify_and_decrypt_sm2_of_each_other() {
    use sealstone::sm2::{Form, PublicKey};
    use sign::{Kind, Options, PrivateKey};
    fn options(id: Option<&[u8]>) -> Options<'_> {
        id.map_or(Options::new(), |id| Options::new().id(id))
    }
    let Some(python) = python() else { return };
    let often = if exhaustive() { 12 } else { 3 };
    let ids: Vec<_> = (0..often).map(|i| (i % 3 > 0).then(|| random(1 + below(100)))).collect();
    let mut ours = Vec::new();
    for id in &ids {
        let key = PrivateKey::generate(Kind::Sm2Sign).unwrap();
        // GmSSL encrypts 1 to 255 bytes.
        let (public, message, plaintext) = (key.public_key(), random(below(3000)), random(1 + below(255)));
        let ciphertext = PublicKey::from_bytes(public.to_bytes()).unwrap().encrypt(Form::Der, &plaintext).unwrap();
        ours.push(json!({
            "private": encode_hex(&key.to_bytes()), "public": encode_hex(&public.to_bytes()[1..]),
            "id": id.as_ref().map(|id| encode_hex(id)), "message": encode_hex(&message),
            "signature": encode_hex(&key.sign_with(&options(id.as_deref()), &message).unwrap()),
            "plaintext": encode_hex(&plaintext), "ciphertext": encode_hex(&ciphertext),
        }));
    }
    let said = run(&python, SM2, &ours);
    assert_eq!(said.len(), 2 * ids.len());
    for ((theirs, id), own) in said.chunks(2).zip(&ids).zip(&ours) {
        for theirs in theirs {
            let (private, message) = (hex(&theirs["private"]), hex(&own["message"]));
            let key = PrivateKey::from_bytes(Kind::Sm2Sign, &private).unwrap();
            let public = key.public_key();
            assert_eq!(encode_hex(&public.to_bytes()[1..]), text(&theirs["public"]));
            let signature = hex(&theirs["signature"]);
            public.verify_with(&options(id.as_deref()), &message, &signature).unwrap();
            let changed = [&message[..], b"!"].concat();
            assert!(public.verify_with(&options(id.as_deref()), &changed, &signature).is_err());
            assert!(public.verify_with(&Options::new().id(b"somebody else"), &message, &signature).is_err());
            let key = sealstone::sm2::PrivateKey::from_bytes(&private).unwrap();
            assert_eq!(*key.decrypt(Form::Der, &hex(&theirs["ciphertext"])).unwrap(), hex(&own["plaintext"]));
        }
    }
}
