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

/// Of these, those by whose name a machine's folder tells apart what its CPU computes with.
const NAMED: [(&str, &str); 3] = [("vaes", "vaes"), ("gfni", "gfni"), ("avx512f", "avx512")];

/// Vendors by what `/proc/cpuinfo` calls them.
const VENDORS: [(&str, &str); 5] =
    [("AuthenticAMD", "amd"), ("GenuineIntel", "intel"), ("0x41", "arm"), ("0x61", "apple"), ("0xc0", "ampere")];

/// Asks the system.
pub fn describe() -> Machine {
    let cpu = Cpu::of(&read("/proc/cpuinfo"));
    let memory = read("/proc/meminfo");
    let kilobytes = memory.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok());
    Machine {
        is_virtual: cpu.flags.iter().any(|flag| flag == "hypervisor"),
        features: FEATURES
            .into_iter()
            .filter(|name| cpu.flags.iter().any(|flag| flag == name))
            .map(Into::into)
            .collect(),
        cpu: cpu.name,
        vendor: cpu.vendor,
        family: cpu.family,
        model: cpu.model,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        kernel: format!("Linux {}", read("/proc/sys/kernel/osrelease").trim()),
        memory_bytes: kilobytes.unwrap_or(0) * 1024,
        governor: match read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").trim() {
            "" => "unknown".to_owned(),
            governor => governor.to_owned(),
        },
        rustc: first_line("rustc", &["--version"]),
        cc: first_line("cc", &["--version"]),
    }
}

/// What `/proc/cpuinfo` says of the first CPU.
struct Cpu {
    name: String,
    vendor: String,
    family: String,
    model: String,
    flags: Vec<String>,
}

impl Cpu {
    fn of(cpuinfo: &str) -> Self {
        // x86 has the first of two names, and ARM the second.
        let field = |names: [&str; 2]| {
            let fields = cpuinfo.lines().filter_map(|line| line.split_once(':'));
            let named = fields.filter(|(name, _)| names.contains(&name.trim()));
            named.map(|(_, value)| value.trim().to_owned()).next().unwrap_or_default()
        };
        let vendor = field(["vendor_id", "CPU implementer"]);
        let known = VENDORS.iter().find(|(id, _)| *id == vendor);
        Self {
            name: field(["model name", "Hardware"]),
            vendor: known.map_or(vendor, |(_, name)| (*name).to_owned()),
            family: field(["cpu family", "CPU architecture"]),
            model: field(["model", "CPU part"]),
            flags: field(["flags", "Features"]).split(' ').map(str::to_owned).collect(),
        }
    }
}

/// The machine as a folder's name: what decides how fast it is. Clouds give CPUs of several generations one name.
pub fn folder_name(machine: &Machine) -> String {
    let Machine { cpu, vendor, family, model, cores, features, .. } = machine;
    let name = if family.is_empty() {
        cpu.clone()
    } else {
        let named = NAMED.iter().filter(|(feature, _)| features.iter().any(|one| one == feature));
        named.fold(format!("{vendor} family {family} model {model}"), |name, (_, word)| format!("{name} {word}"))
    };
    let words: Vec<_> = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name = if words.is_empty() { "unknown".to_owned() } else { words.join("-").to_lowercase() };
    format!("{name}-{cores}-cores")
}

/// Time that the hypervisor gave to others, and all time, in ticks of all CPUs: of `/proc/stat`, or of the file that
/// `BENCH_STAT` names. The harness's own tests name one, since where they run others may be busy.
pub fn stolen_time() -> (u64, u64) {
    let stat = read(&std::env::var("BENCH_STAT").unwrap_or_else(|_| "/proc/stat".to_owned()));
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

    /// A machine with this CPU.
    fn with(cpuinfo: &str) -> Machine {
        let Cpu { name, vendor, family, model, flags } = Cpu::of(cpuinfo);
        Machine { cpu: name, vendor, family, model, features: flags, cores: 2, ..describe() }
    }

    #[test]
    fn a_folder_name_tells_generations_of_one_name_apart() {
        let epyc = |family: u32, model: u32, flags: &str| {
            with(&format!(
                "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: {family}\nmodel\t\t: {model}\n\
                 model name\t: AMD EPYC\nflags\t\t: fpu {flags}\n"
            ))
        };
        let (older, newer) = (epyc(25, 1, "aes vaes"), epyc(25, 17, "aes vaes gfni avx512f avx512bw"));
        assert_eq!(folder_name(&older), "amd-family-25-model-1-vaes-2-cores");
        assert_eq!(folder_name(&newer), "amd-family-25-model-17-vaes-gfni-avx512-2-cores");
        assert!(older.is_same(&older) && !older.is_same(&newer));
        let hidden = epyc(25, 17, "aes");
        assert!(!newer.is_same(&hidden), "a hypervisor hides what the CPU has");
        let arm = "BogoMIPS\t: 243.75\nFeatures\t: fp asimd aes\nCPU implementer\t: 0x41\nCPU architecture: 8\n\
                   CPU variant\t: 0x3\nCPU part\t: 0xd0c\n";
        assert_eq!(folder_name(&with(arm)), "arm-family-8-model-0xd0c-2-cores");
    }

    #[test]
    fn records_without_a_generation_keep_their_folder() {
        let earlier = |cpu: &str| Machine {
            cpu: cpu.into(),
            cores: 2,
            vendor: String::new(),
            family: String::new(),
            model: String::new(),
            ..describe()
        };
        assert_eq!(folder_name(&earlier("AMD EPYC")), "amd-epyc-2-cores");
        assert_eq!(folder_name(&earlier("AMD EPYC(TM) 7-Core")), "amd-epyc-tm-7-core-2-cores");
        assert_eq!(folder_name(&earlier("")), "unknown-2-cores");
    }

    #[test]
    fn this_machine_says_what_decides_its_speed() {
        let here = describe();
        assert!(!here.vendor.is_empty() && !here.family.is_empty() && !here.model.is_empty(), "{here:?}");
    }
}
