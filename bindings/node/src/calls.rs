//! The exports, one of each call of the engine. `make generate` writes them.

use crate::answer::{Answer, Env, IfAny, Returned};
use crate::call::{Call, Export};
use crate::handles::{all, held, hold, hold_all, hold_any, job_of, last, with};
use crate::memory::Moved;
use sealstone_engine::calls::records::{
    Archived, BatchResult, Extracted, Inspection, ItemFailure, KeyPairText, LeftOut, Listing, Processed, Signed,
    StanzaInfo, Verification,
};
use sealstone_engine::calls::{age, base, cipher, compat, digest, exchange, native, rsa, sign};
use sealstone_engine::exchange::AgreedBy;
use sealstone_engine::files::{self, EncryptOptions};
use sealstone_engine::kdf::{CrossingCost, DerivedOf};
use sealstone_engine::rsa::OaepOptions;
use sealstone_engine::sign::SignOptions;

/// The exports by their names in JavaScript.
pub const EXPORTS: &[(&str, Export)] = &[
    ("ageIdentityGenerate", age_identity_generate),
    ("ageIdentity", age_identity),
    ("ageIdentityOfPassphrase", age_identity_of_passphrase),
    ("ageIdentityRecipient", age_identity_recipient),
    ("ageRecipient", age_recipient),
    ("ageRecipientOfPassphrase", age_recipient_of_passphrase),
    ("ageRecipientOfPoint", age_recipient_of_point),
    ("ageEncryptor", age_encryptor),
    ("ageDecryptor", age_decryptor),
    ("ageHeadLen", age_head_len),
    ("ageSealedLen", age_sealed_len),
    ("ageOpenedLen", age_opened_len),
    ("ageChunkLen", age_chunk_len),
    ("ageStanzas", age_stanzas),
    ("ageWrap", age_wrap),
    ("ageX25519Share", age_x25519_share),
    ("ageX25519FileKey", age_x25519_file_key),
    ("ageFileKeyLater", age_file_key_later),
    ("ageUnitsMax", age_units_max),
    ("ageSealerLater", age_sealer_later),
    ("ageSealerOfStanzas", age_sealer_of_stanzas),
    ("ageSealerHead", age_sealer_head),
    ("ageSealerFill", age_sealer_fill),
    ("ageSealerUnit", age_sealer_unit),
    ("ageSealerFinish", age_sealer_finish),
    ("ageOpenerLater", age_opener_later),
    ("ageOpenerOfFileKey", age_opener_of_file_key),
    ("ageOpenerFill", age_opener_fill),
    ("ageOpenerUnit", age_opener_unit),
    ("ageOpenerFinish", age_opener_finish),
    ("ageOpenerAt", age_opener_at),
    ("ageArmour", age_armour),
    ("ageDearmour", age_dearmour),
    ("ageIsArmoured", age_is_armoured),
    ("ageEncryptFile", age_encrypt_file),
    ("ageDecryptFile", age_decrypt_file),
    ("ageDecryptRangeFile", age_decrypt_range_file),
    ("encryptFolder", encrypt_folder),
    ("listArchive", list_archive),
    ("extractArchive", extract_archive),
    ("backend", backend),
    ("chunkedKey", chunked_key),
    ("chunkedSealer", chunked_sealer),
    ("chunkedOpener", chunked_opener),
    ("chunkedHeadLen", chunked_head_len),
    ("chunkedEncrypt", chunked_encrypt),
    ("chunkedDecrypt", chunked_decrypt),
    ("tagLen", tag_len),
    ("encryptArmoured", encrypt_armoured),
    ("decryptArmoured", decrypt_armoured),
    ("decryptRange", decrypt_range),
    ("rewrap", rewrap),
    ("inspect", inspect),
    ("encryptArmouredLoaded", encrypt_armoured_loaded),
    ("decryptLoaded", decrypt_loaded),
    ("decryptRangeLoaded", decrypt_range_loaded),
    ("rewrapLoaded", rewrap_loaded),
    ("encryptBatch", encrypt_batch),
    ("decryptBatch", decrypt_batch),
    ("encryptFile", encrypt_file),
    ("decryptFile", decrypt_file),
    ("verifyFile", verify_file),
    ("rewrapFile", rewrap_file),
    ("decryptRangeFile", decrypt_range_file),
    ("inspectFile", inspect_file),
    ("identityGenerate", identity_generate),
    ("identitiesParse", identities_parse),
    ("identitiesParseLater", identities_parse_later),
    ("identityOfPassphrase", identity_of_passphrase),
    ("identityOfKey", identity_of_key),
    ("identityKind", identity_kind),
    ("identityIsSlow", identity_is_slow),
    ("identityRecipient", identity_recipient),
    ("identityExport", identity_export),
    ("recipientsParse", recipients_parse),
    ("recipientKind", recipient_kind),
    ("recipientFingerprint", recipient_fingerprint),
    ("recipientExport", recipient_export),
    ("messageLen", message_len),
    ("messageSealInto", message_seal_into),
    ("messageSealArmoured", message_seal_armoured),
    ("messageIsArmoured", message_is_armoured),
    ("messageHeadLen", message_head_len),
    ("messageOpenInto", message_open_into),
    ("messageOpenArmoured", message_open_armoured),
    ("messageSealPlaced", message_seal_placed),
    ("messageOpenPlaced", message_open_placed),
    ("messageSealArmouredLoaded", message_seal_armoured_loaded),
    ("messageOpenArmouredLoaded", message_open_armoured_loaded),
    ("encryptor", encryptor),
    ("decryptor", decryptor),
    ("rewrapper", rewrapper),
    ("encryptorArmours", encryptor_armours),
    ("sealer", sealer),
    ("sealerLater", sealer_later),
    ("sealerFileLen", sealer_file_len),
    ("sealInto", seal_into),
    ("sealerHead", sealer_head),
    ("sealerFill", sealer_fill),
    ("sealerUnit", sealer_unit),
    ("sealerFinish", sealer_finish),
    ("sealPart", seal_part),
    ("unitsMax", units_max),
    ("armour", armour),
    ("armourUpdate", armour_update),
    ("armourFinish", armour_finish),
    ("dearmour", dearmour),
    ("dearmourUpdate", dearmour_update),
    ("dearmourFinish", dearmour_finish),
    ("armourLookLen", armour_look_len),
    ("fileStartLen", file_start_len),
    ("fileHeadLen", file_head_len),
    ("fileIsArmoured", file_is_armoured),
    ("opener", opener),
    ("openerLater", opener_later),
    ("openInto", open_into),
    ("openerFill", opener_fill),
    ("openerUnit", opener_unit),
    ("openerFinish", opener_finish),
    ("openerAt", opener_at),
    ("openPart", open_part),
    ("aead", aead),
    ("aeadKeyLen", aead_key_len),
    ("aeadNonceLen", aead_nonce_len),
    ("aeadTagLen", aead_tag_len),
    ("aeadSeal", aead_seal),
    ("aeadOpen", aead_open),
    ("aeadSealText", aead_seal_text),
    ("aeadOpenText", aead_open_text),
    ("aeadSealBatch", aead_seal_batch),
    ("aeadOpenBatch", aead_open_batch),
    ("aeadSealLoaded", aead_seal_loaded),
    ("aeadOpenLoaded", aead_open_loaded),
    ("cipherEncodingId", cipher_encoding_id),
    ("base64EncodeInto", base64_encode_into),
    ("base64DecodeInto", base64_decode_into),
    ("cipher", cipher),
    ("cipherKeyLen", cipher_key_len),
    ("cipherPads", cipher_pads),
    ("cipherEncrypt", cipher_encrypt),
    ("cipherDecrypt", cipher_decrypt),
    ("cipherEncryptText", cipher_encrypt_text),
    ("cipherDecryptText", cipher_decrypt_text),
    ("legacy", legacy),
    ("legacyEncrypt", legacy_encrypt),
    ("legacyDecrypt", legacy_decrypt),
    ("legacyEncryptText", legacy_encrypt_text),
    ("legacyDecryptText", legacy_decrypt_text),
    ("keyWrap", key_wrap),
    ("keyWrapWrap", key_wrap_wrap),
    ("keyWrapUnwrap", key_wrap_unwrap),
    ("ccm", ccm),
    ("ccmSeal", ccm_seal),
    ("ccmOpen", ccm_open),
    ("poly1305", poly1305),
    ("yuantsKeyPair", yuants_key_pair),
    ("yuantsKeyPairOf", yuants_key_pair_of),
    ("yuantsX25519", yuants_x25519),
    ("yuantsSharedKey", yuants_shared_key),
    ("yuantsSign", yuants_sign),
    ("yuantsSignText", yuants_sign_text),
    ("yuantsVerify", yuants_verify),
    ("yuantsHeadLen", yuants_head_len),
    ("yuantsTailLen", yuants_tail_len),
    ("yuantsHeadLenOf", yuants_head_len_of),
    ("yuantsSeal", yuants_seal),
    ("yuantsOpen", yuants_open),
    ("yuantsHmac", yuants_hmac),
    ("yuantsFnv", yuants_fnv),
    ("yuantsSealLoaded", yuants_seal_loaded),
    ("yuantsOpenLoaded", yuants_open_loaded),
    ("yuantsHmacLoaded", yuants_hmac_loaded),
    ("encodeText", encode_text),
    ("decodeText", decode_text),
    ("hashId", hash_id),
    ("hashLen", hash_len),
    ("encodingId", encoding_id),
    ("hashInto", hash_into),
    ("hashText", hash_text),
    ("hashBatch", hash_batch),
    ("hashBatchText", hash_batch_text),
    ("hasher", hasher),
    ("hasherClone", hasher_clone),
    ("hasherUpdate", hasher_update),
    ("hasherDigest", hasher_digest),
    ("hasherText", hasher_text),
    ("hashFile", hash_file),
    ("hkdf", hkdf),
    ("hkdfExtract", hkdf_extract),
    ("hkdfExpand", hkdf_expand),
    ("concatKdf", concat_kdf),
    ("blake3DeriveKey", blake3_derive_key),
    ("derive", derive),
    ("deriveLater", derive_later),
    ("keyCache", key_cache),
    ("keyCacheFind", key_cache_find),
    ("keyCacheKeep", key_cache_keep),
    ("keyCacheClear", key_cache_clear),
    ("mac", mac),
    ("macTagLen", mac_tag_len),
    ("macInto", mac_into),
    ("macText", mac_text),
    ("macVerify", mac_verify),
    ("macVerifyText", mac_verify_text),
    ("macSigner", mac_signer),
    ("macSignerUpdate", mac_signer_update),
    ("macSignerTag", mac_signer_tag),
    ("macSignerText", mac_signer_text),
    ("macSignerVerify", mac_signer_verify),
    ("macSignerVerifyText", mac_signer_verify_text),
    ("macFile", mac_file),
    ("passwordHash", password_hash),
    ("passwordVerify", password_verify),
    ("passwordNeedsRehash", password_needs_rehash),
    ("passwordCostRaised", password_cost_raised),
    ("passwordHashLater", password_hash_later),
    ("passwordVerifyLater", password_verify_later),
    ("exchangeGenerate", exchange_generate),
    ("exchangePrivateParse", exchange_private_parse),
    ("exchangePrivateParseLater", exchange_private_parse_later),
    ("exchangePublicParse", exchange_public_parse),
    ("exchangePrivateOf", exchange_private_of),
    ("exchangePublicOf", exchange_public_of),
    ("exchangePrivateKind", exchange_private_kind),
    ("exchangePublicKind", exchange_public_kind),
    ("exchangePublicKey", exchange_public_key),
    ("exchangePrivateExport", exchange_private_export),
    ("exchangePublicExport", exchange_public_export),
    ("exchangeAgree", exchange_agree),
    ("exchangeSharedSecret", exchange_shared_secret),
    ("exchangeSecretLen", exchange_secret_len),
    ("exchangeEncapsulate", exchange_encapsulate),
    ("exchangeDecapsulate", exchange_decapsulate),
    ("checkBackend", check_backend),
    ("randomFill", random_fill),
    ("resultTake", result_take),
    ("job", job),
    ("jobCancel", job_cancel),
    ("jobProgress", job_progress),
    ("loading", loading),
    ("loadingUpdate", loading_update),
    ("rsaGenerate", rsa_generate),
    ("rsaGenerateLater", rsa_generate_later),
    ("rsaPrivateParse", rsa_private_parse),
    ("rsaPrivateParseLater", rsa_private_parse_later),
    ("rsaPublicParse", rsa_public_parse),
    ("rsaPublicParseLater", rsa_public_parse_later),
    ("rsaPublicKey", rsa_public_key),
    ("rsaPrivateBits", rsa_private_bits),
    ("rsaPublicBits", rsa_public_bits),
    ("rsaPrivateExport", rsa_private_export),
    ("rsaPublicExport", rsa_public_export),
    ("rsaEncrypt", rsa_encrypt),
    ("rsaEncryptLater", rsa_encrypt_later),
    ("rsaDecrypt", rsa_decrypt),
    ("rsaDecryptLater", rsa_decrypt_later),
    ("rsaEncryptPkcs1", rsa_encrypt_pkcs1),
    ("rsaEncryptPkcs1Later", rsa_encrypt_pkcs1_later),
    ("rsaDecryptPkcs1", rsa_decrypt_pkcs1),
    ("rsaDecryptPkcs1Later", rsa_decrypt_pkcs1_later),
    ("signGenerate", sign_generate),
    ("signGenerateRsaLater", sign_generate_rsa_later),
    ("signPrivateParse", sign_private_parse),
    ("signPrivateParseLater", sign_private_parse_later),
    ("signPublicParse", sign_public_parse),
    ("signPublicParseLater", sign_public_parse_later),
    ("signPrivateOf", sign_private_of),
    ("signPrivateOfLater", sign_private_of_later),
    ("signPublicOf", sign_public_of),
    ("signPublicOfLater", sign_public_of_later),
    ("signPrivateKind", sign_private_kind),
    ("signPublicKind", sign_public_kind),
    ("signPublicKey", sign_public_key),
    ("signPrivateExport", sign_private_export),
    ("signPublicExport", sign_public_export),
    ("signFingerprint", sign_fingerprint),
    ("signSshFingerprint", sign_ssh_fingerprint),
    ("signChoices", sign_choices),
    ("signMaxLen", sign_max_len),
    ("signIsSlow", sign_is_slow),
    ("verifyIsSlow", verify_is_slow),
    ("signInto", sign_into),
    ("signVerify", sign_verify),
    ("signLoaded", sign_loaded),
    ("signVerifyLoaded", sign_verify_loaded),
    ("signatureWriter", signature_writer),
    ("signatureTrusting", signature_trusting),
    ("signatureTrustKey", signature_trust_key),
    ("signatureTrustFile", signature_trust_file),
    ("signatureTrustAllowed", signature_trust_allowed),
    ("signatureReader", signature_reader),
    ("signatureSigning", signature_signing),
    ("signatureSigningUpdate", signature_signing_update),
    ("signatureSigningFinish", signature_signing_finish),
    ("signatureVerifying", signature_verifying),
    ("signatureAttached", signature_attached),
    ("signatureAttachedAt", signature_attached_at),
    ("signatureMaxLen", signature_max_len),
    ("signatureVerifyingUpdate", signature_verifying_update),
    ("signatureVerifyingFinish", signature_verifying_finish),
    ("signatureSignFile", signature_sign_file),
    ("signatureAttachFile", signature_attach_file),
    ("signatureVerifyFile", signature_verify_file),
    ("signatureDetachFile", signature_detach_file),
];

