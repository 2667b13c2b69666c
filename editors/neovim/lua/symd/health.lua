-- :checkhealth symd
local M = {}
local health = vim.health or require('health')

function M.check()
  local start, ok = health.start or health.report_start, health.ok or health.report_ok
  local warn, err = health.warn or health.report_warn, health.error or health.report_error
  start('symd')
  local program = require('symd').options.cmd[1]
  if vim.fn.executable(program) == 1 then
    ok(vim.trim(vim.fn.system({ program, '--version' })))
  else
    err(program .. ' is not on PATH')
  end
  local id = require('symd').client_id
  if require('symd').is_connected() then
    ok('connected')
  elseif id then
    warn('not connected: `' .. table.concat(require('symd').options.cmd, ' ') .. '` has ended; the next file that is opened starts it')
  else
    ok('not connected: no file is open')
  end
end

return M
