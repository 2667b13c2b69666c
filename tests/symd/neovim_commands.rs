//! The commands of Neovim's package, and its health check.

use crate::neovim::{play, user};
use crate::support::write;

#[test]
fn the_commands_show_what_they_are_named_for() {
    let user = user();
    let script = r#"
        local messages = function(wanted)
          vim.wait(5000, function() return vim.fn.execute('messages'):find(wanted) ~= nil end, 2)
          return vim.fn.execute('messages'):match(wanted)
        end
        T.say('status', vim.fn.execute('SymdStatus'):match('symd %S+ for .*/project: %d+ files?, %d+ symbols?') ~= nil)
        T.agent('replace_content', { relative_path = 'a.py', needle = 'saved', repl = 'agent', mode = 'literal' })
        local shown = function()
          local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')
          local kind = vim.bo.buftype
          vim.cmd('quit')
          return kind, text
        end
        vim.cmd('SymdHistory')
        local kind, text = shown()
        T.say('history', text:match('^1 %S+ cli replace_content: replace content in a.py') ~= nil and kind)
        vim.cmd('messages clear')
        pcall(vim.cmd, 'SymdRestartServer nothing')
        T.say('no such server', messages('nothing: no language server: no server has this name'))
        vim.cmd('SymdLog')
        kind, text = shown()
        T.say('log', text:find('an editor is connected', 1, true) ~= nil and kind)
        vim.cmd('messages clear')
        -- 0.7 raises an error where later versions show a message.
        local _, why = pcall(vim.cmd, 'SymdUndo 1x')
        why = tostring(why) .. vim.fn.execute('messages')
        T.say('no number', why:find('the number of an edit, not 1x', 1, true) ~= nil and vim.fn.getline(1))
        vim.cmd('SymdUndo')
        vim.wait(5000, function() return vim.fn.getline(1):find('saved', 1, true) ~= nil end, 2)
        T.say('undone', vim.fn.getline(1))
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\nstatus: true\nhistory: nofile\nno such server: nothing: no language server: no server has this name\nlog: nofile\nno number: def agent():\nundone: def saved():\n";
    assert_eq!(report, expected);
}

#[test]
fn the_health_check_says_what_is_wrong() {
    let user = user();
    let script = r#"
        local check = function()
          vim.cmd('silent checkhealth symd')
          local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')
          vim.cmd('bwipeout!')
          return text
        end
        local text = check()
        T.say('program', text:match('OK:? symd %d+%.%d+%.%d+') ~= nil)
        T.say('connected', text:match('OK:? (connected[^\n]*)'))
        T.say('errors', text:match('ERROR[^\n]*'))
        vim.lsp.stop_client(T.package.client_id, true)
        vim.wait(5000, function() return vim.lsp.get_client_by_id(T.package.client_id) == nil end, 2)
        T.say('stopped', check():match('WARNING:? (not connected.-lsp` has ended)'):gsub('`.-`', '`symd lsp`'))
        T.package.options.cmd = { 'no-such-program', 'lsp' }
        T.say('absent', check():match('ERROR:? ([^\n]*)'))
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\nprogram: true\nconnected: connected\nerrors: nil\n\
        stopped: not connected: `symd lsp` has ended\nabsent: no-such-program is not on PATH\n";
    assert_eq!(report, expected);
}

#[test]
fn a_client_that_is_started_again_has_all_buffers() {
    let user = user();
    write(&user.path("project/b.py"), "b = 1\n");
    let script = r#"
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
        T.settle()
        local first = T.package.client_id
        vim.lsp.stop_client(first, true)
        vim.wait(5000, function() return vim.lsp.get_client_by_id(first) == nil end, 2)
        vim.cmd('hide edit b.py')
        T.say('another', T.settle() ~= nil and T.package.client_id ~= first)
        T.say('seen', T.agent('read_file', { relative_path = 'a.py' }):match('%[unsaved: a.py'))
    "#;
    let Some(report) = play(&user, script) else { return };
    assert_eq!(report, "symd: true\nanother: true\nseen: [unsaved: a.py\n");
}
