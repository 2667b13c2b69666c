//! A repository full of traps: everything with which a repository makes git run a program or fetch. Plain git springs them,
//! which proves that they are set; symd springs none.

use std::path::Path;
use std::time::Instant;

use rustix::fs::{Mode, mknodat};

use crate::git_stage::{CRASH, commit, committed_shop, git, given, move_lines, program};
use crate::support::{User, write};

/// Writes a program that notes its name in `sprung` when it runs.
fn trap(user: &User, name: &str) -> String {
    let text = format!("#!/bin/sh\necho {name} >> {}\n", user.path("sprung").display());
    let path = program(user.path("project/.git/traps").join(name), &text);
    path.to_str().unwrap().to_owned()
}

fn sprung(user: &User) -> Vec<String> {
    let text = std::fs::read_to_string(user.path("sprung")).unwrap_or_default();
    let mut names: Vec<String> = text.lines().map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// Every text that symd asks git about, with and without a revision.
fn ask_everything(user: &User) -> String {
    let differing = CRASH.replace("Catalog.kt:30", "Catalog.kt:64");
    let mut all = String::new();
    for (arguments, text) in [
        (&["trace"][..], CRASH),
        (&["trace"][..], &differing),
        (&["trace", "--rev", "v1.0"][..], CRASH),
        (&["trace", "--rev", "HEAD"][..], CRASH),
        (&["investigate"][..], CRASH),
        (&["investigate", "--rev", "v1.0"][..], CRASH),
    ] {
        all += &given(user, arguments, text);
    }
    all
}

#[test]
fn nothing_of_the_repository_is_run() {
    let user = committed_shop();
    move_lines(&user, 5);
    write(&user.path("project/.gitattributes"), "*.kt filter=trap diff=trap\n*.kts diff=other\n");
    commit(&user, "core: moved", "v1.1");
    move_lines(&user, 3);
    // Not committed, and beside the place that the trace names.
    let catalog = user.path("project").join(crate::git_stage::CATALOG);
    let text = std::fs::read_to_string(&catalog).unwrap();
    write(&catalog, &text.replacen("book.copies - copies)", "book.copies - copies) // fewer", 1));
    let set = |key: &str, value: &str| {
        let said = git(&user, &["config", key, value]);
        assert_eq!(said, "", "{key}");
    };
    for (key, name) in [
        ("core.fsmonitor", "fsmonitor"),
        ("core.pager", "pager"),
        ("pager.blame", "pager-blame"),
        ("core.editor", "editor"),
        ("core.sshCommand", "ssh"),
        ("core.askPass", "askpass"),
        ("core.gitProxy", "proxy"),
        ("filter.trap.clean", "clean"),
        ("filter.trap.smudge", "smudge"),
        ("diff.trap.textconv", "textconv"),
        ("diff.other.command", "diff-command"),
        ("diff.external", "diff-external"),
        ("gpg.program", "gpg"),
        ("alias.blame", "alias"),
        ("credential.helper", "credential"),
        ("remote.origin.uploadpack", "uploadpack"),
    ] {
        set(key, &trap(&user, name));
    }
    // A partial clone: a missing object is fetched from where its remote says, by any means.
    set("remote.origin.url", &format!("ext::{} %S", trap(&user, "ext")));
    set("remote.origin.promisor", "true");
    set("remote.origin.partialclonefilter", "blob:none");
    set("extensions.partialClone", "origin");
    set("core.repositoryformatversion", "1");
    set("protocol.allow", "always");
    set("protocol.ext.allow", "always");
    set("log.showSignature", "true");
    for hook in
        ["post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"]
    {
        let text = format!("#!/bin/sh\necho hook >> {}\n", user.path("sprung").display());
        program(user.path("project/.git/hooks").join(hook), &text);
    }
    // A signed commit, whose signature a log would check.
    let tree = git(&user, &["rev-parse", "HEAD^{tree}"]);
    let person = "Ann <ann@example.org> 1700000000 +0000";
    let commit = format!(
        "tree {}\nparent {}\nauthor {person}\ncommitter {person}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n",
        tree.trim(),
        git(&user, &["rev-parse", "HEAD"]).trim(),
    );
    write(&user.path("commit"), &commit);
    let signed = git(&user, &["hash-object", "-t", "commit", "-w", "../commit"]);
    git(&user, &["update-ref", "refs/heads/main", signed.trim()]);

    // The traps are set: a person's git springs them.
    let _ = std::fs::remove_file(user.path("sprung"));
    let status = "-c core.hooksPath=.git/hooks status";
    for words in [
        status,
        "log -1 -p --ext-diff --textconv v1.1 -- settings.gradle.kts core",
        "diff --textconv v1.0 v1.1 -- core",
        "--paginate blame core/src/main/kotlin/shop/core/Catalog.kt",
        "show --textconv HEAD:core/src/main/kotlin/shop/core/Catalog.kt",
        "log -1 --show-signature",
        "blame core/src/main/kotlin/shop/core/Catalog.kt",
        "cat-file -p 1111111111111111111111111111111111111111",
        "add -A",
        "update-ref refs/heads/other HEAD",
    ] {
        git(&user, &words.split(' ').collect::<Vec<_>>());
    }
    let set = sprung(&user);
    for name in ["clean", "ext", "fsmonitor", "gpg", "hook", "textconv"] {
        assert!(set.contains(&name.to_owned()), "{name} is no trap: {set:?}");
    }

    std::fs::remove_file(user.path("sprung")).unwrap();
    let answers = ask_everything(&user);
    assert_eq!(sprung(&user), Vec::<String>::new(), "{answers}");
    // It was git that answered, not its absence.
    assert!(answers.contains("read from the sources of v1.0 ("), "{answers}");
    assert!(answers.contains("fits v1.0") || answers.contains("fit v1.0"), "{answers}");
    assert!(
        answers.contains("not committed yet") && answers.contains("Ann Bo: till: takes books"),
        "{answers}"
    );

    // A blob that is missing is not fetched.
    let blob = git(&user, &["rev-parse", &format!("v1.0:{}", crate::git_stage::CATALOG)]);
    let blob = blob.trim();
    std::fs::remove_file(user.path("project/.git/objects").join(&blob[..2]).join(&blob[2..])).unwrap();
    let answers = ask_everything(&user);
    assert_eq!(sprung(&user), Vec::<String>::new(), "{answers}");
}

/// A project that looks like a bare repository would configure git, and name programs; a `git` of the project is no git.
#[test]
fn a_project_in_the_shape_of_a_repository_configures_nothing() {
    let user = committed_shop();
    let project = user.path("project");
    std::fs::rename(project.join(".git"), user.path("aside")).unwrap();
    crate::git_stage::copy(&user.path("aside"), &project);
    program(project.join("spy"), &format!("#!/bin/sh\necho bare >> {}\n", user.path("sprung").display()));
    git(&user, &["config", "--file", "config", "core.bare", "true"]);
    git(&user, &["config", "--file", "config", "core.fsmonitor", project.join("spy").to_str().unwrap()]);
    assert!(git(&user, &["rev-parse", "--is-bare-repository"]).contains("true"));
    program(project.join("git"), &format!("#!/bin/sh\necho git >> {}\n", user.path("sprung").display()));
    program(project.join("core/git"), &format!("#!/bin/sh\necho git >> {}\n", user.path("sprung").display()));
    let path = format!("{}:.:{}", project.display(), std::env::var("PATH").unwrap());
    let mut command = user.symd();
    command.env("PATH", path).args(["start"]);
    assert!(command.output().unwrap().status.success());
    let answer = ask_everything(&user);
    assert!(answer.contains("git reads no repository here"), "{answer}");
    assert_eq!(sprung(&user), Vec::<String>::new());
}

/// Git blocks on a pipe without a writer: the answer comes at the deadline, and git has exited.
#[test]
fn a_git_that_does_not_end_is_killed_at_its_deadline() {
    let user = committed_shop();
    move_lines(&user, 30);
    let _ = std::fs::remove_file(user.path("project/.git/config"));
    mknodat(
        rustix::fs::CWD,
        user.path("project/.git/config"),
        rustix::fs::FileType::Fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )
    .unwrap();
    let begun = Instant::now();
    let answer = given(&user, &["trace"], CRASH);
    assert!(answer.contains("; tags were not tried: git did not answer within 1 s]"), "{answer}");
    let answer = given(&user, &["trace", "--rev", "v1.0"], CRASH);
    assert!(answer.contains("cannot be read: git did not answer within 1 s"), "{answer}");
    let answer = given(&user, &["investigate"], CRASH);
    assert!(answer.contains("changes are not known: git did not answer within 1 s"), "{answer}");
    assert!(answer.contains("callers:"), "{answer}");
    assert!(begun.elapsed() < crate::support::PATIENCE);
    let left = symd::sys::processes::descendants(symd::sys::processes::id(user.pid()).unwrap());
    let names: Vec<String> = left.iter().map(|process| name_of(process.pid.as_raw_nonzero().get())).collect();
    assert!(!names.iter().any(|name| name.starts_with("git")), "{names:?}");
}

/// The client looks for the repository before it asks the daemon.
#[test]
fn a_pipe_in_place_of_the_repository_is_not_waited_for() {
    let user = committed_shop();
    let pipe = |path: &str| {
        let kind = rustix::fs::FileType::Fifo;
        mknodat(rustix::fs::CWD, user.path("project").join(path), kind, Mode::RUSR | Mode::WUSR, 0).unwrap();
    };
    std::fs::rename(user.path("project/.git"), user.path("aside")).unwrap();
    pipe(".git");
    let answer = given(&user, &["trace", "--rev", "v1.0"], CRASH);
    assert!(answer.contains("cannot be read: git reads no repository here"), "{answer}");
    std::fs::remove_file(user.path("project/.git")).unwrap();
    write(&user.path("project/.git"), "gitdir: linked\n");
    std::fs::create_dir(user.path("project/linked")).unwrap();
    pipe("linked/commondir");
    let answer = given(&user, &["trace"], CRASH);
    assert!(answer.contains("Catalog.kt:30 in Catalog/take"), "{answer}");
}

/// A partial clone has the trees, and no content before git needs it.
#[test]
fn a_file_that_a_partial_clone_lacks_is_named() {
    let user = committed_shop();
    let path = "core/src/main/kotlin/shop/core/Catalog.kt";
    let blob = git(&user, &["rev-parse", &format!("v1.0:{path}")]);
    move_lines(&user, 30);
    let (start, rest) = blob.trim().split_at(2);
    std::fs::remove_file(user.path("project/.git/objects").join(start).join(rest)).unwrap();
    let answer = given(&user, &["trace", "--rev", "v1.0"], CRASH);
    let lacking = format!("; this clone lacks {path} of that commit, and nothing was fetched]");
    assert!(answer.contains(&lacking), "{answer}");
}

fn name_of(pid: i32) -> String {
    std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("comm")).unwrap_or_default()
}

