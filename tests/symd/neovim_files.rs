//! Neovim and files that it spells in another way than symd, or writes under another name.

use crate::neovim::{play, user};

#[test]
fn a_saved_buffer_that_neovim_cannot_change_itself_is_read_again_after_an_edit() {
    let user = user();
    let script = r#"
        for file, text in pairs({ latin = 'a = "\233"\nb = 1\n', mixed = 'a = 0\r\nb = 1\n' }) do
          T.put(file .. '.py', text)
        end
        for _, name in ipairs({ 'latin', 'mixed' }) do
          local file = name .. '.py'
          vim.cmd('silent edit ' .. file)
          T.settle()
          local text, exit = T.edit(file, 'b = 1', 'b = 2')
          T.say(name, exit == 0 and not text:find('reloaded', 1, true) and T.get(file):match('b = %d'))
          T.say('shown', T.buffer():match('b = %d') .. (vim.bo.modified and ', modified' or ''))
          T.say('mark', T.mark(file))
          -- And again, so the buffer was taken for what the file has.
          text, exit = T.edit(file, 'b = 2', 'b = 3')
          T.say('again', exit == 0 and not text:find('reloaded', 1, true) and T.buffer():match('b = %d'))
          T.say('undone', select(2, T.agent('undo', vim.empty_dict())) == 0 and T.buffer():match('b = %d'))
        end
    "#;
    let Some(report) = play(&user, script) else { return };
    let each =
        |name: &str| format!("{name}: b = 2\nshown: b = 2\nmark: saved\nagain: b = 3\nundone: b = 2\n");
    assert_eq!(report, format!("symd: true\n{}{}", each("latin"), each("mixed")));
}

#[test]
fn a_buffer_that_is_written_to_another_file_stays_as_it_is() {
    let user = user();
    let script = r#"
        T.put('no-end.py', 'one = 1\ntwo = 2')
        vim.cmd('silent edit no-end.py')
        T.settle()
        T.say('before', T.mark('no-end.py'))
        vim.cmd('silent write copy.py')
        T.settle()
        T.say('written elsewhere', T.mark('no-end.py'))
        T.say('the other', T.get('copy.py') == 'one = 1\ntwo = 2\n' and T.mark('copy.py'))
        T.say('edited', select(2, T.edit('no-end.py', 'one = 1', 'one = 3')) == 0 and T.get('no-end.py'))
        T.say('shown', T.buffer() .. (vim.bo.modified and ', modified' or ''))
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
        vim.cmd('silent write! copy.py')
        T.settle()
        T.say('typed', T.mark('no-end.py'):match('unsaved: no%-end.py'))
        vim.cmd('silent saveas! other.py')
        T.settle()
        T.say('saved as', T.mark('no-end.py') .. ', ' .. T.mark('other.py'))
        T.put('latin.py', 'a = "\233"\n')
        vim.cmd('silent edit latin.py')
        vim.api.nvim_buf_set_lines(0, 1, 1, false, { '# typed' })
        vim.cmd('silent write latin-copy.py')
        T.settle()
        T.say('of another encoding', T.mark('latin.py'):match('unsaved: latin.py'))
        vim.cmd('silent write')
        T.settle()
        T.say('written', T.mark('latin.py'))
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\nbefore: saved\nwritten elsewhere: saved\nthe other: saved\nedited: one = 3\ntwo = 2\n\
        shown: one = 3|two = 2\ntyped: unsaved: no-end.py\nsaved as: saved, saved\n\
        of another encoding: unsaved: latin.py\nwritten: saved\n";
    assert_eq!(report, expected);
}

#[test]
fn a_buffer_that_gets_its_name_when_it_is_written_is_seen_from_then_on() {
    let user = user();
    let script = r#"
        vim.cmd('enew')
        vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'first = 1' })
        vim.cmd('silent write named.py')
        T.settle()
        T.say('written', T.mark('named.py'))
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
        T.settle()
        T.say('typed', T.mark('named.py'))
        T.say('edited', select(2, T.edit('named.py', 'first', 'second')) == 0 and T.buffer())
        vim.cmd('silent write')
        T.settle()
        T.say('saved', T.mark('named.py'))
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\nwritten: saved\ntyped: [unsaved: named.py in Neovim]\nedited: # typed|second = 1\n\
        saved: saved\n";
    assert_eq!(report, expected);
}

