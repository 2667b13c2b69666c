//! Neovim with symd and the real ty attached to one buffer: no result twice. And what Neovim does with files
//! whose names change.

use crate::neovim::{play, user};
use crate::real_servers::Real;
use crate::servers::real_server;
use crate::support::write;

#[test]
fn two_servers_in_one_buffer_give_no_result_twice() {
    let Some(servers) = real_server("ty") else { return };
    let user = user();
    write(&user.path("project/a.py"), "def saved():\n    return 1\n\n\nprint(saved())\n");
    let language = |name: &str| format!("[[language]]\nname = \"{name}\"\nlanguage-servers = []\n");
    write(&user.path("config/languages.toml"), &(language("python") + &language("kotlin")));
    write(&user.path("project/b.kt"), "fun kept() = 1\n\nfun main() = println(kept())\n");
    let ty = servers.join("ty/bin/ty");
    let script = format!(
        r#"
        local places = function(method, line, character, context)
          local params = {{
            textDocument = {{ uri = vim.uri_from_bufnr(0) }}, position = {{ line = line, character = character }},
            context = context,
          }}
          local answers = vim.lsp.buf_request_sync(0, method, params, 20000)
          local found = {{}}
          for _, answer in pairs(answers or {{}}) do
            for _, place in ipairs(answer.result or {{}}) do
              local range = place.range or place.targetSelectionRange
              found[#found + 1] = (range.start.line + 1) .. ':' .. range.start.character
            end
          end
          table.sort(found)
          return table.concat(found, ' ')
        end
        local all = {{ includeDeclaration = true }}
        vim.bo.filetype = 'python'
        T.settle()
        T.say('symd alone', places('textDocument/definition', 4, 7))
        local id = vim.lsp.start_client({{ name = 'ty', cmd = {{ '{ty}', 'server' }}, root_dir = vim.fn.getcwd() }})
        vim.lsp.buf_attach_client(0, id)
        vim.wait(20000, function() return vim.lsp.get_client_by_id(id).initialized end, 5)
        T.say('both', places('textDocument/definition', 4, 7))
        T.say('references', places('textDocument/references', 0, 5, all))
        -- A language that ty has not.
        vim.cmd('edit b.kt')
        vim.bo.filetype = 'kotlin'
        T.settle()
        T.say('kotlin', places('textDocument/definition', 2, 22))
        T.say('its references', places('textDocument/references', 0, 5, all))
        vim.cmd('buffer a.py')
        T.say('again', places('textDocument/definition', 4, 7))
        vim.lsp.stop_client(id, true)
        vim.wait(20000, function() return vim.lsp.get_client_by_id(id) == nil end, 5)
        T.say('ty gone', places('textDocument/references', 0, 5, all))
    "#,
        ty = ty.display()
    );
    let Some(report) = play(&user, &script) else { return };
    let expected = "symd: true\nsymd alone: 1:4\nboth: 1:4\nreferences: 1:4 5:6\nkotlin: 1:4\n\
        its references: 1:4 3:21\nagain: 1:4\nty gone: 1:4 5:6\n";
    assert_eq!(report, expected);
}

#[test]
fn what_symds_server_finds_wrong_is_shown_though_neovim_does_not_ask() {
    let Some(real) = Real::new(&[("python", "ty")]) else { return };
    real.write("a.py", "def kept() -> int:\n    return \"x\"\n");
    let script = r#"
        vim.bo.filetype = 'python'
        local shown = function(count)
          vim.wait(60000, function() return #vim.diagnostic.get(0) == count end, 5)
          local list = vim.tbl_map(function(one)
            return (one.lnum + 1) .. ':' .. one.col .. ' ' .. one.source
          end, vim.diagnostic.get(0))
          return table.concat(list, ', ')
        end
        T.say('shown', shown(1))
        vim.api.nvim_buf_set_lines(0, 1, 2, true, { '    return 1' })
        T.say('mended', shown(0))
        vim.api.nvim_buf_set_lines(0, 0, 0, true, { '# 𝒳', 'wrong: str = 1' })
        T.say('typed', shown(1))
        T.say('unsaved', vim.bo.modified)
    "#;
    let Some(report) = play(&real.user, script) else { return };
    assert_eq!(report, "symd: true\nshown: 2:11 ty\nmended: \ntyped: 2:13 ty\nunsaved: true\n");
}

#[test]
fn what_two_servers_find_wrong_is_shown_once() {
    let Some(real) = Real::new(&[("python", "ty")]) else { return };
    let Some(servers) = real_server("ty") else { return };
    real.write("a.py", "def kept() -> int:\n    return \"x\"\n");
    let script = format!(
        r#"
        vim.bo.filetype = 'python'
        local shown = function(wanted)
          local list = function()
            local places = vim.tbl_map(function(one)
              local server = vim.diagnostic.get_namespace(one.namespace).name:match('lsp%.(%a+)')
              return (one.lnum + 1) .. ':' .. one.col .. ' in ' .. server
            end, vim.diagnostic.get(0))
            return table.concat(places, ', ')
          end
          vim.wait(60000, function() return list() == wanted end, 5)
          return list()
        end
        T.say('symd alone', shown('2:11 in symd'))
        local id = vim.lsp.start_client({{ name = 'other', cmd = {{ '{ty}', 'server' }}, root_dir = vim.fn.getcwd() }})
        vim.lsp.buf_attach_client(0, id)
        T.say('both', shown('2:11 in other'))
        local answers = function(method)
          local params = {{ textDocument = {{ uri = vim.uri_from_bufnr(0) }}, position = {{ line = 0, character = 5 }} }}
          local count = 0
          for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 20000) or {{}}) do
            count = count + ((answer.result and answer.result ~= vim.NIL and not vim.tbl_isempty(answer.result)) and 1 or 0)
          end
          return count
        end
        T.say('hover', answers('textDocument/hover'))
        T.say('symbols', answers('textDocument/documentSymbol'))
        vim.lsp.stop_client(id, true)
        vim.wait(20000, function() return vim.lsp.get_client_by_id(id) == nil end, 5)
        vim.cmd('doautocmd CursorHold')
        T.say('the other gone', shown('2:11 in symd'))
        T.say('hover by symd', answers('textDocument/hover'))
    "#,
        ty = servers.join("ty/bin/ty").display()
    );
    let Some(report) = play(&real.user, &script) else { return };
    let expected = "symd: true\nsymd alone: 2:11 in symd\nboth: 2:11 in other\nhover: 1\nsymbols: 1\n\
        the other gone: 2:11 in symd\nhover by symd: 1\n";
    assert_eq!(report, expected);
}

