//! What of a query is searched for: of a long stack trace its types, messages and first frames.

/// A query of at most this many bytes is taken whole.
const WHOLE: usize = 1_000;

/// Maximum number of characters that are searched for, in all and of one line.
const MAX_CHARS: usize = 4_000;

/// The number of frames that are kept of each exception.
const FRAMES: usize = 4;

/// Packages of the platform: their frames say little about the error.
const PLATFORM: [&str; 11] = [
    "java.",
    "javax.",
    "jdk.",
    "kotlin.",
    "kotlinx.",
    "android.",
    "androidx.",
    "dalvik.",
    "com.android.",
    "sun.",
    "com.sun.",
];

/// Packages of libraries: the frames of these say little beside those of others, and much in a trace that has no others.
const LIBRARIES: [&str; 36] = [
    "ch.qos.",
    "coil.",
    "com.bumptech.glide.",
    "com.facebook.react.",
    "com.fasterxml.jackson.",
    "com.google.",
    "com.intellij.",
    "com.squareup.",
    "dagger.",
    "groovy.",
    "io.ktor.",
    "io.mockk.",
    "io.netty.",
    "io.reactivex.",
    "jakarta.",
    "junit.",
    "net.bytebuddy.",
    "okhttp3.",
    "okio.",
    "org.apache.",
    "org.codehaus.groovy.",
    "org.eclipse.jetty.",
    "org.gradle.",
    "org.hibernate.",
    "org.jetbrains.",
    "org.junit.",
    "org.koin.",
    "org.mockito.",
    "org.robolectric.",
    "org.slf4j.",
    "org.springframework.",
    "org.testng.",
    "reactor.",
    "retrofit2.",
    "rx.",
    "scala.",
];

/// Returns the part of `text` that identifies its error.
pub(crate) fn identifying(text: &str) -> String {
    if text.len() <= WHOLE || !text.lines().any(|line| is_frame(line).is_some()) {
        return text.chars().take(MAX_CHARS).collect();
    }
    let is_of = |frame: &str, packages: &[&str]| packages.iter().any(|package| frame.starts_with(package));
    let is_foreign = |frame: &str| is_of(frame, &PLATFORM) || is_of(frame, &LIBRARIES);
    let has_own = text.lines().filter_map(is_frame).any(|frame| !is_foreign(frame));
    let mut kept = String::new();
    let mut frames = 0;
    for line in text.lines() {
        match is_frame(line) {
            Some(frame) if frames < FRAMES && !is_of(frame, &PLATFORM) && !(has_own && is_foreign(frame)) => {
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

/// Returns the frame of a line of a stack trace, without "at" and without the module of its class (`java.base/`).
fn is_frame(line: &str) -> Option<&str> {
    let frame = line.trim_start().strip_prefix("at ").map(str::trim).filter(|frame| frame.ends_with(')'))?;
    let place = frame.find('(').unwrap_or(frame.len());
    Some(frame[..place].rfind('/').map_or(frame, |module| &frame[module + 1..]))
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
    fn frames_of_libraries_leave_room_for_those_of_the_project() {
        let libraries = [
            "okhttp3.internal.connection.RealCall.execute(RealCall.kt:154)",
            "retrofit2.OkHttpCall.execute(OkHttpCall.java:204)",
            "io.reactivex.internal.Lambda.run(Lambda.java:3)",
            "com.google.gson.Gson.fromJson(Gson.java:1)",
            "java.base/jdk.internal.Reflection.invoke(Reflection.java:1)",
        ];
        let of_libraries: String = libraries.iter().map(|frame| format!("\tat {frame}\n")).collect();
        let trace = |own: &str| format!("java.io.IOException: {}\n{of_libraries}{own}", "gone ".repeat(200));
        let kept = identifying(&trace("\tat shop.app.Till.sell(Till.kt:12)\n"));
        assert!(kept.ends_with("\nsell Till\n") && kept.lines().count() == 2, "{kept}");
        // Where all are those of libraries, the first ones tell what failed.
        let kept = identifying(&trace(""));
        assert!(
            kept.ends_with("\nexecute RealCall\nexecute OkHttpCall\nrun Lambda\nfromJson Gson\n"),
            "{kept}"
        );
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