fn age_identity_generate(call: &Call) -> Returned {
    age::age_identity_generate(&call.string(0))?.put(call.env())
}

fn age_identity(call: &Call) -> Returned {
    hold(age::age_identity(call.bytes(0), call.optional_bytes(1))?).put(call.env())
}

fn age_identity_of_passphrase(call: &Call) -> Returned {
    hold(age::age_identity_of_passphrase(call.bytes(0))?).put(call.env())
}

fn age_identity_recipient(call: &Call) -> Returned {
    with(call.number(0), age::age_identity_recipient)?.put(call.env())
}

fn age_recipient(call: &Call) -> Returned {
    hold(age::age_recipient(&call.string(0))?).put(call.env())
}

fn age_recipient_of_passphrase(call: &Call) -> Returned {
    hold(age::age_recipient_of_passphrase(call.bytes(0), call.number(1))?).put(call.env())
}

fn age_recipient_of_point(call: &Call) -> Returned {
    age::age_recipient_of_point(call.bytes(0))?.put(call.env())
}

fn age_encryptor(call: &Call) -> Returned {
    hold(age::age_encryptor(&all(&call.numbers(0)), call.optional_number(1))?).put(call.env())
}

fn age_decryptor(call: &Call) -> Returned {
    hold(age::age_decryptor(&all(&call.numbers(0)), call.optional_number(1))).put(call.env())
}

fn age_head_len(call: &Call) -> Returned {
    age::age_head_len(call.bytes(0))?.put(call.env())
}

fn age_sealed_len(call: &Call) -> Returned {
    age::age_sealed_len(call.length(0))?.put(call.env())
}

fn age_opened_len(call: &Call) -> Returned {
    age::age_opened_len(call.length(0))?.put(call.env())
}

fn age_chunk_len(call: &Call) -> Returned {
    age::age_chunk_len().put(call.env())
}

fn age_stanzas(call: &Call) -> Returned {
    age::age_stanzas(call.bytes(0))?.put(call.env())
}

fn age_wrap(call: &Call) -> Returned {
    with(call.number(0), |recipient| age::age_wrap(recipient, call.bytes(1)))?.put(call.env())
}

fn age_x25519_share(call: &Call) -> Returned {
    age::age_x25519_share(call.bytes(0))?.put(call.env())
}

fn age_x25519_file_key(call: &Call) -> Returned {
    age::age_x25519_file_key(call.bytes(0), call.bytes(1), call.bytes(2))?.put(call.env())
}

fn age_file_key_later(call: &Call) -> Returned {
    call.promise(
        age::age_file_key_later(held(call.number(0)), call.bytes(1).to_vec(), job_of(call.number(2))),
        |result| result,
    )
}

fn age_units_max(call: &Call) -> Returned {
    age::age_units_max().put(call.env())
}

fn age_sealer_later(call: &Call) -> Returned {
    call.promise(age::age_sealer_later(held(call.number(0)), job_of(call.number(1))), hold)
}

fn age_sealer_of_stanzas(call: &Call) -> Returned {
    hold(age::age_sealer_of_stanzas(call.bytes(0), call.bytes(1))?).put(call.env())
}

fn age_sealer_head(call: &Call) -> Returned {
    with(call.number(0), age::age_sealer_head).put(call.env())
}

fn age_sealer_fill(call: &Call) -> Returned {
    with(call.number(0), |sealer| age::age_sealer_fill(sealer, call.bytes(1))).put(call.env())
}

fn age_sealer_unit(call: &Call) -> Returned {
    call.promise(with(call.number(0), age::age_sealer_unit), |result| result)
}

fn age_sealer_finish(call: &Call) -> Returned {
    call.promise(with(call.number(0), age::age_sealer_finish), |result| result)
}

fn age_opener_later(call: &Call) -> Returned {
    call.promise(age::age_opener_later(held(call.number(0)), call.bytes(1).to_vec(), job_of(call.number(2))), hold)
}

fn age_opener_of_file_key(call: &Call) -> Returned {
    hold(age::age_opener_of_file_key(call.bytes(0), call.bytes(1))?).put(call.env())
}

fn age_opener_fill(call: &Call) -> Returned {
    with(call.number(0), |opener| age::age_opener_fill(opener, call.bytes(1))).put(call.env())
}

fn age_opener_unit(call: &Call) -> Returned {
    call.promise(with(call.number(0), age::age_opener_unit), |result| result)
}

fn age_opener_finish(call: &Call) -> Returned {
    call.promise(with(call.number(0), |opener| age::age_opener_finish(opener, call.flag(1))), |result| result)
}

fn age_opener_at(call: &Call) -> Returned {
    with(call.number(0), |opener| age::age_opener_at(opener, call.length(1), call.bytes(2), call.flag(3)))?
        .put(call.env())
}

fn age_armour(call: &Call) -> Returned {
    age::age_armour(call.bytes(0)).put(call.env())
}

fn age_dearmour(call: &Call) -> Returned {
    age::age_dearmour(call.bytes(0))?.put(call.env())
}

