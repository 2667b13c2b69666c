//! The part of a project that code belongs to: shipped code, tests, generated code. Decided by the
//! conventions for paths and names that the languages' own tools follow; the text is searched only for what
//! generators write at its head.

use symd_base::RelPath;

/// A part of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeKind {
    /// Shipped code, and everything that is not known to be something else.
    Production,
    /// Tests and test helpers.
    Test,
    /// Code written by a generator.
    Generated,
}

/// Names of test directories, in every language.
const TEST_DIRECTORIES: [&str; 7] =
    ["tests", "__tests__", "__test__", "spec", "specs", "testdata", "testFixtures"];

/// Ends of the stems of test files, in every language.
const TEST_ENDS: [&str; 8] = ["_test", "_tests", "_spec", "_unittest", ".test", ".tests", ".spec", "-test"];

/// Extensions of files that are recognized as tests by a word `Test` in their CamelCase names.
const CAMEL_CASE: [&str; 9] = ["kt", "kts", "java", "scala", "cs", "swift", "php", "groovy", "m"];

/// Names of directories with generated files.
const GENERATED_DIRECTORIES: [&str; 6] =
    ["generated", "generated-src", "generated-sources", "generated_src", "__generated__", "_generated"];

/// Ends of the names of generated files.
const GENERATED_ENDS: [&str; 17] = [
    ".pb.go",
    ".pb.cc",
    ".pb.h",
    ".pb.rs",
    "_pb2.py",
    "_pb2_grpc.py",
    "_pb.js",
    "_pb.ts",
    "_pb.d.ts",
    "_grpc_pb.js",
    ".g.dart",
    ".g.cs",
    ".designer.cs",
    "_generated.go",
    "_generated.rs",
    ".generated.ts",
    ".gen.go",
];

/// Marks that generators write into the head of a file.
const GENERATED_MARKS: [&str; 4] =
    ["@generated", "@Generated(", "DO NOT EDIT", "Do not edit! This file is generated"];

/// Lines of a file's head that are searched for such marks.
const HEAD_LINES: usize = 10;

/// Characters of each of these lines that are searched.
const HEAD_LINE: usize = 400;

/// Returns the part that the symbol `name_path` of `path` belongs to, as far as names show.
pub fn part_of(path: &RelPath, name_path: &str) -> CodeKind {
    if is_generated(path) {
        CodeKind::Generated
    } else if is_test(path) || is_test_module(path, name_path) {
        CodeKind::Test
    } else {
        CodeKind::Production
    }
}

/// Whether a generator wrote a file, by its path or by the head of its code.
pub(crate) fn is_generated_file(path: &RelPath, code: Option<&str>) -> bool {
    is_generated(path) || code.is_some_and(has_generated_mark)
}

/// Whether the head of a text says that the file is generated.
pub fn has_generated_mark(text: &str) -> bool {
    let mut head = text.lines().take(HEAD_LINES);
    head.any(|line| {
        let end = line.char_indices().nth(HEAD_LINE).map_or(line.len(), |(end, _)| end);
        GENERATED_MARKS.iter().any(|mark| line[..end].contains(mark))
    })
}

/// Returns the module that a file belongs to: the directory above its `src`, else the directory that holds
/// it; empty for the root.
pub fn module_of(path: &RelPath) -> &str {
    let whole = path.as_str();
    let directory = whole.rfind('/').map_or("", |end| &whole[..end]);
    match directory.find("/src/").or_else(|| directory.strip_suffix("/src").map(str::len)) {
        Some(end) => &directory[..end],
        None => directory,
    }
}

fn is_generated(path: &RelPath) -> bool {
    let name = path.file_name();
    GENERATED_ENDS.iter().any(|end| name.to_ascii_lowercase().ends_with(end))
        || name.starts_with("zz_generated")
        || directories(path).any(|one| GENERATED_DIRECTORIES.contains(&one))
}

fn is_test(path: &RelPath) -> bool {
    let extension = path.extension().unwrap_or("");
    // Python packages called `test` are shipped (`django/test`); packages of tests are called `tests` or are
    // at the top level.
    let is_directory = |(at, one): (usize, &str)| {
        TEST_DIRECTORIES.contains(&one)
            || one == "test" && (at == 0 || extension != "py")
            || ends_in_test(one)
            || one.ends_with(".Tests")
    };
    let stem = path.file_name().strip_suffix(&format!(".{extension}")).unwrap_or(path.file_name());
    directories(path).enumerate().any(is_directory)
        || stem.starts_with("test_")
        || matches!(path.file_name(), "conftest.py" | "tests.py" | "tests.rs")
        || TEST_ENDS.iter().any(|end| stem.ends_with(end))
        || CAMEL_CASE.contains(&extension) && (ends_in_test(stem) || begins_with_test(stem))
        || matches!(extension, "scala" | "groovy") && stem.ends_with("Spec")
}

