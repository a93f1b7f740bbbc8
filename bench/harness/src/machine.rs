//! What the run ran on.

use crate::record::Machine;
use std::process::Command;

/// Features of CPUs that decide about cryptography.
const FEATURES: [&str; 14] = [
    "aes",
    "pclmulqdq",
    "sha_ni",
    "avx2",
    "bmi2",
    "adx",
    "gfni",
    "vaes",
    "vpclmulqdq",
    "avx512f",
    "avx512bw",
    "avx512ifma",
    "asimd",
    "sha2",
];

/// Asks the system.
pub fn describe() -> Machine {
    let cpuinfo = read("/proc/cpuinfo");
    let field = |name: &str| {
        let line = cpuinfo.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    };
    let flags = field("flags") + " " + &field("Features");
    let flags: Vec<_> = flags.split(' ').collect();
    let memory = read("/proc/meminfo");
    let kilobytes = memory.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok());
    Machine {
        cpu: field("model name"),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        features: FEATURES.iter().filter(|feature| flags.contains(feature)).map(ToString::to_string).collect(),
        kernel: format!("Linux {}", read("/proc/sys/kernel/osrelease").trim()),
        memory_bytes: kilobytes.unwrap_or(0) * 1024,
        is_virtual: flags.contains(&"hypervisor"),
        governor: match read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").trim() {
            "" => "unknown".to_owned(),
            governor => governor.to_owned(),
        },
        rustc: first_line("rustc", &["--version"]),
        cc: first_line("cc", &["--version"]),
    }
}

/// The machine as a folder's name.
pub fn folder_name(machine: &Machine) -> String {
    let words = machine.cpu.to_lowercase();
    let words: Vec<_> = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name = if words.is_empty() { "unknown".to_owned() } else { words.join("-") };
    format!("{name}-{}-cores", machine.cores)
}

/// Time that the hypervisor gave to others, and all time, in ticks of all CPUs.
pub fn stolen_time() -> (u64, u64) {
    let stat = read("/proc/stat");
    let ticks: Vec<u64> = stat
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .skip(1)
        .take(8)
        .filter_map(|number| number.parse().ok())
        .collect();
    (ticks.get(7).copied().unwrap_or(0), ticks.iter().sum())
}

/// The date of a second since 1970, as `2026-11-21`.
pub fn date(seconds: u64) -> String {
    // Howard Hinnant's days_to_civil: years begin in March, so that a leap day ends one.
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn first_line(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let said = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    said.lines().next().unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_795_219_200, "2026-11-21"),
            (4_107_542_399, "2100-02-28"),
        ] {
            assert_eq!(date(seconds), expected);
        }
    }

    #[test]
    fn a_folder_name_is_plain() {
        let machine = Machine { cpu: "AMD EPYC(TM) 7-Core".into(), cores: 2, ..describe() };
        assert_eq!(folder_name(&machine), "amd-epyc-tm-7-core-2-cores");
    }
}
