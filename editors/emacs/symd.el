;;; symd.el --- symd as a language server of eglot -*- lexical-binding: t -*-

;; Eglot runs one server in a buffer: with this one agents see unsaved text, and symd's edits arrive in buffers, but
;; Emacs itself has no completion or navigation from it. Use it where you have no other server.

(require 'eglot)

(add-to-list 'eglot-server-programs '(prog-mode . ("symd" "lsp")) t)

;; An agent waits while Emacs asks before each edit; nil makes its edits at once (`undo' takes them back).
;; (setq eglot-confirm-server-initiated-edits nil)

;; Eglot tells changes when Emacs was idle for this time; agents see them then.
(setq eglot-send-changes-idle-time 0.1)

(defun symd-command (command &optional argument)
  "Run a COMMAND of symd, such as \"symd.undo\", with ARGUMENT, a plist."
  (let ((arguments (vector (or argument (make-hash-table)))))
    (jsonrpc-request (eglot-current-server) :workspace/executeCommand (list :command command :arguments arguments))))

(defun symd-undo () "Undo symd's last edit." (interactive) (symd-command "symd.undo"))
(defun symd-history () "Show symd's last edits." (interactive) (symd-command "symd.history"))

(provide 'symd)
;;; symd.el ends here
