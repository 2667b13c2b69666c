//! Neovim with unsaved text where something ends or does not fit: its buffer, its daemon, Neovim itself, another window, a version.

use crate::neovim::{play, user};
use crate::support::write;

/// Another Neovim of the same user, which a script drives through its own.
const ANOTHER: &str = r#"
    local other = vim.fn.jobstart({ vim.v.progpath, '--embed', '--headless', '-u', 'NONE', '-i', 'NONE', '-n' }, { rpc = true })
    local there = function(code) return vim.fn.rpcrequest(other, 'nvim_exec_lua', code, {}) end
    there([[
      vim.opt.runtimepath:append(vim.env.PACKAGE)
      package_ = require('symd')
      package_.setup({ cmd = { vim.env.SYMD, 'lsp' } })
      vim.cmd('edit a.py')
      package_.command('symd.status')
    ]])
"#;

#[test]
fn an_edit_is_half_saved_when_neovim_gives_its_buffer_up_and_can_be_finished() {
    let user = user();
    write(&user.path("project/b.py"), "def saved():\n    return 1\n\n\ndef last():\n    return 3\n");
    let script = r#"
        local marked = function(id)
          for line in (T.agent('history', vim.empty_dict()) .. '\n'):gmatch('(.-)\n') do
            if line:match('^' .. id .. ' ') then return line end
          end
        end
        vim.cmd('silent edit b.py')
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
        T.settle()
        T.say('edit', T.edit('b.py', 'return 3', 'return 4'):match('%[unsaved: b.py.*%]'))
        T.say('pending', marked(1):find('pending save', 1, true) ~= nil)
        vim.cmd('bwipeout!')
        T.settle()
        T.say('half saved', marked(1):find('half saved: b.py was closed', 1, true) ~= nil)
        T.agent('finish_edit', { id = 1 })
        T.say('finished', T.get('b.py') == 'def saved():\n    return 1\n\n\ndef last():\n    return 4\n')
        -- The last edit is undone in Neovim.
        vim.cmd('silent edit b.py')
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
        T.settle()
        T.edit('b.py', 'return 1', 'return 2')
        local before = T.buffer()
        vim.cmd('silent undo')
        T.settle()
        T.say('undone', before:find('return 2', 1, true) ~= nil and T.buffer():find('return 1', 1, true) ~= nil)
        T.say('changed since', marked(3):find('changed since', 1, true) ~= nil)
    "#;
    let Some(report) = play(&user, script) else { return };
    let mark = "[unsaved: b.py in Neovim; a build sees the file as it was saved]";
    let expected = format!(
        "symd: true\nedit: {mark}\npending: true\nhalf saved: true\nfinished: true\nundone: true\nchanged since: true\n"
    );
    assert_eq!(report, expected);
}

#[test]
fn the_text_in_neovim_is_seen_right_after_a_daemons_end() {
    let user = user();
    let script = r#"
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'def typed(): pass' })
        for round = 1, 3 do
          vim.fn.system({ 'kill', '-9', tostring(T.settle().pid) })
          T.say('killed', T.agent('find_symbol', { name_path_pattern = 'typed' }):match('%d+ symbols?; %a+'))
        end
        T.say('edit', T.edit('a.py', 'typed', 'agent'):match('%[unsaved: a.py'))
        T.say('buffer', T.buffer():match('^[^|]*'))
    "#;
    let Some(report) = play(&user, script) else { return };
    let killed = "killed: 1 symbol; complete\n".repeat(3);
    assert_eq!(report, format!("symd: true\n{killed}edit: [unsaved: a.py\nbuffer: def agent(): pass\n"));
}

#[test]
fn two_neovims_with_different_texts_are_edited_when_they_agree() {
    let user = user();
    let script = ANOTHER.to_owned()
        + r#"
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# one' })
        T.settle()
        there([[ vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# two' }); package_.command('symd.status') ]])
        T.say('differ', T.mark('a.py'):find('with different texts; this is the one that changed last', 1, true) ~= nil)
        T.say('refused', T.edit('a.py', 'saved', 'agent'):find('with another text than in another window', 1, true) ~= nil)
        there([[ vim.api.nvim_buf_set_lines(0, 0, 1, false, { '# one' }); package_.command('symd.status') ]])
        T.say('agree', T.edit('a.py', 'saved', 'agent'):find('a build sees the file as it was saved', 1, true) ~= nil)
        local text = there([[ return vim.api.nvim_buf_get_lines(0, 0, 2, true) ]])
        T.say('both', T.buffer():match('^# one|def agent') ~= nil and text[1] == '# one' and text[2] == 'def agent():')
        there([[ vim.api.nvim_buf_set_lines(0, 0, 1, false, { '# two' }); package_.command('symd.status') ]])
        vim.fn.jobstop(other)
        vim.fn.jobwait({ other })
        T.say('alone', vim.wait(10000, function() return T.mark('a.py'):find('different', 1, true) == nil end, 20))
    "#;
    let Some(report) = play(&user, &script) else { return };
    assert_eq!(report, "symd: true\ndiffer: true\nrefused: true\nagree: true\nboth: true\nalone: true\n");
}

#[test]
fn nothing_is_written_where_neovim_dies_while_it_makes_an_edit() {
    let user = user();
    let script = ANOTHER.to_owned()
        + r#"
        vim.cmd('bwipeout!')
        there([[
          vim.lsp.handlers['workspace/applyEdit'] = function() vim.loop.kill(vim.loop.os_getpid(), 'sigkill') end
          vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
          package_.command('symd.status')
        ]])
        local before = T.get('a.py')
        local text, exit = T.edit('a.py', 'saved', 'agent')
        T.say('refused', exit == 1 and text:find('nothing was written', 1, true) ~= nil)
        T.say('file', T.get('a.py') == before)
        T.say('gone', vim.wait(10000, function() return T.mark('a.py') == 'saved' end, 20))
        text, exit = T.edit('a.py', 'saved', 'agent')
        T.say('again', exit == 0 and T.get('a.py'):find('agent', 1, true) ~= nil)
    "#;
    let Some(report) = play(&user, &script) else { return };
    assert_eq!(report, "symd: true\nrefused: true\nfile: true\ngone: true\nagain: true\n");
}

#[test]
fn an_edit_of_an_older_version_that_neovim_says_it_made_is_not_made() {
    let user = user();
    let script = r#"
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
        T.settle()
        local handle, answer = vim.lsp.handlers['workspace/applyEdit'], nil
        vim.lsp.handlers['workspace/applyEdit'] = function(...)
          if not answer then
            -- Typed while the request was on its way.
            vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# meanwhile' })
          end
          answer = handle(...)
          return answer
        end
        local before = T.get('a.py')
        local text, exit = T.edit('a.py', 'saved', 'agent')
        T.say('answered', vim.inspect(answer):match('applied = %a+'))
        T.say('refused', exit == 1 and text:find('nothing was written', 1, true) ~= nil)
        T.say('file', T.get('a.py') == before)
        T.say('buffer', T.buffer():match('^# meanwhile|# typed|def saved') ~= nil)
    "#;
    let Some(report) = play(&user, script) else { return };
    // Later versions do not say that.
    let said = report.replace("applied = false", "applied = true");
    assert_eq!(said, "symd: true\nanswered: applied = true\nrefused: true\nfile: true\nbuffer: true\n");
}