#[test]
fn a_buffer_that_got_another_name_hides_no_file_when_it_is_closed() {
    let user = user();
    let script = r#"
        T.put('one.py', 'one = 1\n')
        vim.cmd('silent edit one.py')
        local first = vim.api.nvim_get_current_buf()
        vim.cmd('silent saveas two.py')
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
        vim.cmd('silent edit one.py')
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed here' })
        T.settle()
        T.say('both', T.mark('one.py') .. T.mark('two.py'))
        vim.cmd('silent bdelete! ' .. first)
        -- The other is told anew when Neovim gets to it.
        T.settle()
        T.settle()
        T.say('closed', T.mark('two.py'))
        T.say('the other', T.mark('one.py'))
        vim.cmd('silent bdelete!')
        vim.cmd('silent edit two.py')
        T.settle()
        T.say('all', T.mark('one.py') .. ', ' .. T.mark('two.py') .. ', ' .. T.buffer())
    "#;
    let Some(report) = play(&user, script) else { return };
    let mark = |file: &str| {
        let start = report.find(&format!("[unsaved: {file}")).unwrap_or_else(|| panic!("{report}"));
        report[start..=start + report[start..].find(']').unwrap()].to_owned()
    };
    let (one, two) = (mark("one.py"), mark("two.py"));
    let expected = format!(
        "symd: true\nboth: {one}{two}\nclosed: saved\nthe other: {one}\nall: saved, saved, one = 1\n"
    );
    assert_eq!(report, expected);
}

#[test]
fn a_buffer_that_got_another_name_hides_no_file_when_it_is_reloaded() {
    let user = user();
    let script = r#"
        T.put('one.py', 'one = 1\n')
        vim.cmd('silent edit one.py')
        local first = vim.api.nvim_get_current_buf()
        vim.cmd('silent saveas two.py')
        vim.cmd('silent edit one.py')
        vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# typed' })
        T.settle()
        local function both(step)
          -- The other is told anew when Neovim gets to it.
          T.settle()
          T.settle()
          local is_unsaved = T.mark('one.py'):match('unsaved: one.py') and T.mark('two.py') == 'saved'
          T.say(step, vim.api.nvim_buf_get_lines(first, 0, 1, false)[1] .. (is_unsaved and ', as it was' or ''))
        end
        both('before')
        vim.o.autoread = true
        T.put('two.py', 'two = 22\n')
        vim.cmd('silent checktime ' .. first)
        both('checked')
        vim.cmd('silent buffer ' .. first)
        T.put('two.py', 'two = 333\n')
        vim.cmd('silent edit!')
        both('edited anew')
        vim.api.nvim_buf_set_lines(first, 0, 1, false, { '# typed too' })
        T.settle()
        T.say('typed', T.mark('two.py'):match('unsaved: two.py'))
        vim.cmd('silent edit one.py')
        vim.cmd('silent bdelete! ' .. first)
        T.settle()
        T.settle()
        T.say('closed', T.mark('two.py') .. ', ' .. tostring(T.mark('one.py'):match('unsaved: one.py')))
    "#;
    let Some(report) = play(&user, script) else { return };
    let expected = "symd: true\nbefore: one = 1, as it was\nchecked: two = 22, as it was\n\
        edited anew: two = 333, as it was\ntyped: unsaved: two.py\nclosed: saved, unsaved: one.py\n";
    assert_eq!(report, expected);
}

#[test]
fn a_buffer_that_got_another_name_hides_no_file_when_symd_was_started_again_and_it_is_closed() {
    let user = user();
    let script = r#"
        T.put('one.py', 'one = 1\n')
        vim.cmd('silent edit one.py')
        local first = vim.api.nvim_get_current_buf()
        vim.cmd('silent saveas two.py')
        T.settle()
        vim.lsp.get_client_by_id(T.package.client_id).stop()
        T.say('ended', vim.wait(60000, function() return not T.package.is_connected() end, 5))
        -- Reading a file starts it.
        T.put('other.py', 'other = 1\n')
        vim.cmd('silent edit other.py')
        vim.api.nvim_buf_set_lines(first, 0, 0, false, { '# typed' })
        T.settle()
        T.say('typed', T.mark('two.py'):match('unsaved: two.py'))
        vim.cmd('silent bdelete! ' .. first)
        T.settle()
        T.settle()
        T.say('closed', T.mark('two.py'))
    "#;
    let Some(report) = play(&user, script) else { return };
    assert_eq!(report, "symd: true\nended: true\ntyped: unsaved: two.py\nclosed: saved\n");
}
