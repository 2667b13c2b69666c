// A fuzz target, included by each file in `bin`: what must hold of the reader, or of the grammar, that the binary is named
// after. See docs/fuzzing.md.

use std::path::Path;

/// Where a run writes the inputs that it is to begin with, and ends.
const SEEDS: &str = "SYMD_FUZZ_SEEDS";

libfuzzer_sys::fuzz_target!(
    init: {
        if let Some(directory) = std::env::var_os(SEEDS) {
            for (number, bytes) in symd::properties::seeds(env!("CARGO_BIN_NAME")).iter().enumerate() {
                let path = Path::new(&directory).join(format!("seed_{number}"));
                std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            }
            std::process::exit(0);
        }
    },
    |bytes: &[u8]| symd::properties::check(env!("CARGO_BIN_NAME"), bytes)
);
