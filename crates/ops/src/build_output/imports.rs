//! Tells which missing names are those of imports where the project does not have the file: a package that is missing is missed by
//! imports beneath each other, at one column, before anything else of the file. Source: build_log.txt of
//! <https://github.com/lanzy-lanzy/FuelHub>.

use std::collections::{BTreeMap, BTreeSet};

use super::causes::missing_name;
use super::{BuildProblem, BuildSeverity, BuildTool};

/// The column of what `import ` is followed by.
const FIRST_COLUMN: usize = "import ".len() + 1;

/// An error of a file: its line and column, and the name that is missing.
type FileError<'p> = (usize, usize, Option<&'p str>);

/// Returns the paths and lines of the imports whose packages are missing.
pub(super) fn among<'p>(problems: impl Iterator<Item = &'p BuildProblem>) -> BTreeSet<(String, usize)> {
    let mut files: BTreeMap<&str, Vec<FileError<'_>>> = BTreeMap::new();
    let is_of_kotlin = |problem: &&BuildProblem| {
        problem.tool == BuildTool::Kotlinc && problem.severity == BuildSeverity::Error
    };
    for problem in problems.filter(is_of_kotlin) {
        if let Some(place) = &problem.place
            && let (Some(line), Some(column)) = (place.line, place.column)
        {
            files.entry(&place.path).or_default().push((line, column, missing_name(&problem.message)));
        }
    }
    let mut imports = BTreeSet::new();
    for (path, mut errors) in files {
        errors.sort_unstable();
        let Some((first, column, Some(name))) = errors.first().copied() else { continue };
        let is_of_package = column > FIRST_COLUMN && name.starts_with(|c: char| c.is_lowercase());
        let beneath = errors
            .iter()
            .zip(first..)
            .take_while(|(error, line)| **error == (*line, column, Some(name)))
            .count();
        if is_of_package && beneath > 1 {
            imports.extend((first..first + beneath).map(|line| (path.to_owned(), line)));
        }
    }
    imports
}
