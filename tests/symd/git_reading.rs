//! `symd trace --rev`: sources of a revision, tags that fit, and which repositories are read.

use crate::fake_editor::{FakeEditor, uri};
use crate::git_stage::{CATALOG, CRASH, commit, committed_shop, copy, git, git_in, given, move_lines, shop};
use crate::support::write;

#[test]
fn a_trace_is_placed_in_the_sources_of_its_tag() {
    let user = committed_shop();
    move_lines(&user, 30);
    commit(&user, "core: a notice", "v2.0");
    // Not committed: what is built next.
    move_lines(&user, 7);
    let now = given(&user, &["trace"], CRASH);
    let moved = "? core/src/main/kotlin/shop/core/Catalog.kt:66 in Catalog/take as Catalog.take-rv58m34 (sources differ";
    assert!(now.contains(moved), "{now}");
    assert!(now.contains("; 1 frame whose sources differ fits v1.0: ask with rev]"), "{now}");
    let then = given(&user, &["trace", "--rev", "v1.0"], CRASH);
    let place = "\ncore/src/main/kotlin/shop/core/Catalog.kt:30 in Catalog/take as Catalog.take-rv58m34\n     27     }\n";
    assert!(then.contains(place), "{then}");
    assert!(then.contains("  >  30         val book = books[isbn.digits] ?: throw"), "{then}");
    assert!(then.contains("[frames of this project: 2 of 2; read from the sources of v1.0 ("), "{then}");
    // A trace of the newer tag, by its hash, its branch and its tag.
    let newer = CRASH.replace("Catalog.kt:30", "Catalog.kt:60");
    let hash = git(&user, &["rev-parse", "v2.0"]);
    for revision in [hash.trim(), "main", "v2.0", "HEAD", "v1.0^{/nothing}"] {
        let answer = given(&user, &["trace", "--rev", revision], &newer);
        let is_placed = answer.contains("\ncore/src/main/kotlin/shop/core/Catalog.kt:60 in Catalog/take");
        assert_eq!(is_placed, !revision.contains("nothing"), "{revision}: {answer}");
    }
    // No revision, and what git would take for an option.
    for revision in ["v9", "", "--output=x", "-c core.pager=x", "v1.0:core", "a\nb"] {
        let answer = given(&user, &["trace", &format!("--rev={revision}")], CRASH);
        assert!(answer.contains("there is no commit"), "{revision}: {answer}");
    }
    assert!(!user.path("project/x").exists());
}

#[test]
fn a_project_without_a_repository_is_traced_and_refuses_a_revision() {
    let user = shop();
    move_lines(&user, 30);
    let now = given(&user, &["trace"], CRASH);
    assert!(now.contains("sources differ") && !now.contains("tags"), "{now}");
    let then = given(&user, &["trace", "--rev", "v1.0"], CRASH);
    assert!(then.contains("the sources of \"v1.0\" cannot be read: git reads no repository here"), "{then}");
}

/// A subdirectory of a repository, a linked worktree and a submodule are projects like others.
#[test]
fn every_kind_of_worktree_is_read() {
    let user = committed_shop();
    let project = user.path("project");
    let in_project = |directory: &std::path::Path| {
        let mut command = user.symd();
        command.args(["--project", directory.to_str().unwrap(), "trace", "--rev", "HEAD"]);
        let mut child = command
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), CRASH.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let place = "Catalog.kt:30 in Catalog/take";
    let inner = in_project(&project.join("core"));
    assert!(inner.contains("\nsrc/main/kotlin/shop/core/Catalog.kt:30 in Catalog/take"), "{inner}");
    let linked = user.path("linked");
    git(&user, &["worktree", "add", "-q", linked.to_str().unwrap(), "v1.0"]);
    let answer = in_project(&linked);
    assert!(answer.contains(place), "{answer}");
    let outer = user.path("outer");
    std::fs::create_dir(&outer).unwrap();
    git_in(&user, &outer, &["init", "-q"]);
    let added = git_in(
        &user,
        &outer,
        &["-c", "protocol.file.allow=always", "submodule", "add", project.to_str().unwrap(), "module"],
    );
    let answer = in_project(&outer.join("module"));
    assert!(answer.contains(place), "{answer}\n{added}");
    for directory in [&linked, &project.join("core"), &outer.join("module")] {
        user.check(&["--project", directory.to_str().unwrap(), "stop"], 0);
    }
}

