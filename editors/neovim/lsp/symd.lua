-- For Neovim 0.11 and later: vim.lsp.enable('symd'). The commands and the cursor need
-- require('symd').setup({ start = false }), which leaves the start to Neovim.
return require('symd').config()
