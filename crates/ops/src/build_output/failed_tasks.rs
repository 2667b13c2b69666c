//! Tasks that failed, `> Task :app:kaptDebugKotlin FAILED`, where an output says nothing else about them. Gradle writes its reasons to the error
//! output, which is often not in the same file.

use super::parse::task_of;
use super::{BuildProblem, BuildTool};

/// Returns a problem for each task that failed.
pub(super) fn read(lines: &[String]) -> Vec<BuildProblem> {
    let failed = lines.iter().filter(|line| line.ends_with(" FAILED")).filter_map(|line| task_of(line));
    let problem = |task: &str| {
        let message = format!(
            "Execution failed for task '{task}'.\nThe text does not say why: give the whole output, or run it with --stacktrace."
        );
        BuildProblem::error(BuildTool::Gradle, message).in_task(Some(task.to_owned()))
    };
    failed.map(problem).collect()
}