fn age_is_armoured(call: &Call) -> Returned {
    age::age_is_armoured(call.bytes(0)).put(call.env())
}

fn age_encrypt_file(call: &Call) -> Returned {
    call.promise(
        age::age_encrypt_file(
            held(call.number(0)),
            files::path(call.bytes(1)),
            files::path(call.bytes(2)),
            call.flag(3),
            call.flag(4),
            job_of(call.number(5)),
        ),
        |result| result,
    )
}

fn age_decrypt_file(call: &Call) -> Returned {
    call.promise(
        age::age_decrypt_file(
            held(call.number(0)),
            files::path(call.bytes(1)),
            files::path(call.bytes(2)),
            call.flag(3),
            call.flag(4),
            job_of(call.number(5)),
        ),
        |result| result,
    )
}

fn age_decrypt_range_file(call: &Call) -> Returned {
    call.promise(
        age::age_decrypt_range_file(
            held(call.number(0)),
            files::path(call.bytes(1)),
            call.length(2),
            call.length(3),
            call.flag(4),
            job_of(call.number(5)),
        ),
        |result| result,
    )
}

fn encrypt_folder(call: &Call) -> Returned {
    call.promise(
        base::archives::encrypt_folder(
            held(call.number(0)),
            call.bytes(1).to_vec(),
            files::path(call.bytes(2)),
            call.flag(3),
            call.bytes(4).to_vec(),
            call.optional_string(5).map(|text| text.to_string()),
            call.flag(6),
            call.flag(7),
            call.flag(8),
            job_of(call.number(9)),
        ),
        |result| result,
    )
}

fn list_archive(call: &Call) -> Returned {
    call.promise(
        base::archives::list_archive(held(call.number(0)), files::path(call.bytes(1)), job_of(call.number(2))),
        |result| result,
    )
}

fn extract_archive(call: &Call) -> Returned {
    call.promise(
        base::archives::extract_archive(
            held(call.number(0)),
            files::path(call.bytes(1)),
            files::path(call.bytes(2)),
            call.bytes(3).to_vec(),
            call.flag(4),
            call.flag(5),
            call.flag(6),
            call.flag(7),
            call.flag(8),
            job_of(call.number(9)),
        ),
        |result| result,
    )
}

fn backend(call: &Call) -> Returned {
    base::backend::backend()?.put(call.env())
}

fn chunked_key(call: &Call) -> Returned {
    hold(base::chunked::chunked_key(&call.string(0), call.bytes(1))?).put(call.env())
}

fn chunked_sealer(call: &Call) -> Returned {
    hold(with(call.number(0), |key| base::chunked::chunked_sealer(key, call.bytes(1)))?).put(call.env())
}

fn chunked_opener(call: &Call) -> Returned {
    hold(with(call.number(0), |key| base::chunked::chunked_opener(key, call.bytes(1), call.bytes(2)))?).put(call.env())
}

fn chunked_head_len(call: &Call) -> Returned {
    base::chunked::chunked_head_len().put(call.env())
}

fn chunked_encrypt(call: &Call) -> Returned {
    with(call.number(0), |key| base::chunked::chunked_encrypt(key, call.bytes(1), call.bytes(2)))?.put(call.env())
}

fn chunked_decrypt(call: &Call) -> Returned {
    with(call.number(0), |key| base::chunked::chunked_decrypt(key, call.bytes(1), call.bytes(2)))?.put(call.env())
}

fn tag_len(call: &Call) -> Returned {
    base::chunked::tag_len().put(call.env())
}

fn encrypt_armoured(call: &Call) -> Returned {
    base::files::encrypt_armoured(last(call.number(0)), call.bytes(1))?.put(call.env())
}

fn decrypt_armoured(call: &Call) -> Returned {
    base::files::decrypt_armoured(last(call.number(0)), call.bytes(1))?.put(call.env())
}

fn decrypt_range(call: &Call) -> Returned {
    with(call.number(0), |decryptor| {
        base::files::decrypt_range(decryptor, call.bytes(1), call.length(2), call.length(3))
    })?
    .put(call.env())
}

fn rewrap(call: &Call) -> Returned {
    with(call.number(0), |rewrapper| base::files::rewrap(rewrapper, call.bytes(1)))?.put(call.env())
}

fn inspect(call: &Call) -> Returned {
    base::files::inspect(call.bytes(0))?.put(call.env())
}

fn encrypt_armoured_loaded(call: &Call) -> Returned {
    call.promise(
        base::files::encrypt_armoured_loaded(held(call.number(0)), held(call.number(1)), job_of(call.number(2))),
        |result| result,
    )
}

fn decrypt_loaded(call: &Call) -> Returned {
    call.promise(
        base::files::decrypt_loaded(
            held(call.number(0)),
            held(call.number(1)),
            job_of(call.number(2)),
            call.optional_number(3),
        ),
        |result| result,
    )
}

fn decrypt_range_loaded(call: &Call) -> Returned {
    call.promise(
        base::files::decrypt_range_loaded(
            held(call.number(0)),
            held(call.number(1)),
            call.length(2),
            call.length(3),
            job_of(call.number(4)),
        ),
        |result| result,
    )
}

fn rewrap_loaded(call: &Call) -> Returned {
    call.promise(
        base::files::rewrap_loaded(held(call.number(0)), held(call.number(1)), job_of(call.number(2))),
        |result| result,
    )
}

fn encrypt_batch(call: &Call) -> Returned {
    call.promise(
        base::files::encrypt_batch(
            held(call.number(0)),
            call.bytes(1).to_vec().into(),
            call.lengths(2),
            job_of(call.number(3)),
            call.optional_number(4),
        ),
        |result| result,
    )
}

fn decrypt_batch(call: &Call) -> Returned {
    call.promise(
        base::files::decrypt_batch(
            held(call.number(0)),
            call.bytes(1).to_vec().into(),
            call.lengths(2),
            job_of(call.number(3)),
            call.optional_number(4),
        ),
        |result| result,
    )
}

fn encrypt_file(call: &Call) -> Returned {
    call.promise(
        base::files::encrypt_file(
            held(call.number(0)),
            files::path(call.bytes(1)),
            files::path(call.bytes(2)),
            call.flag(3),
            call.flag(4),
            job_of(call.number(5)),
        ),
        |result| result,
    )
}

fn decrypt_file(call: &Call) -> Returned {
    call.promise(
        base::files::decrypt_file(
            held(call.number(0)),
            files::path(call.bytes(1)),
            files::path(call.bytes(2)),
            call.flag(3),
            call.flag(4),
            job_of(call.number(5)),
        ),
        |result| result,
    )
}

fn verify_file(call: &Call) -> Returned {
    call.promise(
        base::files::verify_file(
            held(call.number(0)),
            files::path(call.bytes(1)),
            call.flag(2),
            job_of(call.number(3)),
        ),
        |result| result,
    )
}

fn rewrap_file(call: &Call) -> Returned {
    call.promise(
        base::files::rewrap_file(
            held(call.number(0)),
            files::path(call.bytes(1)),
            call.flag(2),
            job_of(call.number(3)),
        ),
        |result| result,
    )
}

fn decrypt_range_file(call: &Call) -> Returned {
    call.promise(
        base::files::decrypt_range_file(
            held(call.number(0)),
            files::path(call.bytes(1)),
            call.length(2),
            call.length(3),
            call.flag(4),
            job_of(call.number(5)),
        ),
        |result| result,
    )
}

fn inspect_file(call: &Call) -> Returned {
    call.promise(
        base::files::inspect_file(files::path(call.bytes(0)), call.flag(1), job_of(call.number(2))),
        |result| result,
    )
}

fn identity_generate(call: &Call) -> Returned {
    hold(base::keys::identity_generate(call.optional_string(0).as_ref().map(|text| text.as_str()))?).put(call.env())
}

fn identities_parse(call: &Call) -> Returned {
    hold_all(base::keys::identities_parse(call.bytes(0), call.optional_bytes(1))?).put(call.env())
}

fn identities_parse_later(call: &Call) -> Returned {
    call.promise(base::keys::identities_parse_later(call.bytes(0).to_vec().into(), call.optional_bytes(1))?, hold_all)
}

fn identity_of_passphrase(call: &Call) -> Returned {
    hold(base::keys::identity_of_passphrase(call.bytes(0))?).put(call.env())
}

fn identity_of_key(call: &Call) -> Returned {
    hold(base::keys::identity_of_key(call.bytes(0))?).put(call.env())
}

fn identity_kind(call: &Call) -> Returned {
    with(call.number(0), base::keys::identity_kind).put(call.env())
}

fn identity_is_slow(call: &Call) -> Returned {
    with(call.number(0), base::keys::identity_is_slow).put(call.env())
}

fn identity_recipient(call: &Call) -> Returned {
    hold(with(call.number(0), base::keys::identity_recipient)).put(call.env())
}

fn identity_export(call: &Call) -> Returned {
    with(call.number(0), |identity| base::keys::identity_export(identity, &call.string(1), call.optional_bytes(2)))?
        .put(call.env())
}

fn recipients_parse(call: &Call) -> Returned {
    hold_all(base::keys::recipients_parse(call.bytes(0))?).put(call.env())
}

fn recipient_kind(call: &Call) -> Returned {
    with(call.number(0), base::keys::recipient_kind).put(call.env())
}

fn recipient_fingerprint(call: &Call) -> Returned {
    with(call.number(0), base::keys::recipient_fingerprint).put(call.env())
}

fn recipient_export(call: &Call) -> Returned {
    with(call.number(0), |recipient| base::keys::recipient_export(recipient, &call.string(1)))?.put(call.env())
}

fn message_len(call: &Call) -> Returned {
    with(call.number(0), |recipient| base::messages::message_len(recipient, call.size(1)))?.put(call.env())
}

fn message_seal_into(call: &Call) -> Returned {
    let message = call.memory(3);
    let plaintext = call.memory(1).beside(message, call);
    let aad = call.memory(2).beside(message, call);
    with(call.number(0), |recipient| {
        message.fill(|message_bytes| base::messages::message_seal_into(recipient, &plaintext, &aad, message_bytes))
    })?
    .put(call.env())
}

fn message_seal_armoured(call: &Call) -> Returned {
    with(call.number(0), |recipient| base::messages::message_seal_armoured(recipient, call.bytes(1), call.bytes(2)))?
        .put(call.env())
}

