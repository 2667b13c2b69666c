//! Tells when a file at a path may have appeared, such as the socket of another program, without looking again and again.

use std::ffi::OsString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

/// Bytes of events that are read at once.
const BUFFER_BYTES: usize = 4 << 10;

/// A watch on the directory of a file. Its descriptor is readable when the directory has changed.
#[derive(Debug)]
pub struct FileWatch {
    instance: OwnedFd,
    name: OsString,
}

impl FileWatch {
    /// Begins to watch the directory of `file`, which must exist.
    pub fn begin(file: &Path) -> io::Result<FileWatch> {
        let (Some(directory), Some(name)) = (file.parent(), file.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let instance = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        // A socket takes connections only after its creation, when its permissions are set.
        let changes = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::ATTRIB | WatchFlags::ONLYDIR;
        inotify::add_watch(&instance, directory, changes)?;
        Ok(FileWatch { instance, name: name.to_owned() })
    }

    /// Takes the changes that are reported so far; returns whether the file may have appeared among them, or its directory is
    /// gone. Does not block.
    pub fn take(&self) -> io::Result<bool> {
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut events = inotify::Reader::new(&self.instance, &mut buffer);
        let mut is_meant = false;
        loop {
            match events.next() {
                Ok(event) => {
                    let lost = ReadFlags::IGNORED | ReadFlags::QUEUE_OVERFLOW;
                    let is_named =
                        event.file_name().is_some_and(|name| name.to_bytes() == self.name.as_bytes());
                    is_meant |= is_named || event.events().intersects(lost);
                }
                Err(Errno::AGAIN) => return Ok(is_meant),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl AsRawFd for FileWatch {
    fn as_raw_fd(&self) -> RawFd {
        self.instance.as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_file_that_appears_is_told_and_others_are_not() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("s.sock");
        assert!(FileWatch::begin(&scratch.path().join("none/s.sock")).is_err());
        let watch = FileWatch::begin(&file).unwrap();
        assert!(!watch.take().unwrap());
        std::fs::create_dir(scratch.path().join("other")).unwrap();
        assert!(!watch.take().unwrap());
        let listener = UnixListener::bind(&file).unwrap();
        assert!(watch.take().unwrap());
        assert!(!watch.take().unwrap(), "it was told");
        // A bound socket keeps its directory.
        drop(listener);
        scratch.close().unwrap();
        assert!(watch.take().unwrap(), "its directory is gone");
    }
}
