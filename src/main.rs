//! The `symd` program: everything it does is in the library.

fn main() -> std::process::ExitCode {
    symd::cli::main()
}