fn message_is_armoured(call: &Call) -> Returned {
    base::messages::message_is_armoured(call.bytes(0)).put(call.env())
}

fn message_head_len(call: &Call) -> Returned {
    with(call.number(0), |identity| base::messages::message_head_len(identity, call.bytes(1), call.size(2)))?
        .put(call.env())
}

fn message_open_into(call: &Call) -> Returned {
    let plaintext = call.memory(3);
    let message = call.memory(1).beside(plaintext, call);
    let aad = call.memory(2).beside(plaintext, call);
    with(call.number(0), |identity| {
        plaintext.fill(|plaintext_bytes| base::messages::message_open_into(identity, &message, &aad, plaintext_bytes))
    })?
    .put(call.env())
}

fn message_open_armoured(call: &Call) -> Returned {
    with(call.number(0), |identity| base::messages::message_open_armoured(identity, call.bytes(1), call.bytes(2)))?
        .put(call.env())
}

fn message_seal_placed(call: &Call) -> Returned {
    let message = call.memory(2);
    call.promise(base::messages::message_seal_placed(held(call.number(0)), call.bytes(1).to_vec(), message), |()| ())
}

fn message_open_placed(call: &Call) -> Returned {
    let text = call.memory(3);
    let tag = call.memory(4).beside(text, call);
    call.promise(
        base::messages::message_open_placed(
            held(call.number(0)),
            call.bytes(1).to_vec(),
            call.bytes(2).to_vec(),
            text,
            &tag,
        ),
        |()| (),
    )
}

fn message_seal_armoured_loaded(call: &Call) -> Returned {
    call.promise(
        base::messages::message_seal_armoured_loaded(
            held(call.number(0)),
            held(call.number(1)),
            call.bytes(2).to_vec(),
            job_of(call.number(3)),
        ),
        |result| result,
    )
}

fn message_open_armoured_loaded(call: &Call) -> Returned {
    call.promise(
        base::messages::message_open_armoured_loaded(
            held(call.number(0)),
            held(call.number(1)),
            call.bytes(2).to_vec(),
            job_of(call.number(3)),
        ),
        |result| result,
    )
}

fn encryptor(call: &Call) -> Returned {
    hold(base::options::encryptor(
        &all(&call.numbers(0)),
        EncryptOptions {
            suite: call.optional_string(1).as_ref().map(|text| text.as_str()),
            context: call.optional_bytes(2),
            allow_mixed: call.choice(3),
            profile: call.optional_string(4).as_ref().map(|text| text.as_str()),
            armour: call.choice(5),
            threads: call.optional_number(6),
        },
    )?)
    .put(call.env())
}

fn decryptor(call: &Call) -> Returned {
    hold(base::options::decryptor(
        &all(&call.numbers(0)),
        call.optional_bytes(1),
        call.optional_string(2).as_ref().map(|text| text.as_str()),
        call.optional_number(3),
    )?)
    .put(call.env())
}

fn rewrapper(call: &Call) -> Returned {
    hold(base::options::rewrapper(
        &all(&call.numbers(0)),
        &all(&call.numbers(1)),
        call.choice(2),
        call.choice(3),
        call.optional_string(4).as_ref().map(|text| text.as_str()),
    )?)
    .put(call.env())
}

fn encryptor_armours(call: &Call) -> Returned {
    with(call.number(0), base::options::encryptor_armours).put(call.env())
}

fn sealer(call: &Call) -> Returned {
    let (object, len) = base::parts::sealer(
        &all(&call.numbers(0)),
        EncryptOptions {
            suite: call.optional_string(1).as_ref().map(|text| text.as_str()),
            context: call.optional_bytes(2),
            allow_mixed: call.choice(3),
            profile: call.optional_string(4).as_ref().map(|text| text.as_str()),
            armour: call.choice(5),
            threads: call.optional_number(6),
        },
        call.length(7),
    )?;
    call.env().begun(hold(object), len)
}

fn sealer_later(call: &Call) -> Returned {
    call.promise(base::parts::sealer_later(held(call.number(0)), job_of(call.number(1))), hold)
}

fn sealer_file_len(call: &Call) -> Returned {
    with(call.number(0), |sealer| base::parts::sealer_file_len(sealer, call.length(1)))?.put(call.env())
}

fn seal_into(call: &Call) -> Returned {
    let file = call.memory(2);
    let plaintext = call.memory(1).beside(file, call);
    file.fill(|file_bytes| {
        base::parts::seal_into(last(call.number(0)), &plaintext, file_bytes, call.optional_number(3))
    })?
    .put(call.env())
}

fn sealer_head(call: &Call) -> Returned {
    with(call.number(0), base::parts::sealer_head).put(call.env())
}

fn sealer_fill(call: &Call) -> Returned {
    with(call.number(0), |sealer| base::parts::sealer_fill(sealer, call.bytes(1))).put(call.env())
}

fn sealer_unit(call: &Call) -> Returned {
    call.promise(with(call.number(0), base::parts::sealer_unit), |result| result)
}

fn sealer_finish(call: &Call) -> Returned {
    call.promise(with(call.number(0), base::parts::sealer_finish), |result| result)
}

fn seal_part(call: &Call) -> Returned {
    let file = call.memory(2);
    let part = call.memory(1).beside(file, call);
    call.promise(with(call.number(0), |sealer| base::parts::seal_part(sealer, &part, file))?, |()| ())
}

fn units_max(call: &Call) -> Returned {
    base::parts::units_max(call.optional_number(0)).put(call.env())
}

fn armour(call: &Call) -> Returned {
    hold(base::parts::armour()).put(call.env())
}

fn armour_update(call: &Call) -> Returned {
    with(call.number(0), |armour| base::parts::armour_update(armour, call.bytes(1))).put(call.env())
}

fn armour_finish(call: &Call) -> Returned {
    with(call.number(0), base::parts::armour_finish).put(call.env())
}

fn dearmour(call: &Call) -> Returned {
    hold(base::parts::dearmour(call.flag(0))).put(call.env())
}

fn dearmour_update(call: &Call) -> Returned {
    with(call.number(0), |dearmour| base::parts::dearmour_update(dearmour, call.bytes(1))).put(call.env())
}

fn dearmour_finish(call: &Call) -> Returned {
    with(call.number(0), base::parts::dearmour_finish).put(call.env())
}

fn armour_look_len(call: &Call) -> Returned {
    base::parts::armour_look_len(call.bytes(0)).put(call.env())
}

fn file_start_len(call: &Call) -> Returned {
    base::parts::file_start_len().put(call.env())
}

fn file_head_len(call: &Call) -> Returned {
    base::parts::file_head_len(call.bytes(0))?.put(call.env())
}

fn file_is_armoured(call: &Call) -> Returned {
    base::parts::file_is_armoured(call.bytes(0)).put(call.env())
}

fn opener(call: &Call) -> Returned {
    let (object, len) = base::parts::opener(
        &all(&call.numbers(0)),
        call.optional_bytes(1),
        call.optional_string(2).as_ref().map(|text| text.as_str()),
        call.optional_number(3),
        call.bytes(4),
        call.length(5),
    )?;
    call.env().begun(hold_any(object), len)
}

fn opener_later(call: &Call) -> Returned {
    call.promise(base::parts::opener_later(held(call.number(0)), call.bytes(1).to_vec(), job_of(call.number(2))), hold)
}

fn open_into(call: &Call) -> Returned {
    let plaintext = call.memory(2);
    let file = call.memory(1).beside(plaintext, call);
    plaintext
        .fill(|plaintext_bytes| {
            base::parts::open_into(last(call.number(0)), &file, plaintext_bytes, call.optional_number(3))
        })?
        .put(call.env())
}

fn opener_fill(call: &Call) -> Returned {
    with(call.number(0), |opener| base::parts::opener_fill(opener, call.bytes(1))).put(call.env())
}

fn opener_unit(call: &Call) -> Returned {
    call.promise(with(call.number(0), base::parts::opener_unit), |result| result)
}

fn opener_finish(call: &Call) -> Returned {
    call.promise(with(call.number(0), |opener| base::parts::opener_finish(opener, call.flag(1))), |result| result)
}

fn opener_at(call: &Call) -> Returned {
    with(call.number(0), |opener| base::parts::opener_at(opener, call.length(1), call.bytes(2)))?.put(call.env())
}

fn open_part(call: &Call) -> Returned {
    let plaintext = call.memory(2);
    let part = call.memory(1).beside(plaintext, call);
    call.promise(with(call.number(0), |opener| base::parts::open_part(opener, &part, plaintext))?, |result| result)
}

fn aead(call: &Call) -> Returned {
    hold(cipher::aead::aead(&call.string(0), call.bytes(1))?).put(call.env())
}

fn aead_key_len(call: &Call) -> Returned {
    cipher::aead::aead_key_len(&call.string(0))?.put(call.env())
}

fn aead_nonce_len(call: &Call) -> Returned {
    cipher::aead::aead_nonce_len(&call.string(0))?.put(call.env())
}

fn aead_tag_len(call: &Call) -> Returned {
    cipher::aead::aead_tag_len().put(call.env())
}

fn aead_seal(call: &Call) -> Returned {
    let sealed = call.memory(4);
    let nonce = call.optional(1).map(|bytes| bytes.beside(sealed, call));
    let aad = call.optional(2).map(|bytes| bytes.beside(sealed, call));
    with(call.number(0), |key| {
        cipher::aead::aead_seal(key, nonce.as_deref(), aad.as_deref(), Moved::new(call.memory(3), sealed))
    })?
    .put(call.env())
}

fn aead_open(call: &Call) -> Returned {
    let plaintext = call.memory(4);
    let nonce = call.optional(1).map(|bytes| bytes.beside(plaintext, call));
    let aad = call.optional(2).map(|bytes| bytes.beside(plaintext, call));
    with(call.number(0), |key| {
        cipher::aead::aead_open(key, nonce.as_deref(), aad.as_deref(), Moved::new(call.memory(3), plaintext))
    })?
    .put(call.env())
}

fn aead_seal_text(call: &Call) -> Returned {
    Ok(with(call.number(0), |key| {
        call.data(2, |aad| {
            call.data(3, |plaintext| {
                cipher::aead::aead_seal_text(key, call.optional_bytes(1), aad, plaintext, call.number(4), |text| {
                    call.env().string(text)
                })
            })
        })
    })?)
}

