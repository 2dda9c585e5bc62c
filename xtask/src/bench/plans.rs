//! The plans that are measured, and the same graph as `make` and `ninja` spell it.

use std::fmt::Write as _;

/// Steps of a layer, each of which waits for some of the layer before.
const WIDTH: usize = 100;
const DEPENDENCIES: usize = 3;

/// What each step waits for. The same every time: a figure is worth only as much as its repetition.
fn layered(steps: usize) -> impl Iterator<Item = (usize, Vec<usize>)> {
    let mut number = 1_u64;
    (0..steps).map(move |step| {
        let mut waits_for = Vec::new();
        if let Some(layer) = (step / WIDTH).checked_sub(1) {
            for _ in 0..DEPENDENCIES {
                // Knuth's multiplier; the high bits are the good ones.
                number = number
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let column = usize::try_from(number >> 33).unwrap_or(0) % WIDTH;
                waits_for.push(layer * WIDTH + column);
            }
        }
        waits_for.sort_unstable();
        waits_for.dedup();
        (step, waits_for)
    })
}

/// A plan of tool steps.
pub(super) fn toolplan(steps: usize) -> String {
    let mut text = "{\"id\": \"bench\", \"version\": 1, \"steps\": [\n".to_owned();
    for (step, waits_for) in layered(steps) {
        let ids: Vec<_> = waits_for
            .iter()
            .map(|id| format!("\"step_{id}\""))
            .collect();
        let comma = if step == 0 { "" } else { ",\n" };
        write!(
            text,
            "{comma}{{\"id\": \"step_{step}\", \"description\": \"Write file {step}\", \
             \"tool\": \"write_file\", \"args\": {{\"path\": \"out/{step}.txt\", \"content\": \"content {step}\"}}, \
             \"dependsOn\": [{}]}}",
            ids.join(", ")
        )
        .expect("a string takes all");
    }
    text + "\n]}\n"
}

/// The same graph for `make -n`.
pub(super) fn makefile(steps: usize) -> String {
    let mut text = "all:".to_owned();
    for step in 0..steps {
        write!(text, " out/{step}.txt").expect("a string takes all");
    }
    for (step, waits_for) in layered(steps) {
        let files = files(&waits_for);
        write!(
            text,
            "\nout/{step}.txt:{files}\n\techo content {step} > $@\n"
        )
        .expect("a string takes all");
    }
    text
}

/// The same graph for `ninja`.
pub(super) fn ninja(steps: usize) -> String {
    let mut text = "rule write\n  command = echo $content > $out\n".to_owned();
    for (step, waits_for) in layered(steps) {
        let files = files(&waits_for);
        writeln!(
            text,
            "build out/{step}.txt: write{files}\n  content = content {step}"
        )
        .expect("a string takes all");
    }
    text
}

fn files(steps: &[usize]) -> String {
    let mut text = String::new();
    for step in steps {
        write!(text, " out/{step}.txt").expect("a string takes all");
    }
    text
}

/// A markdown plan whose contracts are all different, half of them with pipes, quotes or
/// substitutions.
pub(super) fn workunit(steps: usize) -> String {
    let mut text =
        "---\ntype: plan\nstatus: draft\nowner: bench\n---\n# Bench\n\n**Budget:** $9000, 900h\n\n## Steps\n"
            .to_owned();
    for step in 0..steps {
        let contract = match step % 4 {
            0 => format!("test -s docs/{step}.md"),
            1 => format!("test \"$(wc -l < docs/{step}.md)\" -gt {step}"),
            2 => format!("grep -q needle-{step} docs/{step}.md && test -d docs"),
            _ => format!("sort docs/{step}.md | grep -c 'needle {step}'"),
        };
        write!(
            text,
            "\n### {number}. Document part {step}\n**target:** coder\n\
             **task:** Write `docs/{step}.md`, which says what part {step} does and why.\n\
             **contract:**\n```sh\n{contract}\n```\n**on_fail:** retry(1), then escalate\n",
            number = step + 1,
        )
        .expect("a string takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_have_the_same_graph() {
        let (plan, make, ninja) = (toolplan(250), makefile(250), ninja(250));
        let plan: serde_json::Value = serde_json::from_str(&plan).expect("JSON");
        for (step, waits_for) in layered(250) {
            let listed = plan["steps"][step]["dependsOn"].as_array().expect("a list");
            assert_eq!(listed.len(), waits_for.len());
            let files = files(&waits_for);
            assert!(make.contains(&format!("\nout/{step}.txt:{files}\n")));
            assert!(ninja.contains(&format!("build out/{step}.txt: write{files}\n")));
            assert!(
                waits_for
                    .iter()
                    .all(|other| other / WIDTH + 1 == step / WIDTH)
            );
        }
    }

    #[test]
    fn contracts_are_all_different() {
        let text = workunit(40);
        let contracts: std::collections::BTreeSet<_> = text
            .split("```sh\n")
            .skip(1)
            .filter_map(|rest| rest.split("\n```").next())
            .collect();
        assert_eq!(contracts.len(), 40);
    }
}
