//! `symd approvals`: policies and rules.

use clap::{Subcommand, ValueEnum};

use crate::config::approvals::Policy;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ApprovalsCommand {
    /// Show policies and rules, the project's own included
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show or set the policy for the calls of a toolset, or of one of its tools
    #[command(after_help = "Examples:
  symd approvals policy cli_agent allow              all its tools, commands and network included
  symd approvals policy serena/create_text_file ask  one tool; overrides the toolset's policy
  symd approvals policy cli_agent default            removes the policy that was set

A policy applies in every project and to every client, including programs in a sandbox that reach the socket, from the
next call on. A project's .symd/approvals.toml can only add `ask` and `deny`.")]
    Policy {
        /// The toolset, or the tool
        #[arg(value_name = "TOOLSET|TOOLSET/TOOL")]
        subject: String,
        /// The policy for its calls
        policy: Option<PolicyWord>,
    },
    /// Add a rule: by default, calls of a tool whose arguments match a regular expression run without asking
    #[command(after_help = "Examples:
  symd approvals add create_file '^{\"path\":\"docs/.*\\.md\"'
  symd approvals add run_in_terminal '^{\"command\":\"git status\"}$' --toolset cli_agent --expires 2h

The expression (of Rust's regex crate) is searched in the call's arguments as compact JSON with sorted keys, without
the defaults of absent ones; a `{` that does not begin a repetition is an ordinary character.")]
    Add {
        /// The tool's name
        tool: String,
        /// The regular expression
        pattern: String,
        /// Only in this toolset [default: in any that has the tool]
        #[arg(long)]
        toolset: Option<String>,
        /// Only in this project [default: in any]
        #[arg(long)]
        here: bool,
        /// For how long: 30m, 2h, 7d [default: for ever]
        #[arg(long, value_name = "DURATION")]
        expires: Option<String>,
        /// The policy for these calls; `ask` and `deny` restrict what is otherwise allowed
        #[arg(long, default_value = "allow")]
        policy: RulePolicy,
    },
    /// Enable a disabled rule
    Enable {
        /// Its number, from `symd approvals list`
        id: u64,
    },
    /// Disable a rule without removing it
    Disable {
        /// Its number
        id: u64,
    },
    /// Remove a rule
    Revoke {
        /// Its number
        id: u64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum PolicyWord {
    /// They run
    Allow,
    /// The user is asked
    Ask,
    /// They are refused
    Deny,
    /// The toolset's default
    Default,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum RulePolicy {
    /// They run
    Allow,
    /// The user is asked each time
    Ask,
    /// They are refused
    Deny,
}

impl From<RulePolicy> for Policy {
    fn from(word: RulePolicy) -> Policy {
        match word {
            RulePolicy::Allow => Policy::Allow,
            RulePolicy::Ask => Policy::Ask,
            RulePolicy::Deny => Policy::Deny,
        }
    }
}
