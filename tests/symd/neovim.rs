//! Neovim, headless, with the package of editors/neovim, against the real daemon: Debian's 0.7.2, or the one that
//! `SYMD_TEST_NEOVIM` names.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::servers::real_program;
use crate::support::{User, write};

/// Returns the Neovim that tests run; `None` if the machine has no Neovim, which is recorded as a test that did not run.
#[track_caller]
pub fn program() -> Option<PathBuf> {
    match std::env::var_os("SYMD_TEST_NEOVIM") {
        Some(program) => Some(PathBuf::from(program)),
        None => real_program("nvim").then(|| PathBuf::from("nvim")),
    }
}

/// Runs `script` in Neovim in the user's project; returns what it reported, a line for each fact. `None` if the machine has no
/// Neovim, as for [`program`].
#[track_caller]
pub fn play(user: &User, script: &str) -> Option<String> {
    let mut command = user.dressed(Command::new(program()?));
    command.args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c"]);
    command.arg(format!("luafile {}", stage().display())).args(["-c", "cquit"]);
    Some(report(user, command, script))
}

/// Returns the file that Neovim is to run.
pub fn stage() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/symd/neovim.lua")
}

/// Runs `command`, which has Neovim run [`stage`] and with it `script`; returns what it reported.
#[track_caller]
pub fn report(user: &User, mut command: Command, script: &str) -> String {
    write(&user.path("script.lua"), script);
    let ran = command
        .env("SYMD", env!("CARGO_BIN_EXE_symd"))
        .env("PACKAGE", Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/neovim"))
        .env("REPORT", user.path("report"))
        .env("SCRIPT", user.path("script.lua"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let report = std::fs::read_to_string(user.path("report")).unwrap_or_default();
    assert!(ran.status.success(), "{report}\n{}", String::from_utf8_lossy(&ran.stderr));
    report
}

pub fn user() -> User {
    let user = User::new();
    write(&user.path("config/languages.toml"), "[[language]]\nname = \"python\"\nlanguage-servers = []\n");
    write(&user.path("project/a.py"), "def saved():\n    return \"𝒳\"\n");
    user
}

#[test]
fn what_is_typed_in_neovim_is_what_agents_see() {
    let user = user();
    let script = r#"
        local found = function(name) return T.agent('find_symbol', { name_path_pattern = name }) end
        T.say('before', found('saved'):find('a.py:1', 1, true) ~= nil)
        vim.api.nvim_buf_set_text(0, 0, 4, 0, 9, { 'typed' })
        vim.api.nvim_buf_set_lines(0, 2, 2, false, { '', 'def more():', '    pass  # é𝒳' })
        T.settle()
        T.say('typed', found('typed'):find('a.py:1', 1, true) ~= nil)
        T.say('marked', found('typed'):match('%[unsaved: a.py in .*%]'))
        T.say('more', found('more'):find('a.py:4', 1, true) ~= nil)
        T.say('old', found('saved'):find('complete', 1, true) ~= nil and found('saved'):find('a.py:1', 1, true) == nil)
        vim.cmd('undo')
        vim.cmd('silent undo')
        T.settle()
        T.say('undone', found('saved'):find('a.py:1', 1, true) ~= nil)
        T.say('unmarked', found('saved'):find('unsaved', 1, true) == nil)
        vim.cmd('redo')
        vim.cmd('silent write')
        T.settle()
        T.say('written', found('typed'):find('unsaved', 1, true) == nil)
        vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'def again():', '    pass' })
        vim.cmd('bdelete!')
        T.settle()
        T.say('closed', found('typed'):find('a.py:1', 1, true) ~= nil)
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\nbefore: true\ntyped: true\nmarked: [unsaved: a.py in Neovim]\nmore: true\n\
        old: true\nundone: true\nunmarked: true\nwritten: true\nclosed: true\n";
    assert_eq!(report, expected);
}

#[test]
fn each_edit_of_an_agent_is_undone_by_itself_in_neovim() {
    let user = user();
    let script = r#"
        local buffer = function() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), ' ') end
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
        T.settle()
        -- No key is typed in between.
        for _, word in ipairs({ 'yield', 'raise' }) do
          local from = word == 'yield' and 'return' or 'yield'
          T.say(word, select(2, T.agent('replace_content', { relative_path = 'a.py', needle = from, repl = word, mode = 'literal' })))
        end
        for _ = 1, 2 do
          vim.cmd('silent undo')
          T.say('undone', buffer())
        end
        T.settle()
        T.say('seen', T.agent('read_file', { relative_path = 'a.py' }):find('return', 1, true) ~= nil)
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\nyield: 0\nraise: 0\nundone: # typed def saved():     yield \"𝒳\"\n\
        undone: # typed def saved():     return \"𝒳\"\nseen: true\n";
    assert_eq!(report, expected);
}

