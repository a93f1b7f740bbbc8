//! A run on other threads, as its caller watches and ends it.

use sealstone::{Asks, Error, Progress, Result, Settings};
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far work has come, and whether it is to end. Both sides look at it, and no one calls the other.
#[derive(Debug)]
pub struct Job {
    done: AtomicU64,
    /// `u64::MAX` while it is not known.
    total: AtomicU64,
    cancelled: AtomicBool,
}

impl Job {
    /// Ends the work soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Bytes that are done, and of how many, where that is known.
    pub fn progress(&self) -> impl Iterator<Item = u64> + use<> {
        let total = self.total.load(Ordering::Relaxed);
        iter::once(self.done.load(Ordering::Relaxed)).chain((total != u64::MAX).then_some(total))
    }

    pub(crate) fn show(&self, progress: Progress) {
        self.done.fetch_max(progress.done, Ordering::Relaxed);
        if let Some(total) = progress.total {
            self.total.store(total, Ordering::Relaxed);
        }
    }

    /// Shows how far an operation with these settings is, and ends it when the job is to end.
    pub(crate) fn watch(self: &Arc<Self>, settings: &mut Settings) {
        let (seen, ended) = (Arc::clone(self), Arc::clone(self));
        settings.set_progress(move |progress| seen.show(progress));
        settings.set_cancel(move || ended.is_cancelled());
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, done: usize) {
        self.done.fetch_add(done as u64, Ordering::Relaxed);
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// A job as its caller holds it. With it goes whoever wants the result, also where a worker thread of JavaScript's is ended in the
/// middle: then the work ends too, whatever it waits for.
#[derive(Debug)]
pub struct Wanted {
    job: Arc<Job>,
    lasts: AtomicBool,
}

impl Wanted {
    /// A job of which nothing is done.
    pub fn new() -> Self {
        let (done, total, cancelled) = (AtomicU64::new(0), AtomicU64::new(u64::MAX), AtomicBool::new(false));
        Self { job: Arc::new(Job { done, total, cancelled }), lasts: AtomicBool::new(false) }
    }

    /// The job at which the work looks.
    pub fn job(&self) -> Arc<Job> {
        Arc::clone(&self.job)
    }

    /// The same, which outlives its holder: in C a file that was begun goes on without the job's object.
    pub fn lasting_job(&self) -> Arc<Job> {
        self.lasts.store(true, Ordering::Relaxed);
        self.job()
    }
}

impl Default for Wanted {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Wanted {
    fn drop(&mut self) {
        if !*self.lasts.get_mut() {
            self.job.cancel();
        }
    }
}

/// The two callbacks of a builder, from a job.
macro_rules! watched {
    ($builder:expr, $job:expr) => {{
        let (seen, ended) = (std::sync::Arc::clone(&$job), std::sync::Arc::clone(&$job));
        $builder.on_progress(move |progress| seen.show(progress)).cancel_when(move || ended.is_cancelled())
    }};
}
pub(crate) use watched;

/// Steps of a derivation between two looks at its job: some milliseconds.
pub(crate) const DERIVING_STEPS: u32 = 4096;

/// Derives what a passphrase needs before `by` works on this file, in steps between which the job can end it. What is wrong with the file,
/// the work itself says.
pub(crate) fn derive_for(by: &impl Asks, job: &Job, file: &[u8]) -> Result<()> {
    while let Ok(Some(stretch)) = by.asked(file).map(|asked| asked.stretch) {
        let mut stretching = stretch.begin()?;
        while !stretching.step(DERIVING_STEPS) {
            job.check()?;
        }
        by.know(&stretch, &stretching.finish());
    }
    Ok(())
}
