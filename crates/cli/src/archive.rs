//! Archives: written from folders, opened to be listed, and extracted.

use crate::args::{Archiving, Common, Extracting, Paths, With};
use crate::descriptor;
use crate::failure::Failure;
use crate::format;
use crate::guard::Guard;
use crate::keyring::Keyring;
use crate::openers::Openers;
use crate::place::Place;
use crate::terminal::{Terminal, Watch};
use crate::work::Attempt;
use sealstone::{
    Archiver, Decryptor, Encryptor, Error, Extractor, FileFormat, FileId, FileMode, Input, Output, Pattern, escape_name,
};
use serde_json::json;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Refuses an archive without folders, and one whose output has no name.
pub(crate) fn output_of(paths: &Paths) -> Result<PathBuf, Failure> {
    let Some(first) = paths.inputs.first() else {
        return Err(Failure::usage_with_hint(
            "--archive needs the names of files or folders",
            "name one: sealstone encrypt --archive photos",
        ));
    };
    if paths.inputs.iter().any(|input| input.as_os_str() == "-") {
        return Err(Failure::usage("an archive is of files and folders, and not of stdin"));
    }
    let default_name = || match (&paths.inputs[..], first.file_name()) {
        ([_], Some(name)) => {
            let mut name = name.to_owned();
            name.push(".tar.seal");
            Ok(name)
        }
        _ => Err(Failure::usage_with_hint("this archive needs a name", "name it: -o backup.seal")),
    };
    let Some(output) = &paths.output else { return Ok(first.with_file_name(default_name()?)) };
    let is_folder = output.as_os_str().as_bytes().ends_with(b"/") || output.is_dir();
    if !is_folder {
        return Ok(output.clone());
    }
    let folder: OsString = default_name()?;
    fs::create_dir_all(output).map_err(|error| Failure::io("create", Some(output), error))?;
    Ok(output.join(folder))
}

/// Archives the inputs.
pub(crate) fn encrypt(
    encryptor: Encryptor,
    options: &Archiving,
    paths: &Paths,
    path: &Path,
    common: &Common,
    terminal: &Terminal,
    guard: &Guard,
) -> Result<(), Failure> {
    let start = Instant::now();
    let stream = |number, name: &Path| {
        guard.check_descriptor(number)?;
        let file = descriptor::duplicate_to_write(number).map_err(|error| Failure::io("open", Some(name), error))?;
        let id = FileId::of(&file)?;
        Ok::<_, Failure>(Output::stream(file, id, Some(name)))
    };
    let output = match Place::output(Some(path)) {
        Place::Standard => stream(descriptor::STDOUT, Path::new("stdout"))?,
        Place::Descriptor(number, name) => stream(number, &name)?,
        _ => Output::file(path)?.mode(FileMode::Shared).sync(!common.no_sync).replace(common.force),
    };
    let watch = terminal.watch(&escape_name(&paths.inputs[0]));
    let mut encryptor = encryptor.threads(common.threads());
    if let Some(callback) = watch.callback() {
        encryptor = encryptor.on_progress(callback);
    }
    let mut archiver = Archiver::new(encryptor)
        .one_file_system(options.one_file_system)
        .owners(options.owners)
        .attributes(options.xattrs);
    for pattern in patterns(options)? {
        archiver = archiver.exclude(pattern);
    }
    let left = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&left);
    archiver = archiver.on_left_out(move |why| {
        let is_loss = !matches!(why, Error::NotRegularFile { .. } | Error::SameFile(_));
        noted.lock().expect("archive: nothing panics").push((is_loss, format!("{why} [{}]", why.code())));
    });
    let made = archiver.archive(&paths.inputs, guard.apply(output));
    watch.finish();
    for (is_loss, message) in left.lock().expect("archive: nothing panics").drain(..) {
        if is_loss {
            terminal.warn_of_loss(&format!("left out, or in part: {message}"));
        } else {
            terminal.warn(&format!("left out: {message}"));
        }
    }
    let made = made?;
    terminal.print_event(|| {
        json!({
            "event": "done",
            "input": paths.inputs.iter().map(|input| escape_name(input)).collect::<Vec<_>>(),
            "output": escape_name(path),
            "members": made.members, "file_bytes": made.file_bytes, "left_out": made.left_out,
            "plaintext_bytes": made.summary.plaintext, "ciphertext_bytes": made.summary.ciphertext,
            "seconds": start.elapsed().as_secs_f64(),
        })
    });
    if made.left_out > 0 { Err(Error::IncompleteArchive(made.left_out).into()) } else { Ok(()) }
}