#[test]
fn an_agents_edit_of_an_unsaved_buffer_is_made_by_neovim() {
    let user = user();
    write(&user.path("project/b.py"), "import a\n\na.saved()\n");
    let script = r#"
        local disk = function(file) return table.concat(vim.fn.readfile(file), '\n') end
        local buffer = function() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n') end
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# é𝒳 typed' })
        T.settle()
        local text, exit = T.agent('replace_content', { relative_path = 'a.py', needle = 'return', repl = 'yield', mode = 'literal' })
        T.say('edit', exit)
        T.say('told', text:find('a build sees the file as it was saved', 1, true) ~= nil)
        T.say('buffer', buffer() == '# é𝒳 typed\ndef saved():\n    yield "𝒳"')
        T.say('unsaved', vim.bo.modified and disk('a.py') == 'def saved():\n    return "𝒳"')
        text, exit = T.agent('rename_symbol', { name_path = 'saved', new_name = 'kept', force = true, include = { 'unchecked' } })
        T.say('rename', exit)
        T.say('both', buffer():find('def kept', 1, true) ~= nil and disk('b.py'):find('a.kept()', 1, true) ~= nil)
        T.say('still unsaved', disk('a.py'):find('def saved', 1, true) ~= nil)
        T.say('undo', select(2, T.agent('undo', vim.empty_dict())))
        T.say('undo', select(2, T.agent('undo', vim.empty_dict())))
        T.say('undone', buffer() == '# é𝒳 typed\ndef saved():\n    return "𝒳"' and disk('b.py'):find('a.saved()', 1, true) ~= nil)
        vim.cmd('silent undo')
        vim.cmd('silent write')
        vim.api.nvim_buf_set_lines(0, -1, -1, false, { '# last' })
        vim.cmd('silent write')
        T.settle()
        text, exit = T.agent('replace_content', { relative_path = 'a.py', needle = '# last', repl = '# agent', mode = 'literal' })
        T.say('clean', exit)
        vim.wait(2000, function() return not vim.bo.modified end, 2)
        T.say('saved', not vim.bo.modified and buffer() == disk('a.py') and buffer():find('# agent', 1, true) ~= nil)
        vim.api.nvim_buf_set_lines(0, -1, -1, false, { '# typed' })
        T.settle()
        vim.bo.modifiable = false
        text, exit = T.agent('replace_content', { relative_path = 'a.py', needle = '# agent', repl = '# lost', mode = 'literal' })
        T.say('refused', exit ~= 0 and text:find('nothing was written', 1, true) ~= nil)
        T.say('kept', buffer():find('# agent\n# typed', 1, true) ~= nil and disk('a.py'):find('# typed', 1, true) == nil)
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\nedit: 0\ntold: true\nbuffer: true\nunsaved: true\nrename: 0\nboth: true\n\
        still unsaved: true\nundo: 0\nundo: 0\nundone: true\nclean: 0\nsaved: true\nrefused: true\nkept: true\n";
    assert_eq!(report, expected);
}

