//! The restrictions that a worker puts on itself before it reads the first text. Each is applied once and
//! cannot be undone: a scanner that overruns its memory on a hostile text has access to a pipe and its own
//! memory, and to nothing else.

use std::os::fd::AsFd;

use rustix::process::{DumpableBehavior, Pid, Resource, Rlimit};
use symd_sys::life_line;

/// Ties this process to the thread that started it, which lives as long as the daemon `parent`, and drops the
/// rights that it does not need. Restrictions that the system does not support (a kernel without filters) are
/// skipped; the others still apply. An error means that the process could not be tied to its parent.
pub(super) fn confine(parent: Pid) -> rustix::io::Result<()> {
    // A process that hangs in a text does not read its pipe.
    life_line::end_with_parent(parent)?;
    // No core file, and no core handler program: a core would contain the user's source.
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    for resource in [Resource::Core, Resource::Fsize, Resource::Nofile] {
        let _ = rustix::process::setrlimit(resource, none);
    }
    filter();
    Ok(())
}

/// Limits the processor time and address space of this process from now on; `seconds` are whole seconds since
/// the process began.
pub(super) fn limit(seconds: u64, address_space: u64) {
    let soft = |current| Rlimit { current: Some(current), maximum: None };
    // A limit below the current use is valid: the next allocation fails.
    let _ = rustix::process::setrlimit(Resource::Cpu, soft(seconds));
    let _ = rustix::process::setrlimit(Resource::As, soft(address_space));
}

/// The one descriptor that a worker uses.
pub(super) fn pipe() -> impl AsFd {
    rustix::stdio::stdin()
}

#[cfg(target_os = "linux")]
fn filter() {
    // Without the filter the other restrictions still apply.
    if let Some(program) = filter::program() {
        let _ = seccompiler::apply_filter(&program);
    }
}

#[cfg(not(target_os = "linux"))]
fn filter() {}

/// The system calls that parsing needs. Any other fails with EPERM. A signal would be worse if a future C
/// library makes a new call: it would put every file of a project into quarantine.
#[cfg(target_os = "linux")]
mod filter {
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule,
    };

    /// Returns a condition on argument `at`: its bits in `mask` equal those of `value`.
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
            // The pipe to the daemon.
            (libc::SYS_read, pipe()?),
            (libc::SYS_write, pipe()?),
            (libc::SYS_writev, pipe()?),
            // Memory, but never executable.
            (libc::SYS_brk, vec![]),
            (libc::SYS_mmap, vec![vec![no_code(2)?, masked(3, anonymous, anonymous)?]]),
            (libc::SYS_mprotect, vec![vec![no_code(2)?]]),
            (libc::SYS_mremap, vec![]),
            (libc::SYS_munmap, vec![]),
            (libc::SYS_madvise, vec![]),
            // The process's own limits, set for each text.
            (libc::SYS_prlimit64, vec![resource(libc::RLIMIT_CPU)?, resource(libc::RLIMIT_AS)?]),
            (libc::SYS_clock_gettime, vec![]),
            // abort(), panics, exit.
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
