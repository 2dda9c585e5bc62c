//! What works on this machine, found by trying it.

use std::sync::OnceLock;

use crate::level::Level;
use crate::trial::Why;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The highest level that works.
    pub level: Level,
    /// Higher ones, highest first.
    pub tried: Vec<Tried>,
    /// Why nothing could be tried at all, if so: then nobody knows what works.
    pub unsure: Option<String>,
}

/// A level that does not work here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    pub level: Level,
    /// Why, as one line.
    pub why: String,
}

/// Returns the highest level that works here, having tried it with a command that breaks the rules. Done once in the
/// life of a process.
pub fn probe() -> &'static Probe {
    static PROBE: OnceLock<Probe> = OnceLock::new();
    PROBE.get_or_init(|| {
        let (mut tried, mut unsure) = (Vec::new(), None);
        for level in [Level::Namespaces, Level::Bubblewrap, Level::Landlock] {
            match crate::trial::try_out(level) {
                Ok(()) => {
                    return Probe {
                        level,
                        tried,
                        unsure: None,
                    };
                }
                Err(Why::Fails(why)) => tried.push(Tried { level, why }),
                Err(Why::Untried(why)) => {
                    unsure = Some(why.clone());
                    tried.push(Tried { level, why });
                }
            }
        }
        Probe {
            level: Level::None,
            tried,
            unsure,
        }
    })
}
