//! The output of a build: which of its errors is the root cause, what follows from it, and where each is in the project.
//! Invariant: every place is one that the output names; a place that may be another one says so.

mod agp_messages;
mod blocks;
mod cache_report;
mod causes;
mod exceptions;
mod failed_tasks;
mod failed_tests;
mod flutter_advice;
mod imports;
mod joined_lines;
mod likely_errors;
mod lines;
mod linker;
mod locate;
mod messages;
mod parse;
mod proguard;
mod reason_chain;
mod reasons;
mod scripts;
mod studio;
mod unmarked;

pub use self::locate::ProjectPlace;
pub use self::parse::{BuildOutcome, ParsedBuild, parse_build};

use symd_base::Cancel;
use symd_base::cancel::Cancelled;
use symd_engine::View;

/// The program that reported a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BuildTool {
    Kotlinc,
    Javac,
    Ksp,
    Kapt,
    Compose,
    Aapt,
    Manifest,
    R8,
    /// The compiler of C and C++, with its linker and CMake.
    Clang,
    Lint,
    Dependencies,
    ConfigurationCache,
    /// A check of how the code is written: ktlint, detekt, Spotless.
    Style,
    Test,
    Gradle,
    Maven,
    Bazel,
    /// What Flutter advises about a failed build of Gradle's.
    Flutter,
    /// A program that threw an exception.
    Exception,
    /// A program that is not known.
    Other,
}

impl BuildTool {
    pub fn name(self) -> &'static str {
        match self {
            BuildTool::Kotlinc => "kotlinc",
            BuildTool::Javac => "javac",
            BuildTool::Ksp => "ksp",
            BuildTool::Kapt => "kapt",
            BuildTool::Compose => "compose",
            BuildTool::Aapt => "aapt2",
            BuildTool::Manifest => "manifest merger",
            BuildTool::R8 => "r8",
            BuildTool::Clang => "clang",
            BuildTool::Lint => "lint",
            BuildTool::Dependencies => "dependencies",
            BuildTool::ConfigurationCache => "configuration cache",
            BuildTool::Style => "style check",
            BuildTool::Test => "test",
            BuildTool::Gradle => "gradle",
            BuildTool::Maven => "maven",
            BuildTool::Bazel => "bazel",
            BuildTool::Flutter => "flutter",
            BuildTool::Exception => "exception",
            BuildTool::Other => "build",
        }
    }

    /// Whether the tool's messages show that a text is the output of a build: any text may name an exception or begin with `error:`.
    pub(crate) fn is_of_build(self) -> bool {
        !matches!(self, BuildTool::Exception | BuildTool::Other)
    }

    /// Whether its messages count as errors only by their form.
    fn is_guessed(self) -> bool {
        matches!(
            self,
            BuildTool::Style
                | BuildTool::Dependencies
                | BuildTool::Gradle
                | BuildTool::Exception
                | BuildTool::Other
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BuildSeverity {
    Error,
    Warning,
}

/// A place as the output writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPlace {
    pub path: String,
    /// From 1.
    pub line: Option<usize>,
    /// From 1.
    pub column: Option<usize>,
}

/// A problem that the output reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildProblem {
    pub tool: BuildTool,
    pub severity: BuildSeverity,
    pub place: Option<OutputPlace>,
    /// The first line says what is wrong.
    pub message: String,
    /// The tasks that reported it, or the module's name where no task is known.
    pub tasks: Vec<String>,
    /// How often it was reported.
    pub times: usize,
}

impl BuildProblem {
    /// An error that was reported once, without a place, by no task that is known.
    fn error(tool: BuildTool, message: impl Into<String>) -> BuildProblem {
        BuildProblem {
            tool,
            severity: BuildSeverity::Error,
            place: None,
            message: message.into(),
            tasks: Vec::new(),
            times: 1,
        }
    }

    fn at(self, place: Option<OutputPlace>) -> BuildProblem {
        BuildProblem { place, ..self }
    }

    fn of_severity(self, severity: BuildSeverity) -> BuildProblem {
        BuildProblem { severity, ..self }
    }

    fn in_task(self, task: Option<String>) -> BuildProblem {
        BuildProblem { tasks: task.into_iter().collect(), ..self }
    }

    /// Whether it is no error if the build succeeded: it counts as one only by its form, or Kotlin's compiler started again without its daemon.
    fn is_guessed(&self) -> bool {
        self.tool.is_guessed() || self.tool == BuildTool::Kotlinc && self.place.is_none()
    }

    /// Returns the first line of the message: what is wrong.
    fn headline(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

/// A problem with its place in the project.
#[derive(Clone, Debug)]
pub struct ExplainedProblem {
    pub problem: BuildProblem,
    /// `None` if the output names no place, or one that the project does not have.
    pub place: Option<ProjectPlace>,
    /// Why it follows from an earlier problem; `None` for one that may be a cause of its own.
    pub follows: Option<String>,
}

/// What a build said.
#[derive(Clone, Debug)]
pub struct ExplainedBuild {
    pub outcome: BuildOutcome,
    /// The root cause first, then what may be a cause of its own, then what follows.
    pub errors: Vec<ExplainedProblem>,
    /// The number of different warnings.
    pub warnings: usize,
}

/// Reads the output of a build and finds its places in the project.
pub fn explain_build(view: &View, text: &str, cancel: &Cancel) -> Result<ExplainedBuild, Cancelled> {
    let ParsedBuild { problems, outcome } = parse_build(text, cancel)?;
    let warnings = problems.iter().filter(|problem| problem.severity == BuildSeverity::Warning).count();
    let errors: Vec<BuildProblem> = problems
        .into_iter()
        .filter(|problem| problem.severity == BuildSeverity::Error)
        .filter(|problem| outcome != BuildOutcome::Succeeded || !problem.is_guessed())
        .collect();
    let mut places = locate::ProjectFiles::find(view, &errors, cancel)?;
    let mut located = Vec::with_capacity(errors.len());
    for problem in errors {
        cancel.check()?;
        let place = problem.place.as_ref().and_then(|place| places.locate(place));
        located.push((problem, place));
    }
    Ok(ExplainedBuild { outcome, errors: causes::ordered(located), warnings })
}
