//! Links of a chain that stand on a line of their own before the throwable, as Gradle's full format of failed tests has them:
//! `Caused by:`, and the head of the cause in the next line.

use super::throwables::{LINKS, message_of_head};

/// Joins such links with the heads behind them.
pub(super) fn with_heads(lines: Vec<String>) -> Vec<String> {
    let is_link = |line: &str| {
        let said = line.trim();
        !said.is_empty() && LINKS.iter().any(|link| link.trim_end() == said)
    };
    if !lines.iter().any(|line| is_link(line)) {
        return lines;
    }
    let mut all = Vec::with_capacity(lines.len());
    let mut lines = lines.into_iter().peekable();
    while let Some(line) = lines.next() {
        if !is_link(&line) {
            all.push(line);
            continue;
        }
        while lines.next_if(|next| next.trim().is_empty()).is_some() {}
        let joined = lines.peek().map(|head| format!("{} {}", line.trim_end(), head.trim_start()));
        match joined.filter(|joined| message_of_head(joined).is_some()) {
            Some(joined) => {
                lines.next();
                all.push(joined);
            }
            None => all.push(line),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_trace;

    #[test]
    fn a_link_stands_on_a_line_of_its_own() {
        let read = |text: &str| {
            let one = |one: &super::super::parse::ParsedTrace| {
                format!("{:?} {}: {} {}", one.relation, one.error_type, one.message, one.frames.len())
            };
            parse_trace(text).iter().map(one).collect::<Vec<_>>()
        };
        let text = "TillTest > sells FAILED\n    java.lang.IllegalStateException: outer\n        at a.B.c(B.kt:3)\n        at a.B.d(B.kt:4)\n\n        Caused \
                    by:\n        a.Gone: no 1\n            at a.D.e(D.kt:4)\n\n            Caused by:\n            a.Lost\n                at a.F.g(F.kt:5)\n\n2 tests \
                    completed\n";
        let expected =
            ["First java.lang.IllegalStateException: outer 2", "Cause a.Gone: no 1 1", "Cause a.Lost:  1"];
        assert_eq!(read(text), expected);
        // Words of a message.
        for message in ["Caused by:\n(see below)", "Caused by:\n\nwhat it is"] {
            let words: Vec<&str> = message.lines().filter(|line| !line.is_empty()).collect();
            assert_eq!(
                read(&format!("a.Gone: x\n{message}\n\tat a.B.c(B.kt:3)\n")),
                [format!("First a.Gone: x\n{} 1", words.join("\n"))]
            );
        }
    }
}
