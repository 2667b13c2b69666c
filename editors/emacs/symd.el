;;; symd.el --- symd as a language server of eglot -*- lexical-binding: t -*-

;; Eglot runs one server in a buffer: with this one agents see unsaved text, and symd's edits arrive in buffers, but
;; Emacs itself has no completion or navigation from it. Use it where you have no other server.

(require 'eglot)
(require 'url-util)

(add-to-list 'eglot-server-programs '(prog-mode . ("symd" "lsp")) t)

;; An agent waits while Emacs asks before each edit; nil makes its edits at once (`undo' takes them back).
;; (setq eglot-confirm-server-initiated-edits nil)

;; Eglot tells changes when Emacs was idle for this time; agents see them then.
(setq eglot-send-changes-idle-time 0.1)

(defun symd-command (command &optional argument)
  "Run a COMMAND of symd, such as \"symd.undo\", with ARGUMENT, a plist.
It concerns the project of the buffer's file: each project has edits of its
own with the same numbers."
  (let* ((file (and buffer-file-name (file-truename buffer-file-name)))
         (place (and file (list :uri (concat "file://" (url-hexify-string file url-path-allowed-chars)))))
         (arguments (vector (or (append argument place) (make-hash-table)))))
    (jsonrpc-request (eglot-current-server) :workspace/executeCommand (list :command command :arguments arguments))))

(defun symd-undo () "Undo symd's last edit." (interactive) (symd-command "symd.undo"))
(defun symd-history () "Show symd's last edits." (interactive) (symd-command "symd.history"))

(provide 'symd)
;;; symd.el ends here
