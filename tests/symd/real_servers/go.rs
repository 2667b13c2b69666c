//! gopls as Debian has it (0.5.0): that it starts and answers within one package.

use crate::servers::real_program;
use crate::support::{User, write};

#[test]
fn debians_gopls_finds_references_in_one_package() {
    if !real_program("gopls") || !real_program("go") {
        return;
    }
    let user = User::new();
    write(&user.path("project/go.mod"), "module example.org/a\n\ngo 1.15\n");
    write(&user.path("project/a.go"), "package a\n\nfunc Run() int { return 1 }\n");
    write(&user.path("project/b.go"), "package a\n\nfunc use() int { return Run() }\n");
    let refused = user.check(&["refs", "Run"], 0);
    assert!(refused.contains("gopls is not started") && refused.contains("`symd trust`"), "{refused}");
    user.check(&["trust", "--yes"], 0);
    let told = user.check(&["refs", "Run", "--wait", "--deadline", "120"], 0);
    assert!(
        told.starts_with("b.go:3 in use: func use() int { return Run() }\n[1 reference in 1 file; gopls;"),
        "{told}"
    );
}
