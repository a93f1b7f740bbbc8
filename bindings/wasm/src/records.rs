//! Records that calls give, as JSON. `make generate` writes them.

use crate::json::{Json, object};
use sealstone_engine::calls::records::{Inspection, KeyPairText, StanzaInfo, Verification};

impl Json for Inspection {
    fn write(&self, text: &mut String) {
        object(
            text,
            &[
                ("version", &self.version),
                ("suite", &self.suite),
                ("contextBound", &self.context_bound),
                ("compressed", &self.compressed),
                ("archive", &self.archive),
                ("armoured", &self.armoured),
                ("headerLen", &self.header_len),
                ("stanzas", &self.stanzas),
                ("payloadLen", &self.payload_len),
                ("plaintextLen", &self.plaintext_len),
                ("chunks", &self.chunks),
            ],
        );
    }
}

impl Json for StanzaInfo {
    fn write(&self, text: &mut String) {
        object(text, &[("kind", &self.kind), ("typeId", &self.type_id), ("bodyLen", &self.body_len)]);
    }
}

impl Json for Verification {
    fn write(&self, text: &mut String) {
        object(
            text,
            &[
                ("kind", &self.kind),
                ("fingerprint", &self.fingerprint),
                ("sshFingerprint", &self.ssh_fingerprint),
                ("principals", &self.principals),
                ("comment", &self.comment),
                ("contentLen", &self.content_len),
            ],
        );
    }
}

impl Json for KeyPairText {
    fn write(&self, text: &mut String) {
        object(text, &[("publicKey", &self.public_key), ("privateKey", &self.private_key)]);
    }
}
