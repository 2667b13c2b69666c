//! `symd demo`: shows the most important commands on a small real project of Python and Kotlin, in a scratch
//! folder with its own state directories, so no file of the user is changed. Every step is a command that
//! anyone can type; the demo fails if the output of a step lacks the expected text.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::base::state::SYMD_HOME;
use crate::cli::commands::{print, say};
use crate::cli::failure::{Exit, Failure};

/// The files of the sample project.
const PROJECT: [(&str, &str); 9] = {
    macro_rules! files {
        ($($path:literal),* $(,)?) => {
            [$(($path, include_str!(concat!("../../../fixtures/demo/", $path)))),*]
        };
    }
    files![
        "app/build.gradle.kts",
        "app/src/main/kotlin/bookshop/Cart.kt",
        "app/src/main/kotlin/bookshop/Catalog.kt",
        "bookshop/__init__.py",
        "bookshop/catalog.py",
        "bookshop/cli.py",
        "bookshop/pricing.py",
        "pyproject.toml",
        "settings.gradle.kts",
    ]
};

/// A step of the demo: a comment, a command line, and texts that its output must contain.
struct Step {
    why: &'static str,
    command: &'static [&'static str],
    must_show: &'static [&'static str],
    if_it_fails: IfItFails,
}

/// The meaning of a failure of the step's command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IfItFails {
    /// symd is at fault: stop the demo.
    Stop,
    /// This machine lacks something, which the command has reported: continue without it.
    GoOn,
}

const STEPS: [Step; 20] = [
    Step {
        why: "What does a file declare? The first question starts a daemon for the project.",
        command: &["symd", "overview", "bookshop/pricing.py"],
        must_show: &[
            "function percent_off(percent: int",
            "function price_of[2](books, discount=no_discount)",
        ],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "What does a Kotlin file declare?",
        command: &["symd", "overview", "app/src/main/kotlin/bookshop/Cart.kt"],
        must_show: &["interface Discount", "interface CartState", "property state"],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "What is in a directory? What others use most comes first.",
        command: &["symd", "overview", "bookshop"],
        must_show: &["bookshop/catalog.py (19): class Catalog 37-69, class Book 17-34", "price_of ×3"],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "Where is it, in every language at once?",
        command: &["symd", "find", "Catalog/take"],
        must_show: &["bookshop/catalog.py", "app/src/main/kotlin/bookshop/Catalog.kt"],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "And what does it say?",
        command: &["symd", "find", "Catalog/take", "--in", "bookshop", "--body"],
        must_show: &["raise OutOfStock("],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "Who uses it? A language server gives the best answer. Installing it takes some seconds and a network, once.",
        command: &["symd", "install", "python"],
        must_show: &[],
        if_it_fails: IfItFails::GoOn,
    },
    Step {
        why: "Until a server is installed and ready, answers come from syntax; every answer names its source.",
        command: &["symd", "refs", "OutOfStock", "--in", "bookshop/catalog.py", "--wait"],
        must_show: &["cli.py", "Catalog/take"],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "And who calls it, and whom do they call?",
        command: &["symd", "callers", "Catalog/take", "--in", "bookshop/catalog.py", "--wait"],
        must_show: &["cli.py", "main"],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "Rename it everywhere? First the diff; nothing is changed yet.",
        command: &["symd", "rename", "shipping", "postage", "--in", "bookshop/pricing.py", "--dry-run"],
        must_show: &[
            "-from bookshop.pricing import price_of, shipping",
            "+from bookshop.pricing import price_of, postage",
            "+def postage(total: int)",
            "nothing is changed yet",
        ],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "Now for good: all files or none.",
        command: &["symd", "rename", "shipping", "postage", "--in", "bookshop/pricing.py"],
        must_show: &["3 changes in 2 files"],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "A rename in Kotlin, which has no server here: the name has one declaration, to which all its uses refer.",
        command: &["symd", "rename", "Isbn", "BookId", "--in", "app/src/main/kotlin/bookshop/Catalog.kt"],
        must_show: &["Cart.kt: 2", "Catalog.kt: 5", "7 changes in 2 files"],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "Every edit is in a history …",
        command: &["symd", "history"],
        must_show: &["rename shipping to postage", "rename Isbn to BookId"],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "… and can be undone, the last one first …",
        command: &["symd", "undo"],
        must_show: &["Cart.kt", "Catalog.kt"],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "… or one by its number.",
        command: &["symd", "undo", "1"],
        must_show: &["bookshop/cli.py", "bookshop/pricing.py"],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "Another program adds a function …",
        command: &[
            "sh",
            "-c",
            r"printf '\n\ndef gift_wrap(books: int) -> int:\n    return 150 * books\n' >> bookshop/pricing.py",
        ],
        must_show: &[],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "… and the very next answer has it.",
        command: &["symd", "find", "gift_wrap", "--body"],
        must_show: &["bookshop/pricing.py", "return 150 * books", "complete"],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "Another program moves a whole folder …",
        command: &["mv", "app/src/main/kotlin/bookshop", "app/src/main/kotlin/shop"],
        must_show: &[],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "… and every symbol has moved with it.",
        command: &["symd", "find", "CartState", "--substring"],
        must_show: &["app/src/main/kotlin/shop"],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "Text is searched as ripgrep searches it.",
        command: &["symd", "search", r"OutOfStock\("],
        must_show: &["bookshop/catalog.py", "app/src/main/kotlin/shop/Catalog.kt"],
        if_it_fails: IfItFails::Stop,
    },
    Step {
        why: "One daemon serves every agent, editor and shell of the project.",
        command: &["symd", "call", "status"],
        must_show: &["ready", "0 unreadable"],
        if_it_fails: IfItFails::Stop,
    },
];

