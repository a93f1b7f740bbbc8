use sealstone::{Decryptor, Encryptor, Identity, Kind};

fn main() -> Result<(), sealstone::Error> {
    let identity = Identity::generate(Kind::Hybrid)?;
    Encryptor::new([identity.recipient()]).encrypt_file("film.mkv", "film.mkv.seal")?;
    Decryptor::new([identity]).decrypt_file("film.mkv.seal", "copy.mkv")?;
    Ok(())
}