#[test]
fn a_buffer_that_gets_another_name_is_seen_under_that() {
    let user = user();
    let script = r#"
        local seen = function(file)
          local text = T.agent('read_file', { relative_path = file })
          return text:match('def %w+') or text:match('[^\n]*')
        end
        vim.api.nvim_buf_set_text(0, 0, 4, 0, 9, { 'typed' })
        T.settle()
        T.say('typed', seen('a.py'))
        vim.loop.fs_rename('a.py', 'b.py')
        vim.cmd('file b.py')
        T.settle()
        T.say('renamed', seen('b.py'))
        vim.api.nvim_buf_set_text(0, 0, 4, 0, 9, { 'more' })
        T.settle()
        T.say('typed again', seen('b.py'))
        local text, exit = T.agent('replace_content', { relative_path = 'b.py', needle = 'more', repl = 'agent', mode = 'literal' })
        T.say('edited', exit == 0 and vim.api.nvim_buf_get_lines(0, 0, 1, true)[1])
        vim.cmd('silent write!')
        T.settle()
        T.say('saved', vim.fn.readfile('b.py')[1])
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\ntyped: def typed\nrenamed: def typed\ntyped again: def more\n\
        edited: def agent():\nsaved: def agent():\n";
    assert_eq!(report, expected);
}