fn aead_open_text(call: &Call) -> Returned {
    Ok(with(call.number(0), |key| {
        call.data(2, |aad| {
            call.data(3, |sealed| {
                cipher::aead::aead_open_text(key, call.optional_bytes(1), aad, sealed, call.number(4), |text| {
                    call.env().string(text)
                })
            })
        })
    })?)
}

fn aead_seal_batch(call: &Call) -> Returned {
    let out = call.memory(4);
    let aad = call.memory(1).beside(out, call);
    let data = call.memory(2).beside(out, call);
    let lengths = call.lengths(3);
    with(call.number(0), |key| {
        out.fill(|out_bytes| cipher::aead::aead_seal_batch(key, &aad, &data, &lengths, out_bytes))
    })?
    .put(call.env())
}

fn aead_open_batch(call: &Call) -> Returned {
    let out = call.memory(4);
    let aad = call.memory(1).beside(out, call);
    let data = call.memory(2).beside(out, call);
    let lengths = call.lengths(3);
    with(call.number(0), |key| {
        out.with(|out_bytes| cipher::aead::aead_open_batch(key, &aad, &data, &lengths, out_bytes))
    })
    .put(call.env())
}

fn aead_seal_loaded(call: &Call) -> Returned {
    call.promise(
        cipher::aead::aead_seal_loaded(
            held(call.number(0)),
            call.optional_bytes(1),
            call.bytes(2).to_vec(),
            held(call.number(3)),
            job_of(call.number(4)),
        ),
        |result| result,
    )
}

fn aead_open_loaded(call: &Call) -> Returned {
    call.promise(
        cipher::aead::aead_open_loaded(
            held(call.number(0)),
            call.optional_bytes(1),
            call.bytes(2).to_vec(),
            held(call.number(3)),
            job_of(call.number(4)),
        ),
        |result| result,
    )
}

fn cipher_encoding_id(call: &Call) -> Returned {
    cipher::hazmat::cipher_encoding_id(&call.string(0))?.put(call.env())
}

fn base64_encode_into(call: &Call) -> Returned {
    let digits = call.memory(1);
    let bytes = call.memory(0).beside(digits, call);
    digits.with(|digits_bytes| cipher::hazmat::base64_encode_into(&bytes, digits_bytes)).put(call.env())
}

fn base64_decode_into(call: &Call) -> Returned {
    let bytes = call.memory(1);
    let digits = call.memory(0).beside(bytes, call);
    bytes.fill(|bytes_bytes| cipher::hazmat::base64_decode_into(&digits, bytes_bytes))?.put(call.env())
}

fn cipher(call: &Call) -> Returned {
    hold(cipher::hazmat::cipher(&call.string(0), call.bytes(1))?).put(call.env())
}

fn cipher_key_len(call: &Call) -> Returned {
    cipher::hazmat::cipher_key_len(&call.string(0))?.put(call.env())
}

fn cipher_pads(call: &Call) -> Returned {
    with(call.number(0), cipher::hazmat::cipher_pads).put(call.env())
}

fn cipher_encrypt(call: &Call) -> Returned {
    let ciphertext = call.memory(3);
    let iv = call.memory(1).beside(ciphertext, call);
    with(call.number(0), |cipher| {
        cipher::hazmat::cipher_encrypt(cipher, &iv, Moved::new(call.memory(2), ciphertext), call.choice(4))
    })?
    .put(call.env())
}

fn cipher_decrypt(call: &Call) -> Returned {
    let plaintext = call.memory(3);
    let iv = call.memory(1).beside(plaintext, call);
    with(call.number(0), |cipher| {
        cipher::hazmat::cipher_decrypt(cipher, &iv, Moved::new(call.memory(2), plaintext), call.choice(4))
    })?
    .put(call.env())
}

fn cipher_encrypt_text(call: &Call) -> Returned {
    Ok(with(call.number(0), |cipher| {
        call.data(2, |plaintext| {
            cipher::hazmat::cipher_encrypt_text(
                cipher,
                call.bytes(1),
                plaintext,
                call.choice(3),
                call.number(4),
                |text| call.env().string(text),
            )
        })
    })?)
}

fn cipher_decrypt_text(call: &Call) -> Returned {
    Ok(with(call.number(0), |cipher| {
        call.data(2, |ciphertext| {
            cipher::hazmat::cipher_decrypt_text(
                cipher,
                call.bytes(1),
                ciphertext,
                call.choice(3),
                call.number(4),
                |text| call.env().string(text),
            )
        })
    })?)
}

fn legacy(call: &Call) -> Returned {
    hold(cipher::hazmat::legacy(&call.string(0), call.bytes(1), call.flag(2))?).put(call.env())
}

fn legacy_encrypt(call: &Call) -> Returned {
    with(call.number(0), |legacy| cipher::hazmat::legacy_encrypt(legacy, call.bytes(1), call.bytes(2), call.choice(3)))?
        .put(call.env())
}

fn legacy_decrypt(call: &Call) -> Returned {
    with(call.number(0), |legacy| cipher::hazmat::legacy_decrypt(legacy, call.bytes(1), call.bytes(2), call.choice(3)))?
        .put(call.env())
}

fn legacy_encrypt_text(call: &Call) -> Returned {
    Ok(with(call.number(0), |legacy| {
        cipher::hazmat::legacy_encrypt_text(
            legacy,
            call.bytes(1),
            call.bytes(2),
            call.choice(3),
            call.number(4),
            |text| call.env().string(text),
        )
    })?)
}

fn legacy_decrypt_text(call: &Call) -> Returned {
    Ok(with(call.number(0), |legacy| {
        call.data(2, |ciphertext| {
            cipher::hazmat::legacy_decrypt_text(
                legacy,
                call.bytes(1),
                ciphertext,
                call.choice(3),
                call.number(4),
                |text| call.env().string(text),
            )
        })
    })?)
}

fn key_wrap(call: &Call) -> Returned {
    hold(cipher::hazmat::key_wrap(&call.string(0), call.bytes(1))?).put(call.env())
}

fn key_wrap_wrap(call: &Call) -> Returned {
    with(call.number(0), |key| cipher::hazmat::key_wrap_wrap(key, call.bytes(1)))?.put(call.env())
}

fn key_wrap_unwrap(call: &Call) -> Returned {
    with(call.number(0), |key| cipher::hazmat::key_wrap_unwrap(key, call.bytes(1)))?.put(call.env())
}

fn ccm(call: &Call) -> Returned {
    hold(cipher::hazmat::ccm(&call.string(0), call.bytes(1), call.size(2))?).put(call.env())
}

fn ccm_seal(call: &Call) -> Returned {
    with(call.number(0), |key| cipher::hazmat::ccm_seal(key, call.bytes(1), call.bytes(2), call.bytes(3)))?
        .put(call.env())
}

fn ccm_open(call: &Call) -> Returned {
    with(call.number(0), |key| cipher::hazmat::ccm_open(key, call.bytes(1), call.bytes(2), call.bytes(3)))?
        .put(call.env())
}

fn poly1305(call: &Call) -> Returned {
    cipher::hazmat::poly1305(call.bytes(0), call.bytes(1))?.put(call.env())
}

fn yuants_key_pair(call: &Call) -> Returned {
    compat::yuants_key_pair(call.optional_bytes(0))?.put(call.env())
}

fn yuants_key_pair_of(call: &Call) -> Returned {
    compat::yuants_key_pair_of(&call.string(0))?.put(call.env())
}

fn yuants_x25519(call: &Call) -> Returned {
    compat::yuants_x25519()?.put(call.env())
}

fn yuants_shared_key(call: &Call) -> Returned {
    compat::yuants_shared_key(&call.string(0), &call.string(1))?.put(call.env())
}

fn yuants_sign(call: &Call) -> Returned {
    compat::yuants_sign(call.bytes(0), call.bytes(1))?.put(call.env())
}

fn yuants_sign_text(call: &Call) -> Returned {
    compat::yuants_sign_text(&call.string(0), call.bytes(1))?.put(call.env())
}

fn yuants_verify(call: &Call) -> Returned {
    compat::yuants_verify(&call.string(0), call.bytes(1), &call.string(2), call.choice(3))?.put(call.env())
}

fn yuants_head_len(call: &Call) -> Returned {
    compat::yuants_head_len(&call.string(0))?.put(call.env())
}

fn yuants_tail_len(call: &Call) -> Returned {
    compat::yuants_tail_len(&call.string(0))?.put(call.env())
}

fn yuants_head_len_of(call: &Call) -> Returned {
    compat::yuants_head_len_of(&call.string(0), call.bytes(1))?.put(call.env())
}

fn yuants_seal(call: &Call) -> Returned {
    let sealed = call.memory(3);
    compat::yuants_seal(&call.string(0), &call.string(1), Moved::new(call.memory(2), sealed))?.put(call.env())
}

fn yuants_open(call: &Call) -> Returned {
    let plaintext = call.memory(3);
    compat::yuants_open(&call.string(0), &call.string(1), Moved::new(call.memory(2), plaintext))?.put(call.env())
}

fn yuants_hmac(call: &Call) -> Returned {
    compat::yuants_hmac(&call.string(0), call.bytes(1), call.bytes(2))?.put(call.env())
}

fn yuants_fnv(call: &Call) -> Returned {
    compat::yuants_fnv(call.bytes(0)).put(call.env())
}

fn yuants_seal_loaded(call: &Call) -> Returned {
    call.promise(compat::yuants_seal_loaded(&call.string(0), call.string(1), held(call.number(2)))?, |result| result)
}

fn yuants_open_loaded(call: &Call) -> Returned {
    call.promise(compat::yuants_open_loaded(&call.string(0), call.string(1), held(call.number(2)))?, |result| result)
}

fn yuants_hmac_loaded(call: &Call) -> Returned {
    call.promise(
        compat::yuants_hmac_loaded(call.string(0).to_string(), call.bytes(1).to_vec().into(), held(call.number(2))),
        |result| result,
    )
}

fn encode_text(call: &Call) -> Returned {
    compat::encode_text(&call.string(0), call.bytes(1))?.put(call.env())
}

fn decode_text(call: &Call) -> Returned {
    compat::decode_text(&call.string(0), &call.string(1))?.put(call.env())
}

fn hash_id(call: &Call) -> Returned {
    digest::hash::hash_id(&call.string(0))?.put(call.env())
}

