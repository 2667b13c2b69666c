-- For Neovim 0.11 and later: vim.lsp.enable('symd'). The commands and the cursor need require('symd').setup().
return {
  cmd = { 'symd', 'lsp' },
  handlers = {
    ['symd/editorContext'] = function() return require('symd').editor_context() end,
    ['symd/save'] = function(...) return require('symd').save(...) end,
    ['window/showMessageRequest'] = function(...) return require('symd').ask(...) end,
    ['window/showMessage'] = function(...) return require('symd').show(...) end,
  },
}
