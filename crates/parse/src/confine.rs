//! What a worker takes from itself before it reads the first text. Each is done once and cannot be undone: a scanner that
//! overruns its memory under a hostile text has a pipe, memory of its own, and nothing else.

use std::os::fd::AsFd;

use rustix::process::{DumpableBehavior, Pid, Resource, Rlimit, Signal};

/// Ties this process to the thread that started it, which lives as long as the daemon `parent`, and takes from it what it
/// does not need. What the system cannot do (a kernel without filters) is left out: the other walls stand. An error says that
/// there is no life line.
pub(super) fn confine(parent: Pid) -> rustix::io::Result<()> {
    // However the daemon ends, also while this process hangs in a text.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // It may have ended before that was set.
    if rustix::process::getppid() != Some(parent) {
        return Err(rustix::io::Errno::SRCH);
    }
    // No core file, and no program that the system runs to make one: it would hold the user's source.
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    for resource in [Resource::Core, Resource::Fsize, Resource::Nofile] {
        let _ = rustix::process::setrlimit(resource, none);
    }
    filter();
    Ok(())
}

/// Limits the processor time and address space that this process may take from now on; `seconds` are whole ones since it began.
pub(super) fn limit(seconds: u64, address_space: u64) {
    let soft = |current| Rlimit { current: Some(current), maximum: None };
    // A number that is lower than what is in use is no mistake: the next page is refused.
    let _ = rustix::process::setrlimit(Resource::Cpu, soft(seconds));
    let _ = rustix::process::setrlimit(Resource::As, soft(address_space));
}

/// The one descriptor that a worker uses.
pub(super) fn pipe() -> impl AsFd {
    rustix::stdio::stdin()
}

#[cfg(target_os = "linux")]
fn filter() {
    // Without it the other walls stand.
    if let Some(program) = filter::program() {
        let _ = seccompiler::apply_filter(&program);
    }
}

#[cfg(not(target_os = "linux"))]
fn filter() {}

/// The system calls that parsing takes. Any other fails with EPERM, which harms less than a signal where a C library of
/// tomorrow calls something new: that must not put every file of a project into quarantine.
#[cfg(target_os = "linux")]
mod filter {
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule,
    };

    /// A condition on argument `at`: all of `mask`'s bits as in `value`.
    fn masked(at: u8, mask: u64, value: u64) -> Option<SeccompCondition> {
        SeccompCondition::new(at, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask), value).ok()
    }

    fn is(at: u8, value: u64) -> Option<SeccompCondition> {
        SeccompCondition::new(at, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value).ok()
    }

    pub(super) fn program() -> Option<BpfProgram> {
        let no_code = |at| masked(at, u64::try_from(libc::PROT_EXEC).unwrap_or(4), 0);
        let pipe = || Some(vec![vec![is(0, 0)?]]);
        let me = u64::try_from(rustix::process::getpid().as_raw_nonzero().get()).ok()?;
        let resource = |number: u32| Some(vec![is(0, 0)?, is(1, u64::from(number))?]);
        let anonymous = u64::try_from(libc::MAP_ANONYMOUS).ok()?;
        let rules: Vec<(libc::c_long, Vec<Vec<SeccompCondition>>)> = vec![
            // The pipe.
            (libc::SYS_read, pipe()?),
            (libc::SYS_write, pipe()?),
            (libc::SYS_writev, pipe()?),
            // Memory, none of it to be run.
            (libc::SYS_brk, vec![]),
            (libc::SYS_mmap, vec![vec![no_code(2)?, masked(3, anonymous, anonymous)?]]),
            (libc::SYS_mprotect, vec![vec![no_code(2)?]]),
            (libc::SYS_mremap, vec![]),
            (libc::SYS_munmap, vec![]),
            (libc::SYS_madvise, vec![]),
            // Its limits, for each text anew.
            (libc::SYS_prlimit64, vec![resource(libc::RLIMIT_CPU)?, resource(libc::RLIMIT_AS)?]),
            (libc::SYS_clock_gettime, vec![]),
            // abort(), panics, the end.
            (libc::SYS_getpid, vec![]),
            (libc::SYS_gettid, vec![]),
            (libc::SYS_tgkill, vec![vec![is(0, me)?]]),
            (libc::SYS_rt_sigaction, vec![]),
            (libc::SYS_rt_sigprocmask, vec![]),
            (libc::SYS_rt_sigreturn, vec![]),
            (libc::SYS_sigaltstack, vec![]),
            (libc::SYS_futex, vec![]),
            (libc::SYS_getrandom, vec![]),
            (libc::SYS_restart_syscall, vec![]),
            (libc::SYS_sched_yield, vec![]),
            (libc::SYS_exit, vec![]),
            (libc::SYS_exit_group, vec![]),
        ];
        let rule = |conditions| SeccompRule::new(conditions).ok();
        let rules: Option<_> = rules
            .into_iter()
            .map(|(call, any_of)| {
                let any_of: Option<Vec<_>> = any_of.into_iter().map(rule).collect();
                Some((call, any_of?))
            })
            .collect();
        let denied = SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap_or(1));
        let architecture = std::env::consts::ARCH.try_into().ok()?;
        SeccompFilter::new(rules?, denied, SeccompAction::Allow, architecture).ok()?.try_into().ok()
    }
}
