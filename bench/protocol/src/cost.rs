//! What a stretch of work costs: time, processor time of all threads, memory.

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// A stretch that has begun.
pub(crate) struct Stretch {
    wall: Instant,
    cpu: Duration,
}

impl Stretch {
    pub(crate) fn begin() -> Self {
        let cpu = cpu();
        Self { wall: Instant::now(), cpu }
    }

    /// Time, and processor time, since it began.
    pub(crate) fn end(&self) -> (Duration, Duration) {
        let wall = self.wall.elapsed();
        (wall, cpu().saturating_sub(self.cpu))
    }
}

fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.cast_unsigned(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// From here on the peak is counted anew. Where the kernel does not allow it, it is that of the whole process, which
/// is more.
pub(crate) fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The peak resident set in bytes.
pub(crate) fn peak_bytes() -> Result<u64, String> {
    let path = "/proc/self/status";
    let status = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB")?.trim().parse().ok());
    kib.map(|kib: u64| kib * 1024).ok_or_else(|| format!("{path} has no VmHWM"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_of_work_costs_both_times() {
        let stretch = Stretch::begin();
        let mut sum = 0_u64;
        while stretch.wall.elapsed() < Duration::from_millis(20) {
            sum = std::hint::black_box(sum + 1);
        }
        let (wall, cpu) = stretch.end();
        assert!(wall >= Duration::from_millis(20) && cpu > Duration::ZERO, "{wall:?} {cpu:?}");
    }

    #[test]
    fn the_peak_has_what_is_touched() {
        const LEN: usize = 64 << 20;
        reset_peak();
        let before = peak_bytes().unwrap();
        // Alive until the peak is read: another test may reset it at any time.
        let touched = std::hint::black_box(vec![1_u8; LEN]);
        let after = peak_bytes().unwrap();
        drop(touched);
        assert!(after >= before + LEN as u64 / 2, "{before} {after}");
    }
}