fn hash_len(call: &Call) -> Returned {
    digest::hash::hash_len(call.number(0)).put(call.env())
}

fn encoding_id(call: &Call) -> Returned {
    digest::hash::encoding_id(&call.string(0))?.put(call.env())
}

fn hash_into(call: &Call) -> Returned {
    let digest = call.memory(2);
    let result = call.data(1, |data| digest::hash::hash_into(call.number(0), data, digest.len))?;
    digest.write(result.as_ref());
    ().put(call.env())
}

fn hash_text(call: &Call) -> Returned {
    Ok(call.data(1, |data| {
        digest::hash::hash_text(call.number(0), data, call.number(2), call.number(3), |text| call.env().string(text))
    })?)
}

fn hash_batch(call: &Call) -> Returned {
    let digests = call.memory(3);
    let data = call.memory(1).beside(digests, call);
    let lengths = call.lengths(2);
    digests
        .fill(|digests_bytes| digest::hash::hash_batch(call.number(0), &data, &lengths, digests_bytes))?
        .put(call.env())
}

fn hash_batch_text(call: &Call) -> Returned {
    digest::hash::hash_batch_text(call.number(0), call.bytes(1), &call.lengths(2), call.number(3)).put(call.env())
}

fn hasher(call: &Call) -> Returned {
    hold(digest::hash::hasher(call.number(0))).put(call.env())
}

fn hasher_clone(call: &Call) -> Returned {
    hold(with(call.number(0), digest::hash::hasher_clone)).put(call.env())
}

fn hasher_update(call: &Call) -> Returned {
    with(call.number(0), |hasher| digest::hash::hasher_update(hasher, call.bytes(1))).put(call.env())
}

fn hasher_digest(call: &Call) -> Returned {
    with(call.number(0), |hasher| digest::hash::hasher_digest(hasher, call.size(1)))?.put(call.env())
}

fn hasher_text(call: &Call) -> Returned {
    Ok(with(call.number(0), |hasher| {
        digest::hash::hasher_text(hasher, call.number(1), call.size(2), |text| call.env().string(text))
    })?)
}

fn hash_file(call: &Call) -> Returned {
    call.promise(
        digest::hash::hash_file(
            call.number(0),
            files::path(call.bytes(1)),
            call.flag(2),
            call.size(3),
            job_of(call.number(4)),
        ),
        |result| result,
    )
}

fn hkdf(call: &Call) -> Returned {
    digest::kdf::hkdf(&call.string(0), call.bytes(1), call.bytes(2), call.bytes(3), call.number(4))?.put(call.env())
}

fn hkdf_extract(call: &Call) -> Returned {
    digest::kdf::hkdf_extract(&call.string(0), call.bytes(1), call.bytes(2))?.put(call.env())
}

fn hkdf_expand(call: &Call) -> Returned {
    digest::kdf::hkdf_expand(&call.string(0), call.bytes(1), call.bytes(2), call.number(3))?.put(call.env())
}

fn concat_kdf(call: &Call) -> Returned {
    digest::kdf::concat_kdf(&call.string(0), call.bytes(1), call.bytes(2), call.number(3))?.put(call.env())
}

fn blake3_derive_key(call: &Call) -> Returned {
    digest::kdf::blake3_derive_key(&call.string(0), call.bytes(1), call.number(2))?.put(call.env())
}

fn derive(call: &Call) -> Returned {
    digest::kdf::derive(
        CrossingCost { name: &call.string(0), a: call.number(1), b: call.number(2), c: call.number(3) },
        DerivedOf { password: call.bytes(4), salt: call.bytes(5), secret: call.bytes(6), data: call.bytes(7) },
        call.flag(8),
        call.number(9),
    )?
    .put(call.env())
}

fn derive_later(call: &Call) -> Returned {
    call.promise(
        digest::kdf::derive_later(
            CrossingCost { name: &call.string(0), a: call.number(1), b: call.number(2), c: call.number(3) },
            DerivedOf { password: call.bytes(4), salt: call.bytes(5), secret: call.bytes(6), data: call.bytes(7) },
            call.flag(8),
            call.number(9),
            job_of(call.number(10)),
        )?,
        |result| result,
    )
}

fn key_cache(call: &Call) -> Returned {
    hold(digest::kdf::key_cache(call.number(0), call.length(1))?).put(call.env())
}

fn key_cache_find(call: &Call) -> Returned {
    with(call.number(0), |cache| {
        digest::kdf::key_cache_find(
            cache,
            call.length(1),
            CrossingCost { name: &call.string(2), a: call.number(3), b: call.number(4), c: call.number(5) },
            DerivedOf { password: call.bytes(6), salt: call.bytes(7), secret: call.bytes(8), data: call.bytes(9) },
            call.flag(10),
            call.number(11),
        )
    })?
    .put(call.env())
}

fn key_cache_keep(call: &Call) -> Returned {
    with(call.number(0), |cache| {
        digest::kdf::key_cache_keep(
            cache,
            call.length(1),
            CrossingCost { name: &call.string(2), a: call.number(3), b: call.number(4), c: call.number(5) },
            DerivedOf { password: call.bytes(6), salt: call.bytes(7), secret: call.bytes(8), data: call.bytes(9) },
            call.bytes(10),
        )
    })?
    .put(call.env())
}

fn key_cache_clear(call: &Call) -> Returned {
    with(call.number(0), digest::kdf::key_cache_clear).put(call.env())
}

fn mac(call: &Call) -> Returned {
    hold(digest::mac::mac(&call.string(0), call.bytes(1), call.optional_bytes(2), call.number(3))?).put(call.env())
}

fn mac_tag_len(call: &Call) -> Returned {
    with(call.number(0), digest::mac::mac_tag_len).put(call.env())
}

fn mac_into(call: &Call) -> Returned {
    let tag = call.memory(2);
    let result = with(call.number(0), |key| call.data(1, |data| digest::mac::mac_into(key, data, tag.len)));
    tag.write(result.as_ref());
    ().put(call.env())
}

fn mac_text(call: &Call) -> Returned {
    Ok(with(call.number(0), |key| {
        call.data(1, |data| digest::mac::mac_text(key, data, call.number(2), |text| call.env().string(text)))
    }))
}

fn mac_verify(call: &Call) -> Returned {
    with(call.number(0), |key| call.data(1, |data| digest::mac::mac_verify(key, data, call.bytes(2), call.flag(3))))?
        .put(call.env())
}

fn mac_verify_text(call: &Call) -> Returned {
    with(call.number(0), |key| {
        call.data(1, |data| {
            call.data(2, |tag| digest::mac::mac_verify_text(key, data, tag, call.number(3), call.flag(4)))
        })
    })?
    .put(call.env())
}

fn mac_signer(call: &Call) -> Returned {
    hold(with(call.number(0), digest::mac::mac_signer)).put(call.env())
}

fn mac_signer_update(call: &Call) -> Returned {
    with(call.number(0), |signer| digest::mac::mac_signer_update(signer, call.bytes(1))).put(call.env())
}

fn mac_signer_tag(call: &Call) -> Returned {
    with(call.number(0), digest::mac::mac_signer_tag).put(call.env())
}

fn mac_signer_text(call: &Call) -> Returned {
    Ok(with(call.number(0), |signer| {
        digest::mac::mac_signer_text(signer, call.number(1), |text| call.env().string(text))
    }))
}

fn mac_signer_verify(call: &Call) -> Returned {
    with(call.number(0), |signer| digest::mac::mac_signer_verify(signer, call.bytes(1), call.flag(2)))?.put(call.env())
}

fn mac_signer_verify_text(call: &Call) -> Returned {
    with(call.number(0), |signer| {
        call.data(1, |tag| digest::mac::mac_signer_verify_text(signer, tag, call.number(2), call.flag(3)))
    })?
    .put(call.env())
}

fn mac_file(call: &Call) -> Returned {
    call.promise(
        digest::mac::mac_file(held(call.number(0)), files::path(call.bytes(1)), call.flag(2), job_of(call.number(3))),
        |result| result,
    )
}

fn password_hash(call: &Call) -> Returned {
    digest::password::password_hash(
        call.bytes(0),
        CrossingCost { name: &call.string(1), a: call.number(2), b: call.number(3), c: call.number(4) },
    )?
    .put(call.env())
}

fn password_verify(call: &Call) -> Returned {
    digest::password::password_verify(call.bytes(0), &call.string(1), call.flag(2))?.put(call.env())
}

fn password_needs_rehash(call: &Call) -> Returned {
    digest::password::password_needs_rehash(
        &call.string(0),
        CrossingCost { name: &call.string(1), a: call.number(2), b: call.number(3), c: call.number(4) },
    )?
    .put(call.env())
}

fn password_cost_raised(call: &Call) -> Returned {
    digest::password::password_cost_raised(
        CrossingCost { name: &call.string(0), a: call.number(1), b: call.number(2), c: call.number(3) },
        call.length(4),
        call.length(5),
    )?
    .put(call.env())
}

fn password_hash_later(call: &Call) -> Returned {
    call.promise(
        digest::password::password_hash_later(
            call.bytes(0).to_vec().into(),
            CrossingCost { name: &call.string(1), a: call.number(2), b: call.number(3), c: call.number(4) },
            job_of(call.number(5)),
        )?,
        |result| result,
    )
}

fn password_verify_later(call: &Call) -> Returned {
    call.promise(
        digest::password::password_verify_later(
            call.bytes(0).to_vec().into(),
            call.string(1).to_string(),
            call.flag(2),
            job_of(call.number(3)),
        ),
        |()| (),
    )
}

fn exchange_generate(call: &Call) -> Returned {
    hold(exchange::exchange_generate(call.optional_string(0).as_ref().map(|text| text.as_str()))?).put(call.env())
}

fn exchange_private_parse(call: &Call) -> Returned {
    hold(exchange::exchange_private_parse(call.bytes(0), call.optional_bytes(1))?).put(call.env())
}

fn exchange_private_parse_later(call: &Call) -> Returned {
    call.promise(exchange::exchange_private_parse_later(call.bytes(0).to_vec().into(), call.optional_bytes(1))?, hold)
}

fn exchange_public_parse(call: &Call) -> Returned {
    hold(exchange::exchange_public_parse(call.bytes(0))?).put(call.env())
}

