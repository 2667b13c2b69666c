-- Runs in Neovim, headless: the package in editors/neovim, against the real daemon. `arg` is not available
-- there, so what the test needs comes in variables of the environment. Writes what it saw to $REPORT, line by line.
local symd = vim.env.SYMD
vim.opt.runtimepath:append(vim.env.PACKAGE)
local report = io.open(vim.env.REPORT, 'w')
local function say(name, value)
  -- The report leaves out Neovim's version.
  local text = tostring(value):gsub('Neovim %d[%w.+-]*', 'Neovim')
  report:write(name, ': ', text, '\n')
  report:flush()
end
-- Runs a tool as an agent does, while the editor goes on.
local function agent(tool, arguments)
  local text, exit = '', nil
  local collect = function(_, lines) text = text .. table.concat(lines, '\n') end
  vim.fn.jobstart({ symd, 'call', tool, vim.json.encode(arguments) }, {
    stdout_buffered = true, on_stdout = collect, stderr_buffered = true, on_stderr = collect,
    on_exit = function(_, code) exit = code end,
  })
  vim.wait(60000, function() return exit ~= nil end, 2)
  return text, exit
end
local package = require('symd')
if vim.env.BEFORE then
  loadstring(vim.env.BEFORE)()
else
  package.setup({ cmd = { symd, 'lsp' } })
  vim.cmd('edit a.py')
end
-- Everything that was sent before has reached the daemon when this is answered.
local function settle()
  return package.command('symd.status')
end
local function put(file, text)
  local handle = io.open(file, 'wb')
  handle:write(text)
  handle:close()
end
local function get(file)
  local handle = io.open(file, 'rb')
  local text = handle:read('*a')
  handle:close()
  return text
end
local function edit(file, from, to)
  return agent('replace_content', { relative_path = file, needle = from, repl = to, mode = 'literal' })
end
-- The text in front, its lines joined by `|`.
local function buffer()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '|')
end
-- How an agent's answer marks the file.
local function mark(file)
  return agent('read_file', { relative_path = file }):match('%[unsaved.*%]') or 'saved'
end
_G.T = {
  say = say, agent = agent, settle = settle, package = package, put = put, get = get, edit = edit, mark = mark, buffer = buffer,
}
say('symd', settle() ~= nil)
dofile(vim.env.SCRIPT)
report:close()
vim.cmd('qall!')
