//! README's part on editors, word for word: its command, run by a shell in a checkout, and what it says of it.

use std::path::Path;
use std::process::Command;

use crate::neovim;
use crate::support::{User, write};

/// Returns the commands of the first console block of this part of the README.
fn commands(part: &str) -> Vec<String> {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, part) = readme.split_once(&format!("\n## {part}\n")).unwrap();
    let (_, block) = part.split("\n## ").next().unwrap().split_once("```console\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    block.lines().map(|line| line.strip_prefix("$ ").unwrap().to_owned()).collect()
}

/// Makes the user's project a checkout as far as the README needs it, and puts `symd` and `nvim` on a PATH of its own: an
/// `nvim` without a screen, which runs the test's script last.
fn checkout(user: &User, nvim: &Path) -> std::ffi::OsString {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for directory in ["project/src", "bin"] {
        std::fs::create_dir(user.path(directory)).unwrap();
    }
    write(&user.path("project/src/main.rs"), "fn main() {}\n");
    std::os::unix::fs::symlink(root.join("editors"), user.path("project/editors")).unwrap();
    let server = "[[language]]\nname = \"rust\"\nlanguage-servers = [\"runner\"]\n\n[language-server.runner]\n\
        command = \"no-such-program\"\nruns-project-code = \"its code\"\n";
    write(&user.path("config/languages.toml"), server);
    let path = std::env::var_os("PATH").unwrap();
    let programs = symd::base::programs::Programs::on(&path, None);
    let nvim = programs.find(nvim.to_str().unwrap()).unwrap();
    let script = format!(
        "#!/bin/sh\nexec '{}' --headless -i NONE -n \"$@\" -c 'luafile {}' -c cquit\n",
        nvim.display(),
        neovim::stage().display()
    );
    write(&user.path("bin/nvim"), &script);
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(user.path("bin/nvim"), executable).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_symd"), user.path("bin/symd")).unwrap();
    let directories = std::iter::once(user.path("bin")).chain(std::env::split_paths(&path));
    std::env::join_paths(directories).unwrap()
}

#[test]
fn neovim_does_what_the_readme_says() {
    let user = User::new();
    let Some(nvim) = neovim::program() else { return };
    let path = checkout(&user, &nvim);
    let [command] = &commands("Connect an editor")[..] else { panic!("one command") };
    // The user who answers the question is played.
    let before = r#"
        vim.fn.input = function(options)
          asked = options.prompt
          return 'Not now'
        end
    "#;
    let script = r#"
        local has = function(text, part) return text:find(part, 1, true) ~= nil end
        local buffer = function() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n') end
        vim.wait(20000, function() return asked ~= nil end, 2)
        T.say('asked', has(asked, 'symd: trust this project?') and has(asked, 'Write Trust, Not now, Never and <Enter>'))
        T.say('status', vim.fn.execute('SymdStatus'):match('symd %S+ for (/.*): %d+ files, %d+ symbols') == vim.loop.fs_realpath('.'))
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// typed' })
        T.settle()
        T.say('seen', has(T.agent('read_file', { relative_path = 'src/main.rs' }), '// typed'))
        local text, exit = T.agent('replace_content', { relative_path = 'src/main.rs', needle = 'main', repl = 'start', mode = 'literal' })
        T.say('edit', exit == 0 and buffer() == '// typed\nfn start() {}')
        T.say('disk', table.concat(vim.fn.readfile('src/main.rs'), '\n') == 'fn main() {}')
        vim.cmd('SymdUndo')
        T.say('undone', buffer() == '// typed\nfn main() {}')
    "#;
    let mut shell = user.dressed(Command::new("sh"));
    shell.args(["-c", command]).env("PATH", path).env("BEFORE", before);
    let report = neovim::report(&user, shell, script);
    let expected =
        "symd: true\nasked: true\nstatus: true\nseen: true\nedit: true\ndisk: true\nundone: true\n";
    assert_eq!(report, expected);
}