fn exchange_private_of(call: &Call) -> Returned {
    hold(exchange::exchange_private_of(&call.string(0), call.bytes(1))?).put(call.env())
}

fn exchange_public_of(call: &Call) -> Returned {
    hold(exchange::exchange_public_of(&call.string(0), call.bytes(1))?).put(call.env())
}

fn exchange_private_kind(call: &Call) -> Returned {
    with(call.number(0), exchange::exchange_private_kind).put(call.env())
}

fn exchange_public_kind(call: &Call) -> Returned {
    with(call.number(0), exchange::exchange_public_kind).put(call.env())
}

fn exchange_public_key(call: &Call) -> Returned {
    hold(with(call.number(0), exchange::exchange_public_key)).put(call.env())
}

fn exchange_private_export(call: &Call) -> Returned {
    with(call.number(0), |key| exchange::exchange_private_export(key, &call.string(1), call.optional_bytes(2)))?
        .put(call.env())
}

fn exchange_public_export(call: &Call) -> Returned {
    with(call.number(0), |key| exchange::exchange_public_export(key, &call.string(1)))?.put(call.env())
}

fn exchange_agree(call: &Call) -> Returned {
    with(call.number(0), |key| {
        with(call.number(1), |public_key| {
            exchange::exchange_agree(
                key,
                public_key,
                AgreedBy { kdf: &call.string(2), hash: &call.string(3), salt: call.bytes(4), info: call.bytes(5) },
                call.number(6),
            )
        })
    })?
    .put(call.env())
}

fn exchange_shared_secret(call: &Call) -> Returned {
    with(call.number(0), |key| with(call.number(1), |public_key| exchange::exchange_shared_secret(key, public_key)))?
        .put(call.env())
}

fn exchange_secret_len(call: &Call) -> Returned {
    exchange::exchange_secret_len().put(call.env())
}

fn exchange_encapsulate(call: &Call) -> Returned {
    with(call.number(0), exchange::exchange_encapsulate)?.put(call.env())
}

fn exchange_decapsulate(call: &Call) -> Returned {
    let secret = call.memory(2);
    let result = with(call.number(0), |key| exchange::exchange_decapsulate(key, call.bytes(1), secret.len))?;
    secret.write(result.as_ref());
    ().put(call.env())
}

fn check_backend(call: &Call) -> Returned {
    native::check_backend()?.put(call.env())
}

fn random_fill(call: &Call) -> Returned {
    let out = call.memory(0);
    out.fill(native::random_fill)?.put(call.env())
}

fn result_take(call: &Call) -> Returned {
    let result = call.memory(1);
    with(call.number(0), |undelivered| result.with(|result_bytes| native::result_take(undelivered, result_bytes)))
        .put(call.env())
}

fn job(call: &Call) -> Returned {
    hold(native::job()).put(call.env())
}

fn job_cancel(call: &Call) -> Returned {
    with(call.number(0), native::job_cancel).put(call.env())
}

fn job_progress(call: &Call) -> Returned {
    with(call.number(0), native::job_progress).put(call.env())
}

fn loading(call: &Call) -> Returned {
    hold(native::loading()).put(call.env())
}

fn loading_update(call: &Call) -> Returned {
    with(call.number(0), |loading| native::loading_update(loading, call.bytes(1), call.length(2)))?.put(call.env())
}

fn rsa_generate(call: &Call) -> Returned {
    hold(rsa::rsa_generate(call.size(0))?).put(call.env())
}

fn rsa_generate_later(call: &Call) -> Returned {
    call.promise(rsa::rsa_generate_later(call.number(0), job_of(call.number(1))), hold)
}

fn rsa_private_parse(call: &Call) -> Returned {
    hold(rsa::rsa_private_parse(call.bytes(0), call.optional_bytes(1))?).put(call.env())
}

fn rsa_private_parse_later(call: &Call) -> Returned {
    call.promise(rsa::rsa_private_parse_later(call.bytes(0).to_vec().into(), call.optional_bytes(1))?, hold)
}

fn rsa_public_parse(call: &Call) -> Returned {
    hold(rsa::rsa_public_parse(call.bytes(0))?).put(call.env())
}

fn rsa_public_parse_later(call: &Call) -> Returned {
    call.promise(rsa::rsa_public_parse_later(call.bytes(0).to_vec()), hold)
}

fn rsa_public_key(call: &Call) -> Returned {
    hold(with(call.number(0), rsa::rsa_public_key)).put(call.env())
}

fn rsa_private_bits(call: &Call) -> Returned {
    with(call.number(0), rsa::rsa_private_bits).put(call.env())
}

fn rsa_public_bits(call: &Call) -> Returned {
    with(call.number(0), rsa::rsa_public_bits).put(call.env())
}

fn rsa_private_export(call: &Call) -> Returned {
    with(call.number(0), |key| rsa::rsa_private_export(key, &call.string(1), call.optional_bytes(2)))?.put(call.env())
}

fn rsa_public_export(call: &Call) -> Returned {
    with(call.number(0), |key| rsa::rsa_public_export(key, &call.string(1)))?.put(call.env())
}

fn rsa_encrypt(call: &Call) -> Returned {
    with(call.number(0), |key| {
        rsa::rsa_encrypt(
            key,
            call.bytes(1),
            OaepOptions { hash: call.optional_string(2).as_ref().map(|text| text.as_str()), label: call.bytes(3) },
        )
    })?
    .put(call.env())
}

fn rsa_encrypt_later(call: &Call) -> Returned {
    call.promise(
        rsa::rsa_encrypt_later(
            held(call.number(0)),
            call.bytes(1).to_vec().into(),
            OaepOptions { hash: call.optional_string(2).as_ref().map(|text| text.as_str()), label: call.bytes(3) },
        ),
        |result| result,
    )
}

fn rsa_decrypt(call: &Call) -> Returned {
    with(call.number(0), |key| {
        rsa::rsa_decrypt(
            key,
            call.bytes(1),
            OaepOptions { hash: call.optional_string(2).as_ref().map(|text| text.as_str()), label: call.bytes(3) },
        )
    })?
    .put(call.env())
}

fn rsa_decrypt_later(call: &Call) -> Returned {
    call.promise(
        rsa::rsa_decrypt_later(
            held(call.number(0)),
            call.bytes(1).to_vec(),
            OaepOptions { hash: call.optional_string(2).as_ref().map(|text| text.as_str()), label: call.bytes(3) },
        ),
        |result| result,
    )
}

fn rsa_encrypt_pkcs1(call: &Call) -> Returned {
    with(call.number(0), |key| rsa::rsa_encrypt_pkcs1(key, call.bytes(1)))?.put(call.env())
}

fn rsa_encrypt_pkcs1_later(call: &Call) -> Returned {
    call.promise(rsa::rsa_encrypt_pkcs1_later(held(call.number(0)), call.bytes(1).to_vec().into()), |result| result)
}

fn rsa_decrypt_pkcs1(call: &Call) -> Returned {
    with(call.number(0), |key| rsa::rsa_decrypt_pkcs1(key, call.bytes(1)))?.put(call.env())
}

fn rsa_decrypt_pkcs1_later(call: &Call) -> Returned {
    call.promise(rsa::rsa_decrypt_pkcs1_later(held(call.number(0)), call.bytes(1).to_vec()), |result| result)
}

fn sign_generate(call: &Call) -> Returned {
    hold(sign::pairs::sign_generate(call.optional_string(0).as_ref().map(|text| text.as_str()))?).put(call.env())
}

fn sign_generate_rsa_later(call: &Call) -> Returned {
    call.promise(sign::pairs::sign_generate_rsa_later(call.number(0), job_of(call.number(1))), hold)
}

fn sign_private_parse(call: &Call) -> Returned {
    hold(sign::pairs::sign_private_parse(call.bytes(0), call.optional_bytes(1))?).put(call.env())
}

fn sign_private_parse_later(call: &Call) -> Returned {
    call.promise(sign::pairs::sign_private_parse_later(call.bytes(0).to_vec().into(), call.optional_bytes(1))?, hold)
}

fn sign_public_parse(call: &Call) -> Returned {
    hold(sign::pairs::sign_public_parse(call.bytes(0))?).put(call.env())
}

fn sign_public_parse_later(call: &Call) -> Returned {
    call.promise(sign::pairs::sign_public_parse_later(call.bytes(0).to_vec()), hold)
}

fn sign_private_of(call: &Call) -> Returned {
    hold(sign::pairs::sign_private_of(&call.string(0), call.bytes(1))?).put(call.env())
}

fn sign_private_of_later(call: &Call) -> Returned {
    call.promise(sign::pairs::sign_private_of_later(call.string(0).to_string(), call.bytes(1).to_vec().into()), hold)
}

fn sign_public_of(call: &Call) -> Returned {
    hold(sign::pairs::sign_public_of(&call.string(0), call.bytes(1))?).put(call.env())
}

fn sign_public_of_later(call: &Call) -> Returned {
    call.promise(sign::pairs::sign_public_of_later(call.string(0).to_string(), call.bytes(1).to_vec()), hold)
}

fn sign_private_kind(call: &Call) -> Returned {
    with(call.number(0), sign::pairs::sign_private_kind).put(call.env())
}

fn sign_public_kind(call: &Call) -> Returned {
    with(call.number(0), sign::pairs::sign_public_kind).put(call.env())
}

fn sign_public_key(call: &Call) -> Returned {
    hold(with(call.number(0), sign::pairs::sign_public_key)).put(call.env())
}

fn sign_private_export(call: &Call) -> Returned {
    with(call.number(0), |key| sign::pairs::sign_private_export(key, &call.string(1), call.optional_bytes(2)))?
        .put(call.env())
}

fn sign_public_export(call: &Call) -> Returned {
    with(call.number(0), |key| {
        sign::pairs::sign_public_export(
            key,
            &call.string(1),
            call.optional_string(2).as_ref().map(|text| text.as_str()),
        )
    })?
    .put(call.env())
}

fn sign_fingerprint(call: &Call) -> Returned {
    with(call.number(0), sign::pairs::sign_fingerprint).put(call.env())
}

fn sign_ssh_fingerprint(call: &Call) -> Returned {
    with(call.number(0), sign::pairs::sign_ssh_fingerprint)?.put(call.env())
}

