//! The Zed extension: starts `symd lsp` for open files and `symd mcp` for Zed's agent. `symd` is looked up on PATH.

use zed_extension_api::{
    register_extension, Command, ContextServerId, Extension, LanguageServerId, Project, Result, Worktree,
};

struct SymdExtension;

impl Extension for SymdExtension {
    fn new() -> SymdExtension {
        SymdExtension
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let symd = worktree.which("symd").ok_or("symd is not on PATH; install it, then restart the server")?;
        Ok(Command { command: symd, args: vec!["lsp".to_owned()], env: worktree.shell_env() })
    }

    fn context_server_command(&mut self, _: &ContextServerId, _: &Project) -> Result<Command> {
        Ok(Command { command: "symd".to_owned(), args: vec!["mcp".to_owned()], env: Vec::new() })
    }
}

register_extension!(SymdExtension);
