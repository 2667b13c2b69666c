"""A project of two files, and a call of each tool of native's listings on it: what a client from outside is tried with."""

LIB = 'def side() -> int:\n    """The length of a side."""\n    return 2\n\n\ndef unused() -> int:\n    return 1\n'
USE = "from lib import side\n\n\ndef total() -> int:\n    return side() + 1\n"
PATCH = "*** Begin Patch\n*** Update File: use.py\n@@\n-    return side() + 1\n+    return side() + 2\n*** End Patch\n"

# A call of each tool, and a part of its answer. Without a language server the answer says so.
CALLS = {
    "overview": ({"path": "lib.py"}, "function side"),
    "find_symbol": ({"name_path": ["side", "total"], "body": True}, "return 2"),
    "references": ({"name_path": "side"}, "use.py"),
    "explore": ({"name_path": ["side", "total"]}, "called by"),
    "impact": ({"name_path": "side", "change": "removal"}, "direct: "),
    "definition": ({"path": "use.py", "line": 5, "name": "side"}, "The length of a side."),
    "search": ({"pattern": "return side"}, "use.py"),
    "diagnostics": ({"path": "use.py"}, "use.py"),
    "rename": ({"name_path": "total", "new_name": "sum_up", "dry_run": True}, "+def sum_up"),
    "replace_symbol_body": ({"name_path": "total", "body": "def total() -> int:\n    return side()\n"}, "operation"),
    "undo": ({}, "use.py"),
    "insert_symbol": ({"name_path": "total", "body": "def more() -> int:\n    return 3\n"}, "operation"),
    "safe_delete": ({"name_path": "unused", "dry_run": True}, "-def unused"),
    "apply_patch": ({"patch": PATCH, "dry_run": True}, "+    return side() + 2"),
    "code_actions": ({"path": "use.py", "start_line": 1}, ""),
    "read_file": ({"relative_path": "lib.py"}, "def side"),
    "history": ({}, "operation"),
}
NEED_SERVER = {"diagnostics", "code_actions"}
