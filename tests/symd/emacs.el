;; Runs in Emacs in batch mode with Debian's eglot, against the real daemon: a client that is not symd's own. What the
;; test needs comes in the environment. Loads $SCRIPT, which writes what it saw to $REPORT, line by line.
(require 'eglot)
(setq symd (getenv "SYMD") eglot-confirm-server-initiated-edits nil eglot-send-changes-idle-time 0.05
      make-backup-files nil create-lockfiles nil eglot-sync-connect 30)
;; With the package, or as a client that knows nothing of symd.
(if (getenv "PACKAGE")
    (load (getenv "PACKAGE"))
  (add-to-list 'eglot-server-programs `(python-mode . (,symd "lsp"))))
(defun say (name value) (append-to-file (format "%s: %s\n" name (if value "true" "false")) nil (getenv "REPORT")))
;; Eglot tells changes when Emacs is idle, which it never is in batch mode.
(defun tell () (eglot--signal-textDocument/didChange))
(defun settle () (tell) (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand '(:command "symd.status")))
;; Runs a tool as an agent does, while the editor goes on.
(defvar the-agent nil)
(defun agent (tool arguments)
  (let* ((buffer (generate-new-buffer "agent"))
         (process (setq the-agent (make-process :name "agent" :buffer buffer :command (list symd "call" tool arguments)))))
    (set-process-sentinel process #'ignore)
    (while (process-live-p process) (accept-process-output nil 0.01) (tell))
    (accept-process-output process 0.05)
    (with-current-buffer buffer (buffer-string))))
(defun has (text part) (and (string-match-p (regexp-quote part) text) t))
(defun disk () (with-temp-buffer (insert-file-contents "a.py") (buffer-string)))
(find-file "a.py")
(python-mode)
(call-interactively (if (fboundp 'symd) #'symd #'eglot))
(settle)
(load (getenv "SCRIPT"))
