-- symd for Neovim 0.7 and later: one `symd lsp` for the editor, which finds the project of each buffer itself.
--
--   require('symd').setup({ cmd = { 'symd', 'lsp' } })

-- `start = false` leaves the start of the client to `vim.lsp.enable('symd')` of 0.11.
local M = { client_id = nil, options = { cmd = { 'symd', 'lsp' }, start = true } }

local function client()
  return M.client_id and vim.lsp.get_client_by_id(M.client_id)
end

-- Calls a method of a client: before 0.11 these are functions that know their client.
local function call(running, method, ...)
  if vim.fn.has('nvim-0.11') == 1 then
    return running[method](running, ...)
  end
  return running[method](...)
end

local function is_file(bufnr)
  return vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buftype == '' and vim.api.nvim_buf_get_name(bufnr) ~= ''
end

-- Whether `symd lsp` runs.
function M.is_connected()
  local running = client()
  return running ~= nil and not call(running, 'is_stopped')
end

local function notify(method, params)
  if M.is_connected() then
    call(client(), 'notify', method, params)
  end
end

-- The methods that symd answers for languages without another server.
local navigation = {
  ['textDocument/definition'] = true, ['textDocument/declaration'] = true, ['textDocument/typeDefinition'] = true,
  ['textDocument/implementation'] = true, ['textDocument/references'] = true, ['textDocument/hover'] = true,
  ['textDocument/documentSymbol'] = true, ['textDocument/prepareCallHierarchy'] = true,
  ['textDocument/rename'] = true, ['textDocument/prepareRename'] = true,
}

-- The languages of symd's buffers in which no other server is attached.
local function languages()
  local served, all = {}, {}
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local filetype = vim.bo[bufnr].filetype
    if filetype ~= '' and is_file(bufnr) then
      all[filetype] = true
      -- 0.11 has another function, with another result.
      local clients = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = bufnr }) or vim.lsp.buf_get_clients(bufnr)
      for _, attached in pairs(clients) do
        served[filetype] = served[filetype] or attached.id ~= M.client_id
      end
    end
  end
  local unserved = {}
  for filetype in pairs(all) do
    if not served[filetype] then
      unserved[#unserved + 1] = filetype
    end
  end
  table.sort(unserved)
  return unserved
end

local named = {}
local function named_languages()
  named = languages()
  return named
end

-- Tells symd which languages have no other server, if that is not what it was told last.
function M.push_navigation()
  local last = table.concat(named, ' ')
  if client() and table.concat(named_languages(), ' ') ~= last then
    notify('symd/didChangeNavigation', { languages = named })
  end
end

-- Has Neovim ask symd about code only where no other server is attached: it shows what all servers say.
function M.limit(running)
  local supports = running.supports_method
  running.supports_method = function(method, ...)
    -- 0.11 calls it as a method of the client.
    if navigation[type(method) == 'table' and ... or method] then
      M.push_navigation()
      if not vim.tbl_contains(named, vim.bo.filetype) then
        return false
      end
    end
    return supports(method, ...)
  end
end

-- The settings of the client, for `vim.lsp.start_client` (0.7) and `vim.lsp.config` (0.11).
function M.config()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  -- 0.7 makes changes for a version of a document, and does not say so.
  capabilities.workspace.workspaceEdit.documentChanges = true
  -- symd publishes diagnostics then, and withdraws them when another server is attached. 0.11 keeps those that it has asked for.
  capabilities.textDocument.diagnostic = nil
  return {
    capabilities = capabilities,
    name = 'symd',
    cmd = M.options.cmd,
    init_options = {
      symd = {
        reportsContext = true, tellsContext = true, saves = true, reloads = true, navigation = named_languages(),
      },
    },
    on_init = function(running)
      -- Whoever started it.
      M.client_id = running.id
      M.limit(running)
    end,
    handlers = {
      ['workspace/applyEdit'] = M.apply,
      ['symd/save'] = M.save,
      ['symd/reload'] = M.reload,
      ['symd/editorContext'] = M.editor_context,
      ['window/showMessageRequest'] = M.ask,
      ['window/showMessage'] = M.show,
    },
    -- symd sees each change at once: an agent may ask at any moment.
    flags = { debounce_text_changes = 0, allow_incremental_sync = true },
  }
end

-- Whether the buffer's file has the buffer's text. Of a file that is not UTF-8 it is taken for granted while the
-- buffer has the version that symd saw.
local function is_in_file(bufnr, version)
  local encoding = vim.bo[bufnr].fileencoding
  if encoding ~= '' and encoding ~= 'utf-8' then
    return version ~= nil and version == vim.api.nvim_buf_get_changedtick(bufnr)
  end
  local file = io.open(vim.api.nvim_buf_get_name(bufnr), 'rb')
  if not file then
    return false
  end
  local content = file:read('*a'):gsub('^\239\187\191', '')
  file:close()
  local eol = vim.bo[bufnr].fileformat == 'dos' and '\r\n' or '\n'
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), eol)
  return content == text or content == text .. eol