pub(super) fn run() -> Result<(), Failure> {
    let failed = |what: &str, error: &dyn std::fmt::Display| Exit::Failed.because(format!("{what}: {error}"));
    let scratch = tempfile::Builder::new()
        .prefix("symd-demo-")
        .tempdir()
        .map_err(|error| failed("cannot make a scratch folder", &error))?;
    let project = scratch.path().join("project");
    write_project(&project).map_err(|error| failed("cannot copy the sample project", &error))?;
    say(&format!(
        "A small project, copied to {}; it and this demo's daemon are removed at the end.",
        project.display()
    ));
    let shown = STEPS.iter().try_for_each(|step| show(step, scratch.path(), &project));
    // The daemon must not outlive its folder, whatever happened.
    let stopped =
        symd(scratch.path(), &project, &["stop"])?.stdout(Stdio::null()).stderr(Stdio::null()).status();
    shown?;
    match stopped {
        Ok(status) if status.success() => print("\nThat was symd. `symd --help` shows the rest.\n"),
        Ok(status) => Err(failed("the demo's daemon did not stop", &status)),
        Err(error) => Err(failed("the demo's daemon did not stop", &error)),
    }
}

fn show(step: &Step, scratch: &Path, project: &Path) -> Result<(), Failure> {
    print(&format!(
        "\n# {}\n$ {}\n",
        step.why,
        step.command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    ))?;
    let (program, arguments) = step.command.split_first().unwrap_or((&"true", &[]));
    let mut command =
        if *program == "symd" { symd(scratch, project, arguments)? } else { other(program, arguments) };
    let output = command
        .current_dir(project)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Exit::Failed.because(format!("cannot run {program}: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    print(&text)?;
    if !output.status.success() && step.if_it_fails == IfItFails::GoOn {
        return Ok(());
    }
    if !output.status.success() {
        return Err(Exit::Failed.because(format!("{program} exited with {}", output.status)));
    }
    match step.must_show.iter().find(|expected| !text.contains(**expected)) {
        Some(missing) => {
            Err(Exit::Failed
                .because(format!("the answer above should show {missing:?}; this is a bug in symd")))
        }
        None => Ok(()),
    }
}

/// Returns a command that runs this program, with all its own files beneath `scratch`.
fn symd(scratch: &Path, project: &Path, arguments: &[&str]) -> Result<Command, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Exit::Failed.because(format!("this program cannot be found: {error}")))?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(project).env("HOME", scratch).env(SYMD_HOME, scratch);
    Ok(command)
}

fn other(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Writes the sample project into a folder that did not exist before. It is the user's to look at, not symd's
/// state, so it is not written by `base::state`.
#[allow(clippy::disallowed_methods)]
fn write_project(project: &Path) -> std::io::Result<()> {
    for (path, text) in PROJECT {
        let path = project.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(project))?;
        std::fs::write(path, text)?;
    }
    Ok(())
}
