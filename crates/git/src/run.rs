//! Runs one command of git under the reading's deadline. Invariant: nothing that the repository's configuration names is run;
//! what git would run is switched off by name, and no protocol is allowed, so that nothing can be fetched.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, PipeReader, Read, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::MemfdFlags;
use symd_sys::{ProcessHandle, group, processes, tether};

use super::{GitError, Repository};

/// The options before each command. `safe.bareRepository`: a project that looks like a bare repository configures git.
const OPTIONS: [&str; 22] = [
    "--no-pager",
    "--no-replace-objects",
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.pager=cat",
    "-c",
    "core.askPass=",
    "-c",
    "credential.helper=",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "protocol.allow=never",
    "-c",
    "log.showSignature=false",
    "-c",
    "diff.external=",
];

/// The environment of git beside PATH. An empty list of allowed protocols stands above the repository's configuration.
const ENVIRONMENT: [(&str, &str); 9] = [
    ("LC_ALL", "C"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
];

/// Variables of the user that name their configuration, where they say which repositories are safe.
const OF_USER: [&str; 2] = ["HOME", "XDG_CONFIG_HOME"];

/// Maximum number of bytes that one command may print.
const MAX_OUTPUT: usize = 64 << 20;

/// Maximum number of characters of git's message that an error shows.
const SHOWN: usize = 300;

impl Repository<'_> {
    /// Runs a command that reads, with `input` on its stdin, and returns what it printed.
    pub(super) fn output(&self, arguments: &[impl AsRef<OsStr>], input: &[u8]) -> Result<Vec<u8>, GitError> {
        let mut errors = memory_file(b"")?;
        let (reader, mut child) = self.start(arguments, input, &errors)?;
        let leader = processes::id(child.id());
        let read = self.read(reader);
        if read.is_err() {
            // The leader is not reaped yet, so its ID is that of its group.
            leader.into_iter().for_each(group::kill);
        }
        let ended = self.wait(&mut child);
        let bytes = read?;
        if ended? {
            return Ok(bytes);
        }
        let mut said = String::new();
        errors.seek(SeekFrom::Start(0))?;
        let _ = errors.read_to_string(&mut said);
        let said: String = said.trim().replace('\n', "; ").chars().take(SHOWN).collect();
        Err(GitError::Failed(said))
    }

    fn start(
        &self,
        arguments: &[impl AsRef<OsStr>],
        input: &[u8],
        errors: &File,
    ) -> Result<(PipeReader, Child), GitError> {
        let (reader, writer) = std::io::pipe()?;
        let kept = OF_USER.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        // The command keeps its end of the pipe open until it is dropped.
        let child = Command::new(&self.git.launcher)
            .arg0("symd")
            .args([tether::NAME, &std::process::id().to_string()])
            .arg(&self.git.program)
            .args(OPTIONS)
            .args(arguments)
            .env_clear()
            .envs(kept)
            .envs(ENVIRONMENT)
            .env("PATH", &self.git.search_path)
            .current_dir(&self.git.root)
            .stdin(memory_file(input)?)
            .stdout(writer)
            .stderr(errors.try_clone()?)
            .process_group(0)
            .spawn()?;
        Ok((reader, child))
    }

    /// Reads to the end of the output, or to the deadline.
    fn read(&self, mut reader: PipeReader) -> Result<Vec<u8>, GitError> {
        let mut bytes = Vec::new();
        let mut part = vec![0; 64 << 10];
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(GitError::TimedOut(self.within));
            }
            let left = Timespec::try_from(left).unwrap_or_default();
            let mut awaited = [PollFd::from_borrowed_fd(reader.as_fd(), PollFlags::IN)];
            match rustix::event::poll(&mut awaited, Some(&left)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(errno) => return Err(GitError::Start(errno.into())),
            }
            match reader.read(&mut part) {
                Ok(0) => return Ok(bytes),
                Ok(count) if bytes.len() + count > MAX_OUTPUT => {
                    return Err(GitError::TooMuch(MAX_OUTPUT >> 20));
                }
                Ok(count) => bytes.extend_from_slice(&part[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits until the process has exited, and kills it at the deadline; returns whether it succeeded.
    fn wait(&self, child: &mut Child) -> Result<bool, GitError> {
        let leader = processes::id(child.id());
        let handle = leader.and_then(|leader| ProcessHandle::open(leader).ok());
        let mut is_over = child.try_wait()?;
        while let (None, Some(handle)) = (is_over, &handle) {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            handle.wait(left);
            is_over = child.try_wait()?;
        }
        if let Some(status) = is_over {
            return Ok(status.success());
        }
        leader.into_iter().for_each(group::kill);
        child.wait()?;
        Err(GitError::TimedOut(self.within))
    }
}

/// Returns a file in memory: an input that no writer has to wait for, or the place of a message.
fn memory_file(bytes: &[u8]) -> std::io::Result<File> {
    let mut file = File::from(rustix::fs::memfd_create("symd-git", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}