/// A project can name any repository of the machine as its own; that repository must know of the project.
#[test]
fn a_repository_that_the_project_only_points_to_is_not_read() {
    let user = committed_shop();
    let private = user.path("private");
    std::fs::rename(user.path("project"), &private).unwrap();
    copy(
        &std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/traces/shop"),
        &user.path("project"),
    );
    let dot_git = user.path("project/.git");
    let forget = || {
        let _ = std::fs::remove_file(&dot_git);
        let _ = std::fs::remove_dir_all(&dot_git);
    };
    let target = private.join(".git");
    let ways: [(&str, &dyn Fn()); 6] = [
        ("a file", &|| write(&dot_git, &format!("gitdir: {}\n", target.display()))),
        ("a link", &|| std::os::unix::fs::symlink(&target, &dot_git).unwrap()),
        ("a shared directory", &|| {
            git(&user, &["init", "-q"]);
            write(&dot_git.join("commondir"), &format!("{}\n", target.display()));
        }),
        ("a forged worktree", &|| {
            let forged = user.path("project/forged");
            std::fs::create_dir_all(&forged).unwrap();
            write(&forged.join("commondir"), &format!("{}\n", target.display()));
            write(&forged.join("gitdir"), &format!("{}\n", dot_git.display()));
            write(&forged.join("HEAD"), "ref: refs/heads/main\n");
            write(&dot_git, &format!("gitdir: {}\n", forged.display()));
        }),
        ("its objects as alternates", &|| {
            git(&user, &["init", "-q"]);
            write(
                &dot_git.join("objects/info/alternates"),
                &format!("{}\n", target.join("objects").display()),
            );
            let tag = std::fs::read_to_string(target.join("refs/tags/v1.0")).unwrap();
            write(&dot_git.join("refs/tags/v1.0"), &tag);
        }),
        ("links to its parts", &|| {
            git(&user, &["init", "-q"]);
            for part in ["objects", "refs"] {
                std::fs::remove_dir_all(dot_git.join(part)).unwrap();
                std::os::unix::fs::symlink(target.join(part), dot_git.join(part)).unwrap();
            }
        }),
    ];
    for (name, way) in ways {
        way();
        // The way leads there: git itself would read it.
        assert!(git(&user, &["show", "v1.0:settings.gradle.kts"]).contains("rootProject"), "{name}");
        let answer = given(&user, &["trace", "--rev", "v1.0"], CRASH);
        assert!(answer.contains("it is not read"), "{name}: {answer}");
        forget();
    }
}

/// What is not saved was not built.
#[test]
fn an_unsaved_text_is_no_source_of_a_trace() {
    let user = shop();
    let (path, uri) = (user.path("project").join(CATALOG), uri(&user, &format!("project/{CATALOG}")));
    let saved = std::fs::read_to_string(&path).unwrap();
    let mut editor = FakeEditor::new(&user);
    editor.open(&uri, 1, &format!("{}{saved}", "// new\n".repeat(30)));
    editor.settle();
    let overview = user.check(&["overview", CATALOG], 0);
    assert!(overview.contains("59-"), "the buffer is what other questions see: {overview}");
    let answer = given(&user, &["trace"], CRASH);
    let place = "\ncore/src/main/kotlin/shop/core/Catalog.kt:30 in Catalog/take as Catalog.take-rv58m34\n     27     }\n";
    assert!(answer.contains(place), "{answer}");
}