/// The patterns of the command line and of the files that it names.
fn patterns(options: &Archiving) -> Result<Vec<Pattern>, Failure> {
    let mut patterns = options.exclude.clone();
    for path in &options.exclude_from {
        let text = fs::read_to_string(path).map_err(|error| Failure::io("read", Some(path), error))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let pattern = Pattern::new(line)
                .map_err(|error| Failure::usage(format!("{}: line {}: {error}", escape_name(path), number + 1)))?;
            patterns.push(pattern);
        }
    }
    Ok(patterns)
}

/// Opens an archive with the keys of the command line, and gives it to `work`.
pub(crate) fn open<T>(
    path: &Path,
    with: &With,
    common: &Common,
    terminal: &Terminal,
    work: impl Fn(Decryptor, Input<'static>, &Watch, &Guard) -> Result<T, Error>,
) -> Result<T, Failure> {
    let inputs = [path.to_path_buf()];
    let keys = Keyring::new(common, terminal);
    keys.guard.check_stdin(&inputs)?;
    let mut openers = Openers::new(with, common, keys)?;
    openers.guard().check_stdin(&inputs)?;
    let place = Place::new(path);
    if matches!(place, Place::Standard) {
        terminal.announce_stdin();
    }
    let watch = terminal.watch(&place.name());
    let mut attempt = Attempt::First;
    loop {
        let mut input = openers.open(&place, attempt).map_err(|failure| failure.on(place.path()))?;
        let matching = openers.match_keys(&mut input, &place, &watch).map_err(|failure| failure.on(place.path()))?;
        if matching.format != FileFormat::Sealstone {
            return Err(Failure::from(Error::NotAnArchive).on(place.path()));
        }
        let mut decryptor = format::sealstone::decryptor(&matching.keys, with)?.threads(common.threads());
        if let Some(callback) = watch.callback() {
            decryptor = decryptor.on_progress(callback);
        }
        let done = work(decryptor, input, &watch, openers.guard());
        watch.finish();
        match done.map_err(|error| matching.explain(error).for_command("decrypt")) {
            Err(Failure::WrongPassphrase { is_input: true, .. }) if attempt == Attempt::First => {
                attempt = Attempt::Second;
            }
            done => return done,
        }
    }
}

/// The hint for what stands where a folder or a member is to be made.
fn hint_for_place(failure: &Failure, folder: &Path) -> Option<&'static str> {
    let Some(Error::Io { action: "create", source, .. }) = failure.error() else { return None };
    match source.kind() {
        ErrorKind::NotFound if folder.is_symlink() => {
            Some("it is a symbolic link to nothing: remove it, or name another folder with -o")
        }
        ErrorKind::IsADirectory | ErrorKind::NotADirectory => Some(
            "a folder and a file never replace each other, nor does a link become a folder: move it away, or name another folder with -o",
        ),
        _ => None,
    }
}

/// Makes the members of an archive.
pub(crate) fn extract(
    options: &Extracting,
    with: &With,
    paths: &Paths,
    common: &Common,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let start = Instant::now();
    let Some((archive, members)) = paths.inputs.split_first() else {
        return Err(Failure::usage("--extract needs the name of an archive"));
    };
    let folder = paths.output.as_deref().unwrap_or(Path::new(""));
    if folder.as_os_str() == "-" {
        return Err(Failure::usage_with_hint(
            "--extract makes a folder, and does not write to stdout",
            "for a tar stream, leave out --extract: sealstone decrypt -o - backup.seal | tar x",
        ));
    }
    let extracted = open(archive, with, common, terminal, |decryptor, input, _, guard| {
        let extractor = Extractor::new(decryptor)
            .replace(common.force)
            .sync(!common.no_sync)
            .outside_links(options.outside_links)
            .special_bits(options.special_bits)
            .owners(options.owners)
            .attributes(options.xattrs);
        let extractor = guard.files().iter().fold(extractor, |extractor, (id, path)| extractor.protect(*id, path));
        match members {
            [] => extractor.extract(input, folder),
            members => extractor.extract_members(input, folder, members.iter().map(|path| path.as_os_str().as_bytes())),
        }
    });
    let extracted = extracted.map_err(|failure| match hint_for_place(&failure, folder) {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    })?;
    terminal.print_event(|| {
        json!({
            "event": "done", "input": escape_name(archive), "output": escape_name(folder),
            "members": extracted.members, "file_bytes": extracted.file_bytes, "seconds": start.elapsed().as_secs_f64(),
        })
    });
    Ok(())
}
