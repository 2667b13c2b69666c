//! The files of a scenario: created, checked and removed without a trace, including dot directories and files
//! that may not be read or written.

use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, SystemTime};

use data_encoding::HEXLOWER_PERMISSIVE;
use symd::vfs::TEMPORARY_PREFIX;

use super::scenario::{Put, Seen, Special};

/// Removes everything in `directory`, whatever its permissions.
pub fn empty(directory: &Path) {
    std::fs::set_permissions(directory, Permissions::from_mode(0o755)).unwrap();
    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            empty(&entry.path());
            std::fs::remove_dir(entry.path()).unwrap();
        } else {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
}

/// Creates these files beneath `directory`. `fill_in` replaces the placeholders.
pub fn fill(directory: &Path, files: &[Put], fill_in: &dyn Fn(&str) -> String) {
    for file in files {
        for number in 1..=file.copies {
            let numbered = |text: &str| text.replace("{NUMBER}", &number.to_string());
            put(directory, &numbered(&file.path), file, &|text| fill_in(&numbered(text)));
        }
    }
    // Last, and from the inside out: nothing can be created in a directory that may not be written.
    for file in files.iter().rev() {
        let path = directory.join(&file.path);
        if let Some(mode) = file.mode {
            std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
    }
}

fn put(directory: &Path, path: &str, file: &Put, fill_in: &dyn Fn(&str) -> String) {
    let mut path = directory.join(path);
    if let Some(name) = &file.name_hex {
        path.push(OsString::from_vec(unhex(name)));
    } else if file.path.ends_with('/') {
        return std::fs::create_dir_all(path).unwrap();
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    if let Some(target) = &file.link {
        return std::os::unix::fs::symlink(fill_in(target), path).unwrap();
    }
    match file.special {
        Some(Special::Fifo) => {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            return rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        }
        // The socket file remains when nothing listens any more.
        Some(Special::Socket) => return drop(UnixListener::bind(path).unwrap()),
        None => {}
    }
    let bytes = match (&file.text, &file.hex, &file.repeat) {
        (Some(text), None, None) => fill_in(text).into_bytes(),
        (None, Some(hex), None) => unhex(hex),
        (None, None, Some(unit)) => unit.repeat(file.times.unwrap()).into_bytes(),
        (None, None, None) if file.size.is_some() => Vec::new(),
        _ => panic!("{}: one of text, hex, repeat and link", file.path),
    };
    // Replaced by a rename, as an editor does, if the file exists: closing it may take effect late, if
    // another thread forks meanwhile, and the file would be seen while it is written.
    let part = path.with_file_name(format!("{TEMPORARY_PREFIX}put"));
    std::fs::write(&part, bytes).unwrap();
    if let Some(size) = file.size {
        std::fs::File::options().write(true).open(&part).unwrap().set_len(size).unwrap();
    }
    std::fs::rename(part, &path).unwrap();
    if let Some(seconds) = file.mtime {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }
}

/// Checks the state of a path; returns what is wrong with it.
pub fn look(directory: &Path, seen: &Seen, fill_in: &dyn Fn(&str) -> String) -> Result<(), String> {
    let path = directory.join(seen.path.trim_end_matches('/'));
    let Ok(metadata) = std::fs::symlink_metadata(&path) else {
        return if seen.absent { Ok(()) } else { Err(format!("{} is missing", seen.path)) };
    };
    if seen.absent {
        return Err(format!("{} is there", seen.path));
    }
    if seen.path.ends_with('/') && !metadata.is_dir() {
        return Err(format!("{} is no directory", seen.path));
    }
    let mode = metadata.permissions().mode() & 0o7777;
    if let Some(wanted) = seen.mode.filter(|wanted| *wanted != mode) {
        return Err(format!("{} has mode {mode:o} instead of {wanted:o}", seen.path));
    }
    if let Some(target) = &seen.link {
        let got = std::fs::read_link(&path).map_err(|error| format!("{}: {error}", seen.path))?;
        return (got == Path::new(&fill_in(target))).then_some(()).ok_or(format!(
            "{} leads to {}",
            seen.path,
            got.display()
        ));
    }
    let expected = match (&seen.text, &seen.hex) {
        (Some(text), None) => fill_in(text).into_bytes(),
        (None, Some(hex)) => unhex(hex),
        _ => return Ok(()),
    };
    let got = std::fs::read(&path).map_err(|error| format!("{}: {error}", seen.path))?;
    if got == expected {
        return Ok(());
    }
    Err(format!(
        "{} holds\n  {:?}\ninstead of\n  {:?}",
        seen.path,
        String::from_utf8_lossy(&got),
        String::from_utf8_lossy(&expected)
    ))
}

/// Decodes pairs of hexadecimal digits.
pub fn unhex(hex: &str) -> Vec<u8> {
    let digits: String = hex.split_whitespace().collect();
    HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).unwrap()
}