fn sign_choices(call: &Call) -> Returned {
    sign::pairs::sign_choices(
        call.optional_string(0).as_ref().map(|text| text.as_str()),
        call.optional_string(1).as_ref().map(|text| text.as_str()),
        call.optional_string(2).as_ref().map(|text| text.as_str()),
    )?
    .put(call.env())
}

fn sign_max_len(call: &Call) -> Returned {
    with(call.number(0), sign::pairs::sign_max_len).put(call.env())
}

fn sign_is_slow(call: &Call) -> Returned {
    with(call.number(0), sign::pairs::sign_is_slow).put(call.env())
}

fn verify_is_slow(call: &Call) -> Returned {
    with(call.number(0), sign::pairs::verify_is_slow).put(call.env())
}

fn sign_into(call: &Call) -> Returned {
    let signature = call.memory(2);
    let result = with(call.number(0), |key| {
        call.data(1, |data| {
            sign::pairs::sign_into(
                key,
                data,
                signature.len,
                SignOptions { choices: call.number(3), context: call.optional_bytes(4), id: call.optional_bytes(5) },
            )
        })
    })?;
    signature.part(0, result.len()).write(&result);
    result.len().put(call.env())
}

fn sign_verify(call: &Call) -> Returned {
    with(call.number(0), |public_key| {
        call.data(1, |data| {
            sign::pairs::sign_verify(
                public_key,
                data,
                call.bytes(2),
                SignOptions { choices: call.number(3), context: call.optional_bytes(4), id: call.optional_bytes(5) },
            )
        })
    })?
    .put(call.env())
}

fn sign_loaded(call: &Call) -> Returned {
    call.promise(
        sign::pairs::sign_loaded(
            held(call.number(0)),
            held(call.number(1)),
            SignOptions { choices: call.number(2), context: call.optional_bytes(3), id: call.optional_bytes(4) },
            job_of(call.number(5)),
        ),
        |result| result,
    )
}

fn sign_verify_loaded(call: &Call) -> Returned {
    call.promise(
        sign::pairs::sign_verify_loaded(
            held(call.number(0)),
            held(call.number(1)),
            call.bytes(2).to_vec(),
            SignOptions { choices: call.number(3), context: call.optional_bytes(4), id: call.optional_bytes(5) },
            job_of(call.number(6)),
        ),
        |()| (),
    )
}

fn signature_writer(call: &Call) -> Returned {
    hold(sign::signature::signature_writer(
        held(call.number(0)),
        call.optional_string(1).as_ref().map(|text| text.as_str()),
        call.optional_string(2).as_ref().map(|text| text.as_str()),
        call.optional_string(3).as_ref().map(|text| text.as_str()),
    )?)
    .put(call.env())
}

fn signature_trusting(call: &Call) -> Returned {
    hold(sign::signature::signature_trusting(
        call.optional_string(0).as_ref().map(|text| text.as_str()),
        call.optional_string(1).as_ref().map(|text| text.as_str()),
    )?)
    .put(call.env())
}

fn signature_trust_key(call: &Call) -> Returned {
    with(call.number(0), |trusting| {
        with(call.number(1), |public_key| sign::signature::signature_trust_key(trusting, public_key))
    })?
    .put(call.env())
}

fn signature_trust_file(call: &Call) -> Returned {
    with(call.number(0), |trusting| sign::signature::signature_trust_file(trusting, call.bytes(1)))?.put(call.env())
}

fn signature_trust_allowed(call: &Call) -> Returned {
    with(call.number(0), |trusting| {
        sign::signature::signature_trust_allowed(
            trusting,
            call.bytes(1),
            call.optional_string(2).as_ref().map(|text| text.as_str()),
            call.length(3),
        )
    })?
    .put(call.env())
}

fn signature_reader(call: &Call) -> Returned {
    hold(with(call.number(0), sign::signature::signature_reader)?).put(call.env())
}

fn signature_signing(call: &Call) -> Returned {
    hold(with(call.number(0), sign::signature::signature_signing)?).put(call.env())
}

fn signature_signing_update(call: &Call) -> Returned {
    with(call.number(0), |signing| sign::signature::signature_signing_update(signing, call.bytes(1))).put(call.env())
}

fn signature_signing_finish(call: &Call) -> Returned {
    with(call.number(0), sign::signature::signature_signing_finish)?.put(call.env())
}

fn signature_verifying(call: &Call) -> Returned {
    hold(with(call.number(0), |reader| sign::signature::signature_verifying(reader, call.bytes(1)))?).put(call.env())
}

fn signature_attached(call: &Call) -> Returned {
    hold(with(call.number(0), sign::signature::signature_attached)?).put(call.env())
}

fn signature_attached_at(call: &Call) -> Returned {
    with(call.number(0), |verifying| sign::signature::signature_attached_at(verifying, call.bytes(1)))?.put(call.env())
}

fn signature_max_len(call: &Call) -> Returned {
    sign::signature::signature_max_len().put(call.env())
}

fn signature_verifying_update(call: &Call) -> Returned {
    with(call.number(0), |verifying| sign::signature::signature_verifying_update(verifying, call.bytes(1)))
        .put(call.env())
}

fn signature_verifying_finish(call: &Call) -> Returned {
    with(call.number(0), sign::signature::signature_verifying_finish)?.put(call.env())
}

fn signature_sign_file(call: &Call) -> Returned {
    call.promise(
        sign::signature::signature_sign_file(
            held(call.number(0)),
            files::path(call.bytes(1)),
            call.flag(2),
            job_of(call.number(3)),
        ),
        |result| result,
    )
}

fn signature_attach_file(call: &Call) -> Returned {
    call.promise(
        sign::signature::signature_attach_file(
            held(call.number(0)),
            files::path(call.bytes(1)),
            files::path(call.bytes(2)),
            call.flag(3),
            call.flag(4),
            job_of(call.number(5)),
        ),
        |result| result,
    )
}

fn signature_verify_file(call: &Call) -> Returned {
    call.promise(
        sign::signature::signature_verify_file(
            held(call.number(0)),
            files::path(call.bytes(1)),
            call.bytes(2).to_vec(),
            call.flag(3),
            job_of(call.number(4)),
        ),
        |result| result,
    )
}

fn signature_detach_file(call: &Call) -> Returned {
    call.promise(
        sign::signature::signature_detach_file(
            held(call.number(0)),
            files::path(call.bytes(1)),
            call.optional_bytes(2).map(files::path),
            call.flag(3),
            call.flag(4),
            job_of(call.number(5)),
        ),
        |result| result,
    )
}

impl Answer for Inspection {
    fn put(self, env: Env) -> Returned {
        env.object(&[
            (c"version", self.version.put(env)?),
            (c"suite", self.suite.put(env)?),
            (c"contextBound", self.context_bound.put(env)?),
            (c"compressed", self.compressed.put(env)?),
            (c"archive", self.archive.put(env)?),
            (c"armoured", self.armoured.put(env)?),
            (c"headerLen", self.header_len.put(env)?),
            (c"stanzas", self.stanzas.put(env)?),
            (c"payloadLen", self.payload_len.put(env)?),
            (c"plaintextLen", self.plaintext_len.put(env)?),
            (c"chunks", self.chunks.put(env)?),
        ])
    }
}

impl Answer for StanzaInfo {
    fn put(self, env: Env) -> Returned {
        env.object(&[
            (c"kind", self.kind.put(env)?),
            (c"typeId", self.type_id.put(env)?),
            (c"bodyLen", self.body_len.put(env)?),
        ])
    }
}

impl Answer for Processed {
    fn put(self, env: Env) -> Returned {
        env.object(&[(c"plaintext", self.plaintext.put(env)?), (c"ciphertext", self.ciphertext.put(env)?)])
    }
}

impl Answer for Archived {
    fn put(self, env: Env) -> Returned {
        env.object(&[
            (c"plaintext", self.plaintext.put(env)?),
            (c"ciphertext", self.ciphertext.put(env)?),
            (c"members", self.members.put(env)?),
            (c"fileBytes", self.file_bytes.put(env)?),
            (c"leftOut", self.left_out.put(env)?),
            (c"notes", self.notes.put(env)?),
        ])
    }
}

impl Answer for LeftOut {
    fn put(self, env: Env) -> Returned {
        env.object(&[(c"code", self.code.put(env)?), (c"message", self.message.put(env)?)])
    }
}

impl Answer for Listing {
    fn put(self, env: Env) -> Returned {
        env.object(&[
            (c"names", self.names.put(env)?),
            (c"pathLengths", self.path_lengths.put(env)?),
            (c"linkLengths", self.link_lengths.put(env)?),
            (c"kinds", self.kinds.put(env)?),
            (c"sizes", self.sizes.put(env)?),
            (c"modes", self.modes.put(env)?),
            (c"seconds", self.seconds.put(env)?),
            (c"nanoseconds", self.nanoseconds.put(env)?),
        ])
    }
}

impl Answer for Extracted {
    fn put(self, env: Env) -> Returned {
        env.object(&[(c"members", self.members.put(env)?), (c"fileBytes", self.file_bytes.put(env)?)])
    }
}

impl Answer for BatchResult {
    fn put(self, env: Env) -> Returned {
        env.object(&[
            (c"bytes", self.bytes.put(env)?),
            (c"lengths", self.lengths.put(env)?),
            (c"failures", self.failures.put(env)?),
        ])
    }
}

impl Answer for ItemFailure {
    fn put(self, env: Env) -> Returned {
        env.object(&[
            (c"index", self.index.put(env)?),
            (c"code", self.code.put(env)?),
            (c"message", self.message.put(env)?),
        ])
    }
}

impl Answer for Verification {
    fn put(self, env: Env) -> Returned {
        env.object(&[
            (c"kind", self.kind.put(env)?),
            (c"fingerprint", self.fingerprint.put(env)?),
            (c"sshFingerprint", self.ssh_fingerprint.put(env)?),
            (c"principals", self.principals.put_if_any(env)?),
            (c"comment", self.comment.put_if_any(env)?),
            (c"contentLen", self.content_len.put(env)?),
        ])
    }
}

impl Answer for Signed {
    fn put(self, env: Env) -> Returned {
        env.object(&[(c"content", self.content.put(env)?), (c"written", self.written.put(env)?)])
    }
}

impl Answer for KeyPairText {
    fn put(self, env: Env) -> Returned {
        env.object(&[(c"publicKey", self.public_key.put(env)?), (c"privateKey", self.private_key.put(env)?)])
    }
}
