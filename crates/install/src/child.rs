//! Runs a registry's client program in its own process group, with stdin at /dev/null, and reports its output
//! line by line. Invariant: when [`Children::run`] returns, the program has exited, and after an interruption
//! its whole process group is dead.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use symd_sys::{group, processes};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};
use tokio::signal::unix::{Signal as Signals, SignalKind, signal};

use super::{InstallEnvironment, InstallError};

/// Number of lines of a failed program's output that are quoted in the error.
const TAIL_LINES: usize = 12;
/// Bytes kept of a line; the rest of a longer line is dropped.
const LINE_BYTES: usize = 400;

#[derive(Debug)]
pub(super) struct Job {
    /// The command as an error message names it: `npm ci`.
    pub(super) what: &'static str,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
}

/// Runs programs until the user interrupts.
#[derive(Debug)]
pub(super) struct Children {
    surroundings: InstallEnvironment,
    interrupts: [Signals; 3],
}

impl Children {
    /// Installs handlers for SIGINT, SIGTERM and SIGHUP: from now on these signals kill the running program
    /// instead of this process. Needs a tokio runtime.
    pub(super) fn new(surroundings: InstallEnvironment) -> io::Result<Children> {
        let interrupts = [
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ];
        Ok(Children { surroundings, interrupts })
    }

    pub(super) fn surroundings(&self) -> &InstallEnvironment {
        &self.surroundings
    }

    /// Runs `job` to its end in the directory `workspace`, and calls `tell` with each line of its output.
    /// Fails with `Interrupted` when a signal arrives.
    pub(super) async fn run(
        &mut self,
        job: Job,
        workspace: &Path,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), InstallError> {
        let cannot = |source| InstallError::CannotRun { program: job.program.clone(), source };
        let (mut child, output) = self.start(&job, workspace).map_err(cannot)?;
        let mut lines = Lines::default();
        let mut output = Some(output);
        let mut buffer = [0; 4096];
        let status = loop {
            let [interrupt, terminate, hangup] = &mut self.interrupts;
            tokio::select! {
                biased;
                _ = interrupt.recv() => return Err(ended(&mut child).await),
                _ = terminate.recv() => return Err(ended(&mut child).await),
                _ = hangup.recv() => return Err(ended(&mut child).await),
                read = next(&mut output, &mut buffer) => match read {
                    Ok(count @ 1..) => lines.add(&buffer[..count], tell),
                    // All writers have closed the pipe; the program may still be running.
                    Ok(0) | Err(_) => output = None,
                },
                status = child.wait() => break status.map_err(cannot)?,
            }
        };
        // Drains the last output. A descendant that keeps the pipe open is not waited for.
        while let Some(Ok(count @ 1..)) = output.as_ref().map(|output| output.try_read(&mut buffer)) {
            lines.add(&buffer[..count], tell);
        }
        lines.end(tell);
        if status.success() {
            return Ok(());
        }
        Err(InstallError::Failed { what: job.what.to_owned(), how: status.to_string(), tail: lines.tail() })
    }

    fn start(&self, job: &Job, workspace: &Path) -> io::Result<(Child, Receiver)> {
        let (reader, writer) = io::pipe()?;
        let child = Command::new(&job.program)
            .args(&job.arguments)
            .env_clear()
            .envs(self.surroundings.variables())
            .env("PATH", self.surroundings.path())
            .env("TMPDIR", workspace)
            // Overrides a pip setting of the user that would install into another place.
            .env("PIP_USER", "0")
            .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
            .current_dir(workspace)
            .stdin(Stdio::null())
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        Ok((child, Receiver::from_owned_fd(OwnedFd::from(reader))?))
    }
}

async fn next(output: &mut Option<Receiver>, buffer: &mut [u8]) -> io::Result<usize> {
    match output {
        Some(output) => output.read(buffer).await,
        None => std::future::pending().await,
    }
}

/// Kills the child's process group with SIGKILL; its unfinished files are discarded by the caller.
async fn ended(child: &mut Child) -> InstallError {
    // The child is not reaped yet, so its process id cannot have been reused.
    if let Some(leader) = child.id().and_then(processes::id) {
        group::kill(leader);
    }
    let _ = child.wait().await;
    InstallError::Interrupted
}

/// Splits output into lines, at carriage returns too, and keeps the last [`TAIL_LINES`].
#[derive(Debug, Default)]
struct Lines {
    open: Vec<u8>,
    last: std::collections::VecDeque<String>,
}

impl Lines {
    fn add(&mut self, bytes: &[u8], tell: &mut dyn FnMut(&str)) {
        for &byte in bytes {
            match byte {
                b'\n' | b'\r' => self.end(tell),
                byte if self.open.len() < LINE_BYTES => self.open.push(byte),
                _ => {}
            }
        }
    }

    fn end(&mut self, tell: &mut dyn FnMut(&str)) {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.open)).into_owned();
        // Control characters in untrusted output must not reach the terminal.
        let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let line = line.trim_end();
        if line.is_empty() {
            return;
        }
        tell(line);
        if self.last.len() == TAIL_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line.to_owned());
    }

    fn tail(&self) -> String {
        if self.last.is_empty() {
            return "    (no output)".to_owned();
        }
        self.last.iter().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(script: &str) -> Job {
        Job { what: "the script", program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] }
    }

    fn run(script: &str) -> (Result<(), InstallError>, Vec<String>) {
        let scratch = tempfile::tempdir().expect("scratch");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("built");
        let variables = [("PATH", "/usr/bin:/bin"), ("PYTHONPATH", "/evil"), ("HOME", "/h")];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let mut told = Vec::new();
        let result = runtime.block_on(async {
            let mut children = Children::new(InstallEnvironment::new(variables, None)).expect("made");
            children.run(job(script), scratch.path(), &mut |line| told.push(line.to_owned())).await
        });
        (result, told)
    }

    #[test]
    fn output_is_told_line_by_line() {
        let (result, told) = run("echo one; echo two >&2; printf 'a\\rb'; cat");
        assert!(result.is_ok());
        assert_eq!(told, ["one", "two", "a", "b"]);
    }

    #[test]
    fn a_failure_is_told_with_its_last_lines() {
        let (result, _) = run("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do echo line $i; done; exit 3");
        let text = result.expect_err("failed").to_string();
        assert!(
            text.contains("the script failed (exit status: 3)") && text.contains("    line 13"),
            "{text}"
        );
        assert!(!text.contains("line 1\n"), "{text}");
    }

    #[test]
    fn only_the_listed_variables_and_a_directory_of_symds_own() {
        let (result, told) = run("env; pwd");
        assert!(result.is_ok());
        assert!(
            told.iter().any(|line| line == "HOME=/h") && told.iter().any(|line| line.starts_with("TMPDIR="))
        );
        assert!(!told.iter().any(|line| line.contains("PYTHONPATH")), "{told:?}");
    }

    #[test]
    fn a_grandchild_that_holds_the_output_open_is_not_waited_for() {
        let scratch = tempfile::tempdir().expect("scratch");
        let fifo = scratch.path().join("gate");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
            .expect("made");
        let (result, told) = run(&format!("(read line < {}) & echo done", fifo.display()));
        assert!(result.is_ok() && told == ["done"]);
        // Lets the grandchild exit.
        let gate =
            rustix::fs::open(&fifo, rustix::fs::OFlags::RDWR, rustix::fs::Mode::empty()).expect("open");
        rustix::io::write(&gate, b"go\n").expect("written");
    }
}
