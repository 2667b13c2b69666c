-- :checkhealth symd
local M = {}
local health = vim.health or require('health')

function M.check()
  local start, ok, err = health.start or health.report_start, health.ok or health.report_ok, health.error or health.report_error
  start('symd')
  local program = require('symd').options.cmd[1]
  if vim.fn.executable(program) == 1 then
    ok(vim.trim(vim.fn.system({ program, '--version' })))
  else
    err(program .. ' is not on PATH')
  end
  local client = require('symd').client_id and vim.lsp.get_client_by_id(require('symd').client_id)
  if client then
    ok('connected')
  else
    ok('not connected: no file of a project is open')
  end
end

return M
