;;; symd.el --- symd as a language server of eglot -*- lexical-binding: t -*-

;; Eglot runs one server in a buffer: with this one agents see unsaved text, and symd's edits arrive in buffers, but
;; Emacs itself has no completion or navigation from it. Use it where you have no other server.

(require 'eglot)
(require 'subr-x)
(require 'url-util)

;; What symd is told of this file, and what it asks of it.
(defclass eglot-symd (eglot-lsp-server) () :documentation "symd, for which Emacs saves buffers and reads changed files again.")

(cl-defmethod eglot-initialization-options ((_server eglot-symd))
  (list :symd (list :saves t :reloads t :editor (format "Emacs %s" emacs-version))))

(defun symd--read-again (file)
  "Read FILE again into its buffer if it is newer; return why not, or nil."
  (let ((buffer (find-buffer-visiting file)))
    (cond ((or (null buffer) (verify-visited-file-modtime buffer)) nil)
          ((buffer-modified-p buffer) (format "%s was typed in" (buffer-name buffer)))
          (t (condition-case problem
                 (progn (with-current-buffer buffer (revert-buffer t t t)) nil)
               (error (error-message-string problem)))))))

(defun symd--in-file-p (buffer)
  "Whether the file of BUFFER has its text."
  (with-current-buffer buffer
    (let ((file buffer-file-name) (coding-system-for-read buffer-file-coding-system))
      (with-temp-buffer
        (insert-file-contents file)
        (let ((copy (current-buffer)))
          (with-current-buffer buffer
            (save-restriction
              (widen)
              (zerop (let ((case-fold-search nil)) (compare-buffer-substrings buffer nil nil copy nil nil))))))))))

(defun symd--save (file)
  "Take the buffer of FILE for saved, whose text symd has written; return why not, or nil.
Nothing is written, so Emacs does not ask about a file that is newer, and
`undo' still takes the change back."
  (let ((buffer (find-buffer-visiting file)))
    (cond ((null buffer) (format "%s is not open" file))
          ((not (symd--in-file-p buffer))
           (format "%s was written by another program, or typed in" (buffer-name buffer)))
          (t (with-current-buffer buffer
               (set-visited-file-modtime)
               (set-buffer-modified-p nil)
               (eglot--signal-textDocument/didSave))
             nil))))

(cl-defmethod eglot-handle-request ((_server eglot-symd) (_method (eql symd/save)) &key uris &allow-other-keys)
  "Take the buffers of URIS for saved, in which Emacs has made symd's changes."
  (let* ((path (if (fboundp 'eglot-uri-to-path) 'eglot-uri-to-path 'eglot--uri-to-path))
         (problems (delq nil (mapcar (lambda (uri) (symd--save (funcall path uri))) uris))))
    (if problems (list :saved :json-false :problem (string-join problems "; ")) (list :saved t))))

(cl-defmethod eglot-handle-request ((_server eglot-symd) (_method (eql symd/reload)) &key uris &allow-other-keys)
  "Read the changed files of URIS again: Emacs does not by itself."
  (let* ((path (if (fboundp 'eglot-uri-to-path) 'eglot-uri-to-path 'eglot--uri-to-path))
         (problems (delq nil (mapcar (lambda (uri) (symd--read-again (funcall path uri))) uris))))
    (if problems (list :reloaded :json-false :problem (string-join problems "; ")) (list :reloaded t))))

(defun symd--in-buffers (server work)
  "Call WORK in each buffer of SERVER."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (and (eglot-managed-p) (eq (eglot-current-server) server))
        (funcall work)))))

(cl-defmethod eglot-handle-request :before ((server eglot-symd) (_method (eql workspace/applyEdit)) &rest _)
  "Have `undo' take back one edit: Emacs sets no boundary between edits that come without a command of its user."
  (symd--in-buffers server #'undo-boundary))

(cl-defmethod eglot-handle-request :after ((server eglot-symd) (_method (eql workspace/applyEdit)) &rest _)
  "Tell SERVER the changed texts at once: eglot waits until Emacs is idle, which it is not while it waits for a command of symd's."
  (symd--in-buffers server #'eglot--signal-textDocument/didChange))

;; For languages of which eglot knows no server.
(add-to-list 'eglot-server-programs '(prog-mode . (eglot-symd "symd" "lsp")) t)

(defun symd ()
  "Connect the buffers of this project and mode to symd, whatever other servers eglot knows."
  (interactive)
  (let ((eglot-server-programs '((prog-mode . (eglot-symd "symd" "lsp")))))
    (call-interactively #'eglot)))

;; An agent waits while Emacs asks before each edit, of saved buffers too; nil makes its edits at once (`undo' takes them back).
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
