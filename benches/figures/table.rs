//! The table: a row per figure, with the value it is compared with.

use std::time::Duration;

#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<[String; 5]>,
}

impl Table {
    /// Adds a row: tree, figure, measured value, value for comparison, target.
    pub(crate) fn row(&mut self, tree: &str, figure: &str, measured: String, against: String, target: &str) {
        eprintln!("  {figure}: {measured} ({against}; target {target})");
        self.rows.push([tree.to_owned(), figure.to_owned(), measured, against, target.to_owned()]);
    }

    pub(crate) fn print(&self, arguments: &[String]) {
        let names: Vec<&str> = arguments.iter().map(|tree| tree.rsplit('/').next().unwrap_or(tree)).collect();
        println!("Measured {} on {}, {}.", today(), machine(), kernel());
        println!("Command: `cargo bench --bench figures -- {}`\n", names.join(" "));
        println!("| tree | figure | measured | compared with | target |");
        println!("|---|---|---|---|---|");
        for row in &self.rows {
            println!("| {} |", row.join(" | "));
        }
    }
}

pub(crate) fn ms(duration: Duration) -> String {
    let value = duration.as_secs_f64() * 1e3;
    if value < 10.0 { format!("{value:.2} ms") } else { format!("{value:.0} ms") }
}

/// Returns the median and the 99th percentile.
pub(crate) fn percentiles(samples: Vec<Duration>) -> (Duration, Duration) {
    let [p50, p99] = percentiles_of([50, 99], samples);
    (p50, p99)
}

/// Returns the given percentiles.
pub(crate) fn percentiles_of<const N: usize>(parts: [usize; N], mut samples: Vec<Duration>) -> [Duration; N] {
    samples.sort();
    parts.map(|part| samples[((samples.len() - 1) * part) / 100])
}

pub(crate) fn median(samples: Vec<Duration>) -> Duration {
    percentiles(samples).0
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = std::process::Command::new(program).args(arguments).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

fn today() -> String {
    output("date", &["-u", "+%Y-%m-%d"])
}

fn kernel() -> String {
    format!("Linux {}", output("uname", &["-r"]).split('-').next().unwrap_or(""))
}

fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cores} cores of {}", model.unwrap_or("an unnamed processor"))
}
