//! Giving up a standard stream that a child has inherited: while this process holds a copy, neither the child nor the other
//! end notices that the stream was closed.

/// A stream that every program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardStream {
    Stdin,
    Stdout,
    Stderr,
}

/// Replaces these streams of this process by /dev/null.
pub fn give_up(streams: &[StandardStream]) -> rustix::io::Result<()> {
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC;
    let null = rustix::fs::open("/dev/null", flags, rustix::fs::Mode::empty())?;
    for stream in streams {
        match stream {
            StandardStream::Stdin => rustix::stdio::dup2_stdin(&null)?,
            StandardStream::Stdout => rustix::stdio::dup2_stdout(&null)?,
            StandardStream::Stderr => rustix::stdio::dup2_stderr(&null)?,
        }
    }
    Ok(())
}