#[test]
fn neovim_tells_what_it_shows() {
    let user = user();
    let script = r#"
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# é𝒳 here' })
        local namespace = vim.api.nvim_create_namespace('lint')
        vim.diagnostic.set(namespace, 0, { { lnum = 0, col = 9, message = 'short name', severity = 2, source = 'lint' } })
        vim.api.nvim_win_set_cursor(0, { 1, 2 })
        vim.cmd('normal! v3l')
        T.package.push_context()
        local lines = {}
        for number = 1, 60 do lines[number] = 'line ' .. number end
        local terminal = vim.api.nvim_create_buf(false, true)
        vim.api.nvim_buf_set_lines(terminal, 0, -1, false, lines)
        T.package.push_terminal(terminal)
        T.settle()
        local shown = T.agent('editor_context', vim.empty_dict())
        T.say('cursor', shown:match('^[^\n]*'))
        T.say('selected', shown:match('selected, [^\n]*\n[^\n]*'))
        T.say('diagnostics', shown:match('1 diagnostic in [^\n]*\n[^\n]*'))
        T.say('terminal', shown:match('terminal, [^\n]*\n[^\n]*'))
        -- No event of Neovim's tells of this move: it is asked.
        vim.cmd('normal! ' .. vim.api.nvim_replace_termcodes('<Esc>', true, false, true))
        vim.cmd('noautocmd call cursor(2, 3)')
        shown = T.agent('editor_context', vim.empty_dict())
        T.say('asked', shown:match('^[^\n]*'))
        -- A program that goes on, such as a server, is told as it writes, and is part of the answer.
        local pushed, push = false, T.package.push_terminal
        T.package.push_terminal = function(bufnr) pushed = true; push(bufnr) end
        vim.cmd('new')
        local running = vim.fn.termopen({ 'sh', '-c', 'echo listening; exec cat' })
        T.say('told', vim.wait(10000, function() return pushed end, 5))
        vim.fn.chansend(running, 'GET /\n')
        vim.wait(10000, function()
          return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '|'):find('GET /|GET /', 1, true) ~= nil
        end, 5)
        shown = T.agent('editor_context', vim.empty_dict())
        T.say('running', shown:match('terminal, [^\n]*\n.*GET /'))
        vim.fn.jobstop(running)
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\ncursor: a.py:1:7 in Neovim, not saved\nselected: selected, 1:3-1:8:\né𝒳 h\n\
        diagnostics: 1 diagnostic in Neovim\na.py:1:7 warning: short name (lint)\n\
        terminal: terminal, 50 lines:\nline 11\nasked: a.py:2:3 in Neovim, not saved\n\
        told: true\nrunning: terminal, 3 lines:\nlistening\nGET /\nGET /\n";
    assert_eq!(report, expected);
}

#[test]
fn a_file_of_another_encoding_is_read_again_while_its_buffer_has_the_version_that_symd_saw() {
    let user = user();
    let script = r#"
        T.put('latin.py', 'a = "\233"\n')
        vim.cmd('edit latin.py')
        T.say('encoding', vim.bo.fileencoding)
        local uri = vim.uri_from_bufnr(0)
        local save = function(version)
          return T.package.save(nil, { uris = { uri }, versions = { version } })
        end
        vim.api.nvim_buf_set_lines(0, 1, 1, false, { 'b = "é"' })
        -- As symd writes the file when the editor has made the change.
        T.put('latin.py', 'a = "\233"\nb = "\233"\n')
        local version = vim.api.nvim_buf_get_changedtick(0)
        vim.api.nvim_buf_set_lines(0, 2, 2, false, { 'typed' })
        local answer = save(version)
        T.say('typed on', answer.saved == false and vim.bo.modified and T.buffer() == 'a = "é"|b = "é"|typed')
        T.say('without a version', save(nil).saved)
        vim.cmd('silent undo')
        answer = save(vim.api.nvim_buf_get_changedtick(0))
        T.say('saved', answer.saved and not vim.bo.modified and T.buffer() == 'a = "é"|b = "é"')
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\nencoding: latin1\ntyped on: true\nwithout a version: false\nsaved: true\n";
    assert_eq!(report, expected);
}

