//! Graphs of steps that do nothing, as `signoff`, `ninja` and `make` spell them.

use std::fmt::Write as _;

/// What every step runs.
const COMMAND: &str = "/bin/true";
const LAYERS: usize = 10;
/// How many of the layer before a step waits for.
const DEPENDENCIES: usize = 3;

/// How steps wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Each for the one before.
    Chain,
    /// None for any.
    Wide,
    /// Ten layers, each for some of the layer before.
    Layered,
}

impl Shape {
    pub(super) const ALL: [Self; 3] = [Self::Chain, Self::Wide, Self::Layered];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Wide => "wide",
            Self::Layered => "layered",
        }
    }

    /// What a step waits for.
    fn waits_for(self, step: usize, steps: usize) -> Vec<usize> {
        match self {
            Self::Chain => step.checked_sub(1).into_iter().collect(),
            Self::Wide => Vec::new(),
            Self::Layered => {
                let width = steps.div_ceil(LAYERS);
                let Some(before) = (step / width).checked_sub(1) else {
                    return Vec::new();
                };
                let dependency = |n| before * width + (step * 7 + n * 13) % width;
                let mut waits_for: Vec<usize> = (0..DEPENDENCIES).map(dependency).collect();
                waits_for.sort_unstable();
                waits_for.dedup();
                waits_for
            }
        }
    }
}

/// Names of steps, each after a separator.
fn names(steps: impl IntoIterator<Item = usize>) -> String {
    let mut text = String::new();
    for step in steps {
        write!(text, " s{step}").expect("a string takes all");
    }
    text
}

/// A toolplan of check steps.
pub(crate) fn plan(shape: Shape, steps: usize) -> String {
    let steps: Vec<serde_json::Value> = (0..steps)
        .map(|step| {
            let waits_for = shape.waits_for(step, steps).into_iter();
            let waits_for: Vec<String> = waits_for.map(|step| format!("s{step}")).collect();
            serde_json::json!({
                "id": format!("s{step}"),
                "description": format!("Check {step}"),
                "contract": COMMAND,
                "dependsOn": waits_for,
            })
        })
        .collect();
    let plan = serde_json::json!({"id": "bench", "version": 1, "steps": steps});
    format!("{plan:#}\n")
}

pub(super) fn ninja(shape: Shape, steps: usize) -> String {
    let mut text = format!("rule check\n  command = {COMMAND}\n");
    for step in 0..steps {
        let waits_for = names(shape.waits_for(step, steps));
        writeln!(text, "build s{step}: check{waits_for}").expect("a string takes all");
    }
    text
}

pub(super) fn makefile(shape: Shape, steps: usize) -> String {
    let all = names(0..steps);
    let mut text = format!("all:{all}\n.PHONY: all{all}\n");
    for step in 0..steps {
        let waits_for = names(shape.waits_for(step, steps));
        writeln!(text, "s{step}:{waits_for}\n\t{COMMAND}").expect("a string takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_have_the_same_graph() {
        for shape in Shape::ALL {
            let plan: serde_json::Value = serde_json::from_str(&plan(shape, 50)).expect("JSON");
            let (ninja, makefile) = (ninja(shape, 50), makefile(shape, 50));
            for step in 0..50 {
                let waits_for = shape.waits_for(step, 50);
                assert!(waits_for.iter().all(|other| *other < step));
                let listed = plan["steps"][step]["dependsOn"].as_array().expect("a list");
                assert_eq!(listed.len(), waits_for.len());
                let names = names(waits_for);
                assert!(ninja.contains(&format!("build s{step}: check{names}\n")));
                assert!(makefile.contains(&format!("\ns{step}:{names}\n")));
            }
        }
        assert_eq!(Shape::Layered.waits_for(49, 50).len(), DEPENDENCIES);
    }
}
