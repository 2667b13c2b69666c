//! The locks that threads of a dump wait for and hold (Android's ANR, `jstack`): which thread holds what another waits for. Sources: ART's
//! `monitor.cc`, HotSpot's thread dumps.

use std::sync::LazyLock;

use regex::Regex;

use super::parse::{ParsedTrace, TraceRelation};

/// What a thread of a dump says of locks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ThreadLocks {
    /// The number by which other threads of the dump name it.
    pub(super) number: Option<u32>,
    /// The lock that it waits for.
    waits_for: Option<AwaitedLock>,
    /// The objects whose locks it holds: `<0x0a1b2c3d>`.
    held: Vec<String>,
}

/// A lock that a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct AwaitedLock {
    /// `<0x0a1b2c3d>`
    object: String,
    /// The class of the object, if it is said.
    class: String,
    /// The number of the thread that holds it, if it is said.
    holder: Option<u32>,
}

static LOCK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^- (?P<what>waiting to lock|waiting to re-lock in wait\(\)|parking to wait for|locked|)\s*(?P<object><[^>]*>|an unknown object)",
        r"(?: \(an? (?P<class>[^)]*)\))?(?:,? held by (?:thread |tid=)(?P<holder>\d+))?"
    ))
    .ok()
});

impl ThreadLocks {
    /// Reads a line beneath a frame; `false` if it is not about a lock.
    pub(super) fn take(&mut self, line: &str) -> bool {
        let lock = LOCK.as_ref().filter(|_| line.starts_with("- "));
        let Some(found) = lock.and_then(|lock| lock.captures(line)) else { return false };
        let object = found["object"].to_owned();
        if matches!(&found["what"], "locked" | "") {
            self.held.push(object);
            return true;
        }
        let class = found.name("class").map_or("", |class| class.as_str()).to_owned();
        let holder = found.name("holder").and_then(|number| number.as_str().parse().ok());
        self.waits_for = Some(AwaitedLock { object, class, holder });
        true
    }

    fn holds(&self, lock: &AwaitedLock) -> bool {
        let is_numbered = lock.holder.is_some() && self.number == lock.holder;
        is_numbered || lock.object.starts_with('<') && self.held.contains(&lock.object)
    }
}

/// Says of each thread that waits for a lock which one holds it, and puts the holder behind the first that waits.
pub(super) fn tell_holders(all: &mut Vec<ParsedTrace>) {
    let holder_of = |(at, trace): (usize, &ParsedTrace)| {
        let lock = trace.locks.waits_for.as_ref()?;
        let mut others = all.iter().enumerate().filter(|(other, _)| *other != at);
        others.find(|(_, other)| other.locks.holds(lock)).map(|(other, _)| other)
    };
    let holders: Vec<Option<usize>> = all.iter().enumerate().map(holder_of).collect();
    for (at, holder) in holders.iter().enumerate() {
        let Some(lock) = all[at].locks.waits_for.clone() else { continue };
        let of_class = if lock.class.is_empty() { String::new() } else { format!(" (a {})", lock.class) };
        let named = holder.map(|holder| all[holder].thread.clone()).filter(|name| !name.is_empty());
        let numbered = lock.holder.map(|number| format!("thread {number}"));
        let held = named.or(numbered).map_or(String::new(), |holder| format!(", which {holder} holds"));
        let said = format!("waits for {}{of_class}{held}", lock.object);
        let message = &mut all[at].message;
        *message = if message.is_empty() { said } else { format!("{message}\n{said}") };
    }
    if holders.iter().all(Option::is_none) {
        return;
    }
    let mut order: Vec<usize> = Vec::with_capacity(all.len());
    for at in 0..all.len() {
        let mut next = Some(at);
        while let Some(one) = next.filter(|one| !order.contains(one)) {
            order.push(one);
            // Causes stay behind what they caused.
            let ends_chain = all.get(one + 1).is_none_or(|behind| behind.relation == TraceRelation::First);
            next = holders[one].filter(|holder| ends_chain && all[*holder].error_type.is_empty());
        }
    }
    *all = order.into_iter().map(|at| all[at].clone()).collect();
}

#[cfg(test)]
mod tests {
    use super::super::parse::{ParsedTrace, parse_trace};

    fn threads(text: &str) -> Vec<String> {
        let one = |trace: &ParsedTrace| format!("{}{}: {}", trace.error_type, trace.thread, trace.message);
        parse_trace(text).iter().map(one).collect()
    }

    #[test]
    fn the_thread_that_holds_the_lock_stands_behind_the_one_that_waits() {
        let pool = "\"Pool\" prio=5 tid=11 Waiting\n  at a.F.g(F.kt:1)\n  - waiting on <0x0d1b2c3e> (a java.lang.Object)\n\n";
        let main = "\"main\" prio=5 tid=1 Blocked\n  | group=\"main\" sCount=1\n  at a.B.c(B.kt:1)\n  - waiting to lock <0x0a1b2c3d> (a java.lang.Object) held by \
                    thread 12\n  at a.B.d(B.kt:2)\n\n";
        let worker = "\"Worker\" daemon prio=5 tid=12 Native\n  at a.D.e(D.kt:1)\n  - locked <0x0a1b2c3d> (a java.lang.Object)\n  at a.D.f(D.kt:2)\n";
        let waits = "main: waits for <0x0a1b2c3d> (a java.lang.Object), which Worker holds";
        assert_eq!(threads(&format!("{pool}{main}{worker}{pool}")), [waits, "Worker: ", "Pool: ", "Pool: "]);
        // The object alone tells it, too; without the holder's frames only its number is known.
        let unnumbered = format!("{main}{pool}{worker}").replace(" held by thread 12", "");
        assert_eq!(threads(&unnumbered), [waits, "Worker: ", "Pool: "]);
        let without = "main: waits for <0x0a1b2c3d> (a java.lang.Object), which thread 12 holds";
        assert_eq!(threads(&format!("{main}{pool}")), [without, "Pool: "]);
        // A crash stands first.
        let crash = "a.Gone: x\n\tat a.B.c(B.kt:3)\nCaused by: a.Lost: y\n\tat a.B.c(B.kt:4)\n\n";
        assert_eq!(
            threads(&format!("{crash}{pool}{main}{pool}{worker}")),
            ["a.Gone: x", "a.Lost: y", "Pool: ", waits, "Worker: ", "Pool: "]
        );
    }

    #[test]
    fn a_deadlock_of_the_jvm() {
        let text = "Found one Java-level deadlock:\n=====\n\"one\":\n  waiting to lock monitor 0x7f (object 0x71, a java.lang.Object),\n  which is held by \
                    \"two\"\n\nJava stack information for the threads listed above:\n=====\n\"one\":\n\tat a.B.c(B.kt:1)\n\t- waiting to lock <0x71> (a \
                    java.lang.Object)\n\t- locked <0x72> (a java.lang.Object)\n\"two\":\n\tat a.D.e(D.kt:1)\n\t- parking to wait for  <0x72> (a \
                    java.util.concurrent.locks.ReentrantLock$NonfairSync)\n\t- locked <0x71> (a java.lang.Object)\n\nFound 1 deadlock.\n";
        let expected = [
            "one: waits for <0x71> (a java.lang.Object), which two holds",
            "two: waits for <0x72> (a java.util.concurrent.locks.ReentrantLock$NonfairSync), which one holds",
        ];
        assert_eq!(threads(text), expected);
    }
}
