//! Writes each module of a folder, `NAME.wasm`, as `NAME.lzma`, which the module `inflate` reads:
//! `cargo run -p sealstone-inflate --example deflate -- FOLDER`

use lzma_rust2::{LzmaOptions, LzmaWriter};
use std::io::{self, Write as _};
use std::{env, fs};

fn main() -> io::Result<()> {
    let folder = env::args().nth(1).ok_or_else(|| io::Error::other("usage: deflate FOLDER"))?;
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        if path.extension().is_none_or(|extension| extension != "wasm") {
            continue;
        }
        let module = fs::read(&path)?;
        let length = u32::try_from(module.len()).map_err(io::Error::other)?;
        let options = LzmaOptions { lc: 3, lp: 0, pb: 0, ..LzmaOptions::with_preset(9) };
        let mut writer = LzmaWriter::new_no_header(length.to_le_bytes().to_vec(), &options, false)?;
        writer.write_all(&module)?;
        fs::write(path.with_extension("lzma"), writer.finish()?)?;
    }
    Ok(())
}
