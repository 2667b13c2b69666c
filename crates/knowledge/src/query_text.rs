//! What of a query is searched for: of a long stack trace its types, messages and first frames.

/// A query of at most this many bytes is taken whole.
const WHOLE: usize = 1_000;

/// Maximum number of characters that are searched for, in all and of one line.
const MAX_CHARS: usize = 4_000;

/// The number of frames that are kept of each exception.
const FRAMES: usize = 4;

/// Packages of libraries: their frames say little about the error.
const FOREIGN: [&str; 9] =
    ["java.", "javax.", "kotlin.", "kotlinx.", "android.", "androidx.", "dalvik.", "com.android.", "sun."];

/// Returns the part of `text` that identifies its error.
pub(crate) fn identifying(text: &str) -> String {
    if text.len() <= WHOLE || !text.lines().any(|line| is_frame(line).is_some()) {
        return text.chars().take(MAX_CHARS).collect();
    }
    let mut kept = String::new();
    let mut frames = 0;
    for line in text.lines() {
        match is_frame(line) {
            Some(frame) if frames < FRAMES && !FOREIGN.iter().any(|package| frame.starts_with(package)) => {
                frames += 1;
                let place = frame.split('(').next().unwrap_or(frame);
                // The class and the method; packages are the same in all errors of a project.
                let names: Vec<&str> = place.rsplit('.').take(2).collect();
                push(&mut kept, &names.join(" "));
            }
            Some(_) => {}
            None if kept.len() < MAX_CHARS && !line.trim_start().starts_with("...") => {
                frames = 0;
                push(&mut kept, line);
            }
            None => {}
        }
    }
    kept
}

/// Adds as much of a line as there is room for.
fn push(kept: &mut String, line: &str) {
    let room = MAX_CHARS.saturating_sub(kept.chars().count() + 1);
    kept.extend(line.chars().take(room));
    kept.push('\n');
}

/// Returns the frame of a line of a stack trace, without "at".
fn is_frame(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("at ").map(str::trim).filter(|frame| frame.ends_with(')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_trace_is_reduced_to_types_messages_and_own_frames() {
        let foreign = "\tat android.os.Handler.dispatchMessage(Handler.java:106)\n".repeat(40);
        let trace = format!(
            "java.lang.IllegalStateException: no till\n{foreign}\tat shop.app.Till.sell(Till.kt:12)\n{foreign}Caused by: \
             java.io.IOException: gone\n\tat shop.app.Disk.read(Disk.kt:3)\n\t... 12 more\n"
        );
        assert_eq!(
            identifying(&trace),
            "java.lang.IllegalStateException: no till\nsell Till\nCaused by: java.io.IOException: gone\nread Disk\n"
        );
        assert_eq!(identifying("short"), "short");
    }

    #[test]
    fn no_more_than_the_limit_is_kept() {
        let line = "x".repeat(10_000_000);
        let trace = format!("{line}\n\tat shop.app.Till.{line}(Till.kt:12)\n{line}\n");
        for text in [&line, &trace] {
            let kept = identifying(text).chars().count();
            assert!(kept <= MAX_CHARS + 4, "{kept}");
        }
    }
}
