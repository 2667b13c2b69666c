//! ProGuard's warnings, which are why it stopped unless it was told to ignore them.
//!
//! Form: <https://github.com/google/ExoPlayer/issues/5661>.

use super::{BuildOutcome, BuildProblem, BuildSeverity, BuildTool};

/// Makes ProGuard's warnings errors if it stopped at them.
pub(super) fn judge(problems: &mut [BuildProblem], outcome: BuildOutcome) {
    let is_of_proguard =
        |problem: &BuildProblem| problem.tool == BuildTool::R8 && problem.severity == BuildSeverity::Warning;
    let says =
        |text: &str| problems.iter().any(|problem| is_of_proguard(problem) && problem.message.contains(text));
    let stopped = says("Please correct the above warnings first")
        || outcome == BuildOutcome::Failed && says(" unresolved references to ");
    if stopped && outcome != BuildOutcome::Succeeded {
        problems
            .iter_mut()
            .filter(|problem| is_of_proguard(problem))
            .for_each(|problem| problem.severity = BuildSeverity::Error);
    }
}