#[test]
fn a_file_that_neovim_spells_otherwise_than_its_buffer_is_unsaved_only_while_it_is() {
    let user = user();
    let script = r#"
        local files = {
          ['empty.py'] = '', ['no-end.py'] = 'one = 1\ntwo = 2', ['mark.py'] = '\239\187\191one = 1\n',
          ['wide.py'] = '\255\254o\0n\0e\0 \0=\0 \0001\0\n\0', ['dos.py'] = 'one = 1\r\ntwo = 2',
        }
        for file, text in pairs(files) do
          T.put(file, text)
        end
        for _, file in ipairs({ 'empty.py', 'no-end.py', 'mark.py', 'wide.py', 'dos.py' }) do
          vim.cmd('silent edit ' .. file)
          T.settle()
          T.say(file, T.mark(file))
          vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
          if file == 'empty.py' then
            vim.api.nvim_buf_set_lines(0, 1, 2, false, { 'one = 1' })
          end
          T.settle()
          local _, typed = T.edit(file, 'one', 'two')
          vim.cmd('silent write')
          T.settle()
          T.say('edited and written', typed == 0 and T.mark(file))
          local undone = select(2, T.agent('undo', vim.empty_dict()))
          T.say('undone', undone == 0 and T.get(file):gsub('%z', ''):find('one = 1', 1, true) ~= nil and not vim.bo.modified)
          vim.cmd('silent bwipeout!')
        end
        T.say('half saved', T.agent('history', vim.empty_dict()):find('half saved', 1, true))
    "#;
    let Some(report) = play(&user, script) else { return };
    let file = |name: &str| format!("{name}: saved\nedited and written: saved\nundone: true\n");
    let files = ["empty.py", "no-end.py", "mark.py", "wide.py", "dos.py"].map(file).concat();
    assert_eq!(report, format!("symd: true\n{files}half saved: nil\n"));
}

#[test]
fn a_program_that_neovim_waits_for_when_it_saves_cannot_edit_its_buffer_and_does_not_hold_it_long() {
    let user = user();
    let script = r#"
        local told
        vim.api.nvim_create_autocmd('BufWritePre', { once = true, callback = function()
          local wanted = vim.json.encode({ relative_path = 'a.py', needle = 'saved', repl = 'formatted', mode = 'literal' })
          told = vim.fn.system({ vim.env.SYMD, 'call', 'replace_content', wanted })
        end })
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
        vim.cmd('silent write')
        T.settle()
        T.say('told', told:match('^(.-) within') .. ' ' .. told:match('nothing was written[^\n]*'))
        T.say('saved', not vim.bo.modified and vim.fn.readfile('a.py')[1])
        T.say('seen', T.agent('read_file', { relative_path = 'a.py' }):find('unsaved', 1, true))
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected =
        "symd: true\ntold: Neovim does not answer nothing was written\nsaved: # typed\nseen: nil\n";
    assert_eq!(report, expected);
}

#[test]
fn neovim_asks_its_user_for_an_approval_in_whole_words() {
    let user = user();
    user.check(&["approvals", "policy", "native/create_text_file", "ask"], 0);
    let script = r#"
        local typed, asked = {}, nil
        vim.fn.input = function(options)
          asked = options.prompt
          return table.remove(typed, 1) or options.cancelreturn
        end
        local create = function(words)
          typed = words
          local text, exit = T.agent('create_text_file', { relative_path = 'new.py', content = 'x = 1\n' })
          return exit == 0, text
        end
        local done, text = create({ 'o', 'y', '1' })
        T.say('keys', not done and text:find('there is no terminal to ask on', 1, true) ~= nil)
        done, text = create({ 'deny' })
        T.say('denied', not done and text:find('the user did not approve it', 1, true) ~= nil)
        T.say('once', create({ 'x', 'once' }))
        T.say('asked', asked:find('Tool: create_text_file', 1, true) ~= nil and asked:match('Write .*'))
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\nkeys: true\ndenied: true\nonce: true\n\
        asked: Write Once, Always, Deny and <Enter>: \n";
    assert_eq!(report, expected);
}

