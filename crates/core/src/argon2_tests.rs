use super::*;
use crate::random;

/// RFC 9106 section 5: the same inputs for each variant.
#[test]
fn the_rfc_s_examples() {
    let input = Input { password: &[1; 32], salt: &[2; 16], secret: &[3; 8], data: &[4; 12] };
    let cost = Cost { memory_kib: 32, passes: 3, lanes: 4 };
    for (variant, expected) in [
        (Variant::D, "512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb"),
        (Variant::I, "c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8"),
        (Variant::Id, "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"),
    ] {
        let mut tag = [0; 32];
        derive(variant, input, cost, &mut tag).unwrap();
        assert_eq!(data_encoding::HEXLOWER.encode(&tag), expected, "{variant:?}");
    }
}

#[test]
fn every_cost_and_length_is_as_another_library_has_it() {
    const PASSWORD: &[u8] = b"correct horse battery staple";
    let salt: [u8; 16] = random::array().unwrap();
    let secret: [u8; 20] = random::array().unwrap();
    for (lanes, passes, memory_kib) in
        [(1, 1, 8), (1, 3, 33), (1, 2, 600), (2, 1, 16), (3, 4, 100), (4, 2, 2053), (7, 3, 56)]
    {
        for (variant, theirs) in [
            (Variant::D, argon2::Algorithm::Argon2d),
            (Variant::I, argon2::Algorithm::Argon2i),
            (Variant::Id, argon2::Algorithm::Argon2id),
        ] {
            for len in [4, 16, 32, 63, 64, 65, 95, 96, 97, 128, 200] {
                let params = argon2::ParamsBuilder::new()
                    .m_cost(memory_kib)
                    .t_cost(passes)
                    .p_cost(lanes)
                    .data(argon2::AssociatedData::new(&salt[..9]).unwrap())
                    .build()
                    .unwrap();
                let mut expected = vec![0; len];
                argon2::Argon2::new_with_secret(&secret, theirs, argon2::Version::V0x13, params)
                    .unwrap()
                    .hash_password_into(PASSWORD, &salt, &mut expected)
                    .unwrap();
                let input = Input { password: PASSWORD, salt: &salt, secret: &secret, data: &salt[..9] };
                let mut tag = vec![0; len];
                derive(variant, input, Cost { memory_kib, passes, lanes }, &mut tag).unwrap();
                assert_eq!(tag, expected, "{variant:?}, {memory_kib} KiB, {passes} passes, {lanes} lanes, {len} bytes");
            }
        }
    }
}