end

-- Has Neovim read the buffer's file again if that is newer, as it does by itself when it gets the focus, and tells symd. An
-- error if the buffer is unsaved afterwards.
local function read_again(bufnr, uri)
  vim.api.nvim_buf_call(bufnr, function()
    local choice = vim.api.nvim_create_autocmd('FileChangedShell', {
      buffer = bufnr, once = true, command = 'let v:fcs_choice = "reload"',
    })
    vim.cmd('silent! checktime ' .. bufnr)
    pcall(vim.api.nvim_del_autocmd, choice)
    assert(not vim.bo[bufnr].modified, 'Neovim did not read the file again')
  end)
  notify('textDocument/didSave', { textDocument = { uri = uri } })
end

-- Reads the files of loaded buffers again. `why_not` is given a buffer and the place of its document among `uris`, and tells
-- what speaks against it, if anything does. Returns all that went wrong; nil if nothing did.
local function read_loaded_again(uris, why_not)
  local problems = {}
  for number, uri in ipairs(uris) do
    local bufnr = vim.uri_to_bufnr(uri)
    if vim.api.nvim_buf_is_loaded(bufnr) then
      local why = why_not(bufnr, number)
      if why then
        problems[#problems + 1] = uri .. why
      else
        local read, raised = pcall(read_again, bufnr, uri)
        if not read then
          problems[#problems + 1] = tostring(raised)
        end
      end
    end
  end
  return problems[1] and table.concat(problems, '; ')
end

-- Neovim begins a new entry of its undo list only when a key is typed: without this, `u` would take back all that agents made
-- meanwhile, and what was typed last before it.
function M.apply(problem, params, ...)
  for _, change in ipairs(params and params.edit.documentChanges or {}) do
    local bufnr = change.textDocument and vim.uri_to_bufnr(change.textDocument.uri)
    if bufnr and vim.api.nvim_buf_is_loaded(bufnr) then
      vim.api.nvim_buf_call(bufnr, function() vim.cmd('let &l:undolevels = &l:undolevels') end)
    end
  end
  return vim.lsp.handlers['workspace/applyEdit'](problem, params, ...)
end

-- symd asks for buffers to be saved whose text it has changed, and which had no other changes. Their files have
-- that text already, so nothing is written: Neovim reads it again, and then takes the buffer for saved. It would ask
-- before it writes, since the file is newer than what it read.
function M.save(_, params)
  local problem = read_loaded_again(params.uris, function(bufnr, number)
    if not is_in_file(bufnr, params.versions and params.versions[number]) then
      return ' was written by another program, or typed in'
    end
  end)
  return { saved = problem == nil, problem = problem }
end

-- symd asks for saved buffers to be read again whose files it has changed: those of which it does not know the encoding, and
-- those with line ends of both kinds, which Neovim would change.
function M.reload(_, params)
  local problem = read_loaded_again(params.uris, function(bufnr)
    return vim.bo[bufnr].modified and ' was typed in' or nil
  end)
  return { reloaded = problem == nil, problem = problem }
end

-- Asks the user, who answers with a whole word: keys that were meant for a buffer approve nothing. Without one of the
-- words, or with <Esc>, the question stays open where else it is asked.
function M.ask(_, params)
  local words = {}
  for _, action in ipairs(params.actions or {}) do
    words[#words + 1] = action.title
  end
  local prompt = params.message .. '\nWrite ' .. table.concat(words, ', ') .. ' and <Enter>: '
  for _ = 1, 3 do
    local ok, typed = pcall(vim.fn.input, { prompt = prompt, cancelreturn = '\27' })
    if not ok or typed == '\27' then
      break
    end
    for _, action in ipairs(params.actions or {}) do
      if vim.trim(typed):lower() == action.title:lower() then
        return action
      end
    end
  end
  return vim.NIL
end

-- Shows a message in one line: a longer one would wait for a key.
function M.show(_, params)
  local line = params.message:gsub('%s+', ' ')
  local room = math.max(20, vim.v.echospace)
  if vim.fn.strdisplaywidth(line) > room then
    line = vim.fn.strcharpart(line, 0, room - 3) .. '...'
  end
  local highlight = ({ 'ErrorMsg', 'WarningMsg' })[params.type] or 'None'
  vim.api.nvim_echo({ { line, highlight } }, true, {})
end

-- The column after `bytes` bytes of a line, in the units that symd and Neovim have agreed on: later versions count bytes.
local function column(text, bytes)
  local encoding = client() and client().offset_encoding or 'utf-16'
  if vim.fn.has('nvim-0.11') == 1 then
    return vim.str_utfindex(text, encoding, bytes, false)
  end
  local utf32, utf16 = vim.str_utfindex(text, bytes)
  return ({ ['utf-8'] = bytes, ['utf-16'] = utf16, ['utf-32'] = utf32 })[encoding]
end

local function selection()
  local mode = vim.fn.mode()
  if mode ~= 'v' and mode ~= 'V' then
    return nil
  end
  local from, to = vim.fn.getpos('v'), vim.fn.getpos('.')
  if from[2] > to[2] or (from[2] == to[2] and from[3] > to[3]) then
    from, to = to, from
  end
  local lines = vim.api.nvim_buf_get_lines(0, from[2] - 1, to[2], false)
  if #lines == 0 then
    return nil
  end
  local start, finish = from[3] - 1, math.min(to[3], #lines[#lines])
  if mode == 'V' then
    start, finish = 0, #lines[#lines]
  end
  local last = lines[#lines]
  local finish_character = column(last, finish)
  local start_character = column(lines[1], math.min(start, #lines[1]))
  lines[#lines] = last:sub(1, finish)
  lines[1] = lines[1]:sub(start + 1)
  return {
    range = {
      start = { line = from[2] - 1, character = start_character },
      ['end'] = { line = to[2] - 1, character = finish_character },
    },
    text = table.concat(lines, '\n'),
  }
end

-- A place whose column counts bytes, as symd is told it; the line of a buffer that is not loaded is unknown.
local function place(bufnr, line, bytes)
  local text = vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_lines(bufnr, line, line + 1, false)[1]
  return { line = line, character = text and column(text, math.min(bytes, #text)) or bytes }
end

-- Which file is shown, and where the cursor is; nil in a buffer without a file.
local function context()
  local bufnr = vim.api.nvim_get_current_buf()
  if not is_file(bufnr) then
    return nil
  end
  local row, bytes = unpack(vim.api.nvim_win_get_cursor(0))
  return {
    textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    position = place(bufnr, row - 1, bytes),
    selection = selection(),
    dirty = vim.bo[bufnr].modified,
    visibleRange = {
      start = { line = vim.fn.line('w0') - 1, character = 0 },
      ['end'] = { line = vim.fn.line('w$') - 1, character = 0 },
    },
  }
end

-- Tells symd which file is shown, and where the cursor is.
function M.push_context()
  local shown = context()
  if shown then
    notify('symd/didChangeEditorContext', shown)
  end
end

-- All diagnostics that the editor shows.
local function diagnostics()
  local by_uri, files = {}, {}
  for _, diagnostic in ipairs(vim.diagnostic.get(nil)) do
    if vim.api.nvim_buf_is_valid(diagnostic.bufnr) and is_file(diagnostic.bufnr) then
      local uri = vim.uri_from_bufnr(diagnostic.bufnr)
      if not by_uri[uri] then
        by_uri[uri] = { uri = uri, diagnostics = {} }
        table.insert(files, by_uri[uri])
      end
      local last, past = diagnostic.end_lnum or diagnostic.lnum, diagnostic.end_col or diagnostic.col
      table.insert(by_uri[uri].diagnostics, {
        range = {
          start = place(diagnostic.bufnr, diagnostic.lnum, diagnostic.col),
          ['end'] = place(diagnostic.bufnr, last, past),
        },
        severity = diagnostic.severity,
        message = diagnostic.message,
        source = diagnostic.source,
      })
    end
  end
  return { files = files }
end

-- Tells symd all diagnostics that the editor shows.
function M.push_diagnostics()
  notify('symd/didChangeEditorDiagnostics', diagnostics())
end

-- The terminal buffer that wrote last.
local last_terminal = nil

-- The last lines of a terminal buffer; nil if there is none.
local function terminal_tail(bufnr)
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) then
    return nil
  end
  -- The screen ends in empty lines below what was written.
  local last = vim.api.nvim_buf_line_count(bufnr)
  while last > 0 and vim.api.nvim_buf_get_lines(bufnr, last - 1, last, false)[1] == '' do
    last = last - 1
  end
  return { lines = vim.api.nvim_buf_get_lines(bufnr, math.max(0, last - 50), last, false) }
end

-- Answers symd's question what the editor shows now.
function M.editor_context()
  local shown = context() or vim.empty_dict()
  shown.diagnostics = diagnostics()
  shown.terminal = terminal_tail(last_terminal)
  return shown
end

-- Tells symd the last lines of the terminal buffer `bufnr`.
function M.push_terminal(bufnr)
  last_terminal = bufnr
  local tail = terminal_tail(bufnr)
  if tail then
    notify('symd/terminalTail', tail)
  end
end

-- Tells symd what a terminal shows while its program runs, such as a server: not at each of its writes.
local function follow_terminal(bufnr)
  local is_due = false
  vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = function()
      last_terminal = bufnr
      if not is_due then
        is_due = true
        vim.defer_fn(function()
          is_due = false
          if last_terminal == bufnr then
            M.push_terminal(bufnr)
          end
        end, 300)
      end
    end,
  })
end

-- The language of each attached buffer, as symd was told it.
local told = {}

-- Whether the last line of each attached buffer has an end, as symd was told.
local told_eol = {}

-- The URI under which each loaded buffer was first attached: Neovim closes and reloads it under this one, even after a rename, and
-- after symd has ended and was started again.
local closed_as = {}

local function attach_client(bufnr)
  if M.client_id and is_file(bufnr) and not vim.lsp.buf_is_attached(bufnr, M.client_id) then
    told[bufnr], told_eol[bufnr] = vim.bo[bufnr].filetype, vim.bo[bufnr].eol
    closed_as[bufnr] = closed_as[bufnr] or vim.uri_from_bufnr(bufnr)
    vim.lsp.buf_attach_client(bufnr, M.client_id)
  end
end

-- Attaches a buffer that shows a file. Starts the client with the first one, or when it has ended: then for all buffers.
function M.attach(bufnr)
  if not is_file(bufnr) or not M.options.start then
    return
  end
  if not M.is_connected() then
    if vim.fn.has('nvim-0.11') == 1 then
      M.client_id = vim.lsp.start(M.config(), { attach = false })
    else
      M.client_id = vim.lsp.start_client(M.config())
    end
    vim.tbl_map(attach_client, vim.api.nvim_list_bufs())
  end
  attach_client(bufnr)
end

local function whole_text(bufnr, has_end)
  told_eol[bufnr] = has_end
  local eol = ({ dos = '\r\n', mac = '\r' })[vim.bo[bufnr].fileformat] or '\n'
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), eol)
  return has_end and text .. eol or text
end

-- Tells symd the text of a buffer, in place of the document `old`.
local function reopen(bufnr, old)
  notify('textDocument/didClose', { textDocument = { uri = old } })
  if not is_file(bufnr) then
    return
  end
  told[bufnr] = vim.bo[bufnr].filetype
  notify('textDocument/didOpen', {
    textDocument = {
      uri = vim.uri_from_bufnr(bufnr),
      languageId = told[bufnr],
      version = vim.api.nvim_buf_get_changedtick(bufnr),
      text = whole_text(bufnr, told_eol[bufnr] or vim.bo[bufnr].eol),
    },
  })
end

local function is_attached(bufnr)
  return client() and vim.lsp.buf_is_attached(bufnr, M.client_id)
end

-- Neovim finds out the language of a file after it has told servers of the file, or is told it by its user.
local function after_filetype(event)
  if is_attached(event.buf) and told[event.buf] and told[event.buf] ~= vim.bo[event.buf].filetype then
    reopen(event.buf, vim.uri_from_bufnr(event.buf))
  end
  M.push_navigation()
end

-- Whether two paths lead to one file.
local function is_same_file(one, other)
  return one == other or vim.loop.fs_realpath(one) == (vim.loop.fs_realpath(other) or false)
end

-- Tells symd the whole text of a buffer.
local function tell_whole(bufnr, has_end)
  if is_attached(bufnr) then
    notify('textDocument/didChange', {
      textDocument = { uri = vim.uri_from_bufnr(bufnr), version = vim.api.nvim_buf_get_changedtick(bufnr) },
      contentChanges = { { text = whole_text(bufnr, has_end) } },
    })
  end
end

-- Buffers that got another name and were not written since.
local renamed = {}

-- When Neovim writes a file it ends its last line ('fixeol'), and tells no server of that. A buffer that is written to another
-- file (`:write other`) stays as it is.
local function after_write(event)
  local bufnr = event.buf
  if not is_same_file(event.match, vim.api.nvim_buf_get_name(bufnr)) then
    return
  end
  if not is_attached(bufnr) then
    -- A buffer without a name got one with its first write, of which no other event tells.
    return M.attach(bufnr)
  end
  local options = vim.bo[bufnr]
  local has_end = options.eol or (options.fixeol and not options.binary)
  local is_new = renamed[bufnr]
  renamed[bufnr] = nil
  if told_eol[bufnr] ~= has_end then
    tell_whole(bufnr, has_end)
  end
  if is_new and has_end and not options.eol then
    -- 0.11 tells the text of a renamed buffer itself when that is written, without the end.
    vim.schedule(function() tell_whole(bufnr, has_end) end)
  end
end

-- A buffer got another name: symd is told the text under the new one, and, if the file was renamed with it, that too.
local names = {}
local function before_rename(event)
  names[event.buf] = vim.api.nvim_buf_get_name(event.buf)
end
local function after_rename(event)
  local old, new = names[event.buf], vim.api.nvim_buf_get_name(event.buf)
  names[event.buf] = nil
  if not old or old == '' or old == new or not is_attached(event.buf) then
    return M.attach(event.buf)
  end
  reopen(event.buf, vim.uri_from_fname(old))
  renamed[event.buf] = true
  if vim.fn.filereadable(old) == 0 and vim.fn.filereadable(new) == 1 then
    local files = { { oldUri = vim.uri_from_fname(old), newUri = vim.uri_from_bufnr(event.buf) } }
    notify('workspace/didRenameFiles', { files = files })
  end
end

-- Opens again the buffer that has by now the first name of `bufnr`, `closed`, under which Neovim closed that one.
local function restore(bufnr, closed)
  vim.schedule(function()
    for _, other in ipairs(vim.api.nvim_list_bufs()) do
      if other ~= bufnr and is_file(other) and is_attached(other) and vim.uri_from_bufnr(other) == closed then
        reopen(other, closed)
      end
    end
  end)
end

-- Closes a renamed buffer under its present name. Neovim closes it under its first name, which another buffer may have by now; that
-- one is opened again. 0.11 closes it under its present name itself.
local function after_unload(event)
  local bufnr, closed = event.buf, closed_as[event.buf]
  closed_as[bufnr] = nil
  if vim.fn.has('nvim-0.11') == 1 or not closed or closed == vim.uri_from_bufnr(bufnr) then
    return
  end
  notify('textDocument/didClose', { textDocument = { uri = vim.uri_from_bufnr(bufnr) } })
  restore(bufnr, closed)
end

-- Neovim reloads a renamed buffer so: it closes the first name and opens the present one.
local function after_read(event)
  local bufnr = event.buf
  M.attach(bufnr)
  local closed = closed_as[bufnr]
  if closed and is_attached(bufnr) and closed ~= vim.uri_from_bufnr(bufnr) then
    restore(bufnr, closed)
  end
end

local function command(name, argument)
  local running = client()
  if not running then
    vim.notify('symd is not running: open a file of a project')
    return nil
  end
  vim.wait(10000, function() return running.initialized end, 5)
  local given = vim.tbl_extend('keep', argument or vim.empty_dict(), {})
  local bufnr = vim.api.nvim_get_current_buf()
  if is_file(bufnr) then
    -- The project of the file that is shown is meant: each has edits of its own with the same numbers.
    given.uri = vim.uri_from_bufnr(bufnr)
  end
  local params = { command = name, arguments = { given } }
  local answer, problem = call(running, 'request_sync', 'workspace/executeCommand', params, 20000, 0)
  if not answer or answer.err then
    vim.notify(problem or answer.err.message, vim.log.levels.ERROR)
    return nil
  end
  return answer.result
end
M.command = command

-- Shows lines in a window of their own, whose buffer goes with it.
local function show_lines(lines)
  vim.cmd('new')
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'wipe', false
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
end

function M.setup(options)
  M.options = vim.tbl_extend('force', M.options, options or {})
  local group = vim.api.nvim_create_augroup('symd', { clear = true })
  local on = function(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on({ 'BufReadPost', 'BufNewFile' }, after_read)
  on({ 'BufFilePre' }, before_rename)
  on({ 'BufFilePost' }, after_rename)
  on({ 'BufUnload' }, after_unload)
  on({ 'BufEnter', 'CursorMoved', 'CursorMovedI', 'BufWritePost' }, M.push_context)
  on({ 'FileType' }, after_filetype)
  on({ 'BufWritePost' }, after_write)
  on({ 'BufEnter', 'CursorHold' }, M.push_navigation)
  -- The first that 0.7 tells of another server may be its diagnostics; later versions tell when it is attached or gone.
  if vim.fn.exists('##LspAttach') == 1 then
    on({ 'LspAttach', 'LspDetach' }, vim.schedule_wrap(M.push_navigation))
  else
    on({ 'DiagnosticChanged' }, M.push_navigation)
  end
  on({ 'DiagnosticChanged' }, M.push_diagnostics)
  on({ 'TermOpen' }, function(event) follow_terminal(event.buf) end)
  on({ 'TermLeave', 'TermClose' }, function(event) M.push_terminal(event.buf) end)
  vim.api.nvim_create_user_command('SymdStatus', function()
    local status = command('symd.status')
    if status then
      print(('symd %s for %s: %d files, %d symbols'):format(status.version, status.root, status.files, status.symbols))
    end
  end, {})
  -- The last edit, or the one of that number.
  vim.api.nvim_create_user_command('SymdUndo', function(given)
    local id = tonumber(given.args)
    if given.args ~= '' and not id then
      vim.notify('SymdUndo: the number of an edit, not ' .. given.args, vim.log.levels.ERROR)
      return
    end
    command('symd.undo', id and { id = id } or nil)
  end, { nargs = '?' })
  vim.api.nvim_create_user_command('SymdRename', function(given)
    command('symd.rename', { name_path = given.fargs[1], new_name = given.fargs[2] })
  end, { nargs = '+' })
  vim.api.nvim_create_user_command('SymdRestartServer', function(given)
    command('symd.restartServer', { server = given.args })
  end, { nargs = 1 })
  vim.api.nvim_create_user_command('SymdHistory', function()
    local history = command('symd.history')
    if history and history.text then
      show_lines(vim.split(history.text, '\n'))
    end
  end, {})
  vim.api.nvim_create_user_command('SymdLog', function()
    local status = command('symd.status')
    if status then
      show_lines(vim.fn.systemlist({ M.options.cmd[1], '--project', status.root, 'logs' }))
    end
  end, {})
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    M.attach(bufnr)
  end
end

return M