#[test]
fn an_agents_edit_is_told_in_neovim_and_undone_by_its_number() {
    let user = user();
    write(&user.path("project/b.py"), "b = 1\n");
    let script = r#"
        T.say('first', select(2, T.edit('a.py', 'saved', 'agent')))
        T.say('second', select(2, T.edit('b.py', 'b = 1', 'b = 2')))
        local told = function() return vim.fn.execute('messages'):match('symd: cli changed a.py .*symd.undo (%d+)') end
        vim.wait(5000, function() return told() ~= nil end, 2)
        vim.cmd('SymdUndo ' .. told())
        vim.wait(5000, function() return T.buffer():find('saved', 1, true) ~= nil end, 2)
        T.say('undone', T.buffer())
        T.say('the later one', table.concat(vim.fn.readfile('b.py'), '|'))
        vim.cmd('SymdRename saved renamed')
        vim.wait(5000, function() return T.buffer():find('renamed', 1, true) ~= nil end, 2)
        T.say('renamed', T.buffer())
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\nfirst: 0\nsecond: 0\nundone: def saved():|    return \"𝒳\"\nthe later one: b = 2\n\
        renamed: def renamed():|    return \"𝒳\"\n";
    assert_eq!(report, expected);
}

#[test]
fn a_command_in_neovim_concerns_the_project_of_its_buffer() {
    let user = user();
    std::fs::create_dir_all(user.path("second/.git")).unwrap();
    write(&user.path("second/y.py"), "def two():\n    return 1\n");
    let script = r#"
        vim.cmd('edit ../second/y.py')
        T.say('status', T.settle().root:match('[^/]*$'))
        T.say('first', select(2, T.edit('a.py', 'saved', 'agent')))
        vim.cmd('cd ../second')
        T.say('second', select(2, T.edit('y.py', 'two', 'agent')))
        local told = function() return vim.fn.execute('messages'):match('changed y.py (in %S+); symd.undo 1 ') end
        vim.wait(5000, function() return told() ~= nil end, 2)
        T.say('told', told())
        vim.cmd('SymdUndo 1')
        vim.wait(5000, function() return T.buffer():find('two', 1, true) ~= nil end, 2)
        T.say('undone', T.buffer())
        T.say('the other project', vim.fn.readfile('../project/a.py')[1])
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\nstatus: second\nfirst: 0\nsecond: 0\ntold: in second\n\
        undone: def two():|    return 1\nthe other project: def agent():\n";
    assert_eq!(report, expected);
}

#[test]
fn the_configuration_for_later_versions_has_all_that_the_package_has() {
    let user = user();
    let Some(program) = program() else { return };
    // Where Neovim has no `vim.lsp.enable`, what that does with the file.
    let before = r#"
        local package = require('symd')
        package.setup({ cmd = { vim.env.SYMD, 'lsp' }, start = false })
        if vim.lsp.enable then
          vim.lsp.enable('symd')
          vim.cmd('filetype on')
          vim.cmd('edit a.py')
        else
          vim.cmd('edit a.py')
          assert(package.client_id == nil)
          local config = dofile(vim.env.PACKAGE .. '/lsp/symd.lua')
          vim.lsp.buf_attach_client(0, vim.lsp.start_client(config))
        end
        assert(vim.wait(20000, function() return package.client_id ~= nil end, 2))
    "#;
    let script = r#"
        local text, exit = T.agent('replace_content', { relative_path = 'a.py', needle = 'return', repl = 'yield', mode = 'literal' })
        T.say('saved', exit == 0 and not text:find('saved', 1, true) and not vim.bo.modified)
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
        text, exit = T.agent('replace_content', { relative_path = 'a.py', needle = 'yield', repl = 'return', mode = 'literal' })
        T.say('unsaved', exit == 0 and text:find('a build sees the file as it was saved', 1, true) ~= nil and vim.bo.modified)
        T.say('context', T.agent('editor_context', vim.empty_dict()):match('^a.py:%d+:%d+ in Neovim [^,]*, not saved') ~= nil)
    "#;
    let mut command = user.dressed(Command::new(program));
    command.args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c"]);
    command.arg(format!("luafile {}", stage().display())).args(["-c", "cquit"]).env("BEFORE", before);
    assert_eq!(report(&user, command, script), "symd: true\nsaved: true\nunsaved: true\ncontext: true\n");
}
