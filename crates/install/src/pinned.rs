//! The files of `installs/`, by name. Made by `installs/regenerate.py`.

pub(super) const PINNED: [(&str, &str); 18] = [
    ("basedpyright.txt", include_str!("../../../installs/basedpyright.txt")),
    (
        "bash-language-server.package-lock.json",
        include_str!("../../../installs/bash-language-server.package-lock.json"),
    ),
    ("clangd.txt", include_str!("../../../installs/clangd.txt")),
    ("cmake-language-server.txt", include_str!("../../../installs/cmake-language-server.txt")),
    (
        "docker-langserver.package-lock.json",
        include_str!("../../../installs/docker-langserver.package-lock.json"),
    ),
    ("fortls.txt", include_str!("../../../installs/fortls.txt")),
    ("jedi-language-server.txt", include_str!("../../../installs/jedi-language-server.txt")),
    ("kmp-lsp.txt", include_str!("../../../installs/kmp-lsp.txt")),
    ("pyrefly.txt", include_str!("../../../installs/pyrefly.txt")),
    ("pyright.package-lock.json", include_str!("../../../installs/pyright.package-lock.json")),
    ("svelteserver.package-lock.json", include_str!("../../../installs/svelteserver.package-lock.json")),
    ("tsc.package-lock.json", include_str!("../../../installs/tsc.package-lock.json")),
    ("ty.txt", include_str!("../../../installs/ty.txt")),
    (
        "typescript-language-server.package-lock.json",
        include_str!("../../../installs/typescript-language-server.package-lock.json"),
    ),
    (
        "vscode-css-language-server.package-lock.json",
        include_str!("../../../installs/vscode-css-language-server.package-lock.json"),
    ),
    (
        "vscode-html-language-server.package-lock.json",
        include_str!("../../../installs/vscode-html-language-server.package-lock.json"),
    ),
    ("vtsls.package-lock.json", include_str!("../../../installs/vtsls.package-lock.json")),
    ("zuban.txt", include_str!("../../../installs/zuban.txt")),
];