/// The configuration can have git read any file, and show a line of it in a message.
#[test]
fn no_message_shows_a_file_of_the_user() {
    let user = committed_shop();
    let private = user.path("home/private");
    write(&private, "hunter2 is the password\n");
    git(&user, &["config", "blame.ignoreRevsFile", private.to_str().unwrap()]);
    let by_hand = git(&user, &["blame", crate::git_stage::CATALOG]);
    assert!(by_hand.contains("hunter2"), "{by_hand}");
    let answer = given(&user, &["investigate"], CRASH);
    assert!(answer.contains("changes are not known: git failed: `git blame"), "{answer}");
    assert!(!answer.contains("hunter2"), "{answer}");
}

/// Neither a broken repository nor one of another user keeps a trace from being placed.
#[test]
fn a_broken_repository_is_said() {
    let user = committed_shop();
    move_lines(&user, 30);
    write(&user.path("project/.git/config"), "[core\nbroken");
    let answer = given(&user, &["trace"], CRASH);
    assert!(answer.contains("sources differ from the build"), "{answer}");
    let answer = given(&user, &["trace", "--rev", "v1.0"], CRASH);
    assert!(answer.contains("cannot be read: git reads no repository here: "), "{answer}");
    write(&user.path("project/.git/config"), "[core]\n\trepositoryformatversion = 0\n");
    std::fs::remove_dir_all(user.path("project/.git/objects")).unwrap();
    std::fs::create_dir(user.path("project/.git/objects")).unwrap();
    let answer = given(&user, &["investigate"], CRASH);
    assert!(answer.contains("shop.core.OutOfStock") && answer.contains("not found out"), "{answer}");
    let answer = given(&user, &["trace", "--rev", "v1.0"], CRASH);
    assert!(answer.contains("cannot be read: there is no commit"), "{answer}");
}