/// Whether a symbol is in a test module: Rust's tests are in a module of the file that they test.
fn is_test_module(path: &RelPath, name_path: &str) -> bool {
    path.extension() == Some("rs") && name_path.split('/').any(|one| matches!(one, "tests" | "test"))
}

/// Whether a name ends in the word `Test`: `commonTest` and `OrderTests` do, `Latest` does not.
fn ends_in_test(name: &str) -> bool {
    ["Test", "Tests", "TestCase"].iter().any(|end| name.ends_with(end))
}

/// Whether a name begins with the word `Test`: `TestOrder` does, `Testament` does not.
fn begins_with_test(name: &str) -> bool {
    name.strip_prefix("Test").is_some_and(|rest| rest.starts_with(char::is_uppercase))
}

fn directories(path: &RelPath) -> impl Iterator<Item = &str> {
    let whole = path.as_str();
    whole.rfind('/').map_or("", |end| &whole[..end]).split('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(path: &str) -> CodeKind {
        part_of(&RelPath::new(path).expect("valid"), "f")
    }

    #[test]
    fn tests_are_told_by_their_paths() {
        for path in [
            "tests/a.py",
            "a/tests/b.py",
            "test_a.py",
            "a/b_test.py",
            "conftest.py",
            "test/support/a.py",
            "a/b_test.go",
            "src/test/java/A.java",
            "core/common/test/A.kt",
            "core/src/commonTest/kotlin/A.kt",
            "a/b.test.ts",
            "a/b.spec.tsx",
            "a/__tests__/b.js",
            "a/OrderTest.kt",
            "a/OrderTests.cs",
            "a/TestOrder.java",
            "App.Tests/A.cs",
            "tests/it.rs",
            "src/a/tests.rs",
            "a/b_unittest.cc",
            "spec/a_spec.rb",
        ] {
            assert_eq!(part(path), CodeKind::Test, "{path}");
        }
    }

    #[test]
    fn what_is_shipped_is_no_test() {
        for path in [
            "a.py",
            "django/test/client.py",
            "latest/a.py",
            "a/attest.py",
            "a/Latest.kt",
            "a/Testament.java",
            "src/main/A.kt",
            "a/contest.go",
            "testing/a.py",
            "a/protest.ts",
            "src/testable.rs",
        ] {
            assert_eq!(part(path), CodeKind::Production, "{path}");
        }
    }

    #[test]
    fn rust_has_tests_within_files() {
        let path = RelPath::new("src/a.rs").expect("valid");
        assert_eq!(part_of(&path, "tests/it_adds"), CodeKind::Test);
        assert_eq!(part_of(&path, "attests"), CodeKind::Production);
    }

    #[test]
    fn generated_code_is_told_by_path_and_head() {
        for path in [
            "a/b.pb.go",
            "a/b_pb2.py",
            "build/generated/ksp/A.kt",
            "a/zz_generated.deepcopy.go",
            "A.Designer.cs",
        ] {
            assert_eq!(part(path), CodeKind::Generated, "{path}");
        }
        assert!(has_generated_mark("// Code generated by protoc-gen-go. DO NOT EDIT.\n\npackage a\n"));
        assert!(has_generated_mark("package a\n\n@Generated(\"processor\")\nclass A\n"));
        assert!(has_generated_mark("#!/usr/bin/env python\n# @generated by x\n"));
        assert!(!has_generated_mark(&format!("{}# @generated\n", "\n".repeat(HEAD_LINES))));
    }

    #[test]
    fn a_module_is_the_directory_above_its_sources() {
        let module = |path| {
            let path = RelPath::new(path).expect("valid");
            module_of(&path).to_owned()
        };
        assert_eq!(module("core/src/main/kotlin/a/A.kt"), "core");
        assert_eq!(module("core/src/A.kt"), "core");
        assert_eq!(module("django/core/signing.py"), "django/core");
        assert_eq!(module("src/ops/a.rs"), "src/ops");
        assert_eq!(module("a.py"), "");
    }
}
