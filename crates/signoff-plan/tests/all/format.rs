//! Formatting changes the look of a file and nothing else.

use proptest::prelude::*;
use signoff_plan::dialect::{Dialect, parse};
use signoff_plan::digest::Digest;
use signoff_plan::format::format_source;
use signoff_plan::source::Source;
use signoff_plan::write::write;

use crate::generate::plan;

const EXAMPLES: [&str; 4] = [
    include_str!("../fixtures/fix-auth-timeout.md"),
    include_str!("../fixtures/extract-config-module.md"),
    include_str!("../fixtures/migrate-to-httpx.md"),
    include_str!("../fixtures/every-field.md"),
];

/// What may stand anywhere in a plan without meaning anything.
const NOISE: [&str; 14] = [
    "\n",
    "\n\n\n",
    " ",
    "  \n",
    "\t\n",
    "\n<!-- note -->\n",
    "\n**Depends on:** none\n",
    "\n* x\n",
    "\n  **Task:** y\n",
    "\n---\n",
    "\n### 9. Z\n",
    "\n## Notes\nz  \n",
    "\n```\na  \n\n\nb\n```\n",
    "\r\n",
];

fn digest(source: &Source) -> Digest {
    let draft = parse(source);
    let checked = signoff_plan::check::check(&draft, &Nowhere);
    Digest::of_plan(&checked.plan)
}

struct Nowhere;

impl signoff_plan::Workspace for Nowhere {
    fn path_exists(&self, _: &str) -> bool {
        false
    }
    fn topic_exists(&self, _: &str) -> bool {
        false
    }
    fn command_exists(&self, _: &str) -> bool {
        false
    }
    fn agent_exists(&self, _: &str) -> bool {
        false
    }
    fn agents(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What could be a comment of any kind, without white space.
fn comments(text: &str) -> Vec<String> {
    let html = text
        .split("<!--")
        .skip(1)
        .map(|rest| rest.split("-->").next().unwrap_or(rest));
    let rest = text.lines().filter_map(|line| {
        let start = line.find("//").into_iter().chain(line.find('#')).min()?;
        line.get(start..)
    });
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let mut all: Vec<_> = html.chain(rest).map(bare).collect();
    all.sort();
    all
}

fn tidies(source: &Source) -> Result<bool, TestCaseError> {
    let Ok(once) = format_source(source) else {
        return Ok(false);
    };
    prop_assert_eq!(digest(source), digest(&once));
    prop_assert_eq!(comments(source.text()), comments(once.text()));
    let twice = format_source(&once);
    prop_assert_eq!(
        twice.as_ref().map(Source::text),
        Ok(once.text()),
        "{}",
        source.text()
    );
    Ok(true)
}

fn noisy() -> impl Strategy<Value = String> {
    let noise = (
        any::<prop::sample::Index>(),
        prop::sample::select(NOISE.to_vec()),
    );
    let example = prop::sample::select(EXAMPLES.to_vec());
    (example, prop::collection::vec(noise, 0..6), any::<bool>()).prop_map(|(text, noise, crlf)| {
        let mut text = text.to_owned();
        for (place, noise) in noise {
            let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
            text.insert_str(ends[place.index(ends.len())], noise);
        }
        if crlf {
            text.replace("\r\n", "\n").replace('\n', "\r\n")
        } else {
            text
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        // Each case reads many small plans.
        cases: ProptestConfig::default().cases / 4,
        ..ProptestConfig::default()
    })]

    #[test]
    fn noise_goes_and_nothing_else(text in noisy()) {
        tidies(&Source::new("plan.md", text.into_bytes()))?;
    }

    #[test]
    fn written_plans_of_every_dialect_can_be_tidied(plan in plan()) {
        for dialect in Dialect::ALL {
            let written = write(&plan, *dialect);
            let files: Vec<_> = written
                .files
                .iter()
                .map(|(name, text)| (name.clone(), text.clone().into_bytes()))
                .collect();
            let source = match dialect {
                Dialect::Thread => Source::directory("plan", files),
                _ => match files.into_iter().next() {
                    Some((_, bytes)) => Source::new("plan", bytes),
                    None => continue,
                },
            };
            let tidied = tidies(&source)?;
            prop_assert!(tidied || *dialect != Dialect::Workunit, "{}", source.text());
        }
    }
}

#[test]
fn the_examples_stay_what_they_say() {
    for text in EXAMPLES {
        let source = Source::new("plan.md", text.into());
        assert!(tidies(&source).expect("the laws hold"), "{text}");
    }
}

#[test]
fn a_task_that_looks_like_something_else_can_be_tidied() {
    let draft = parse(&Source::new("plan.md", EXAMPLES[0].into()));
    let mut plan =
        std::sync::Arc::unwrap_or_clone(signoff_plan::check::check(&draft, &Nowhere).plan);
    for text in ["### 2. Deploy\n**task:** y", "build\n> ```", "- x\n  ~~~"] {
        plan.task = Some(text.to_owned());
        plan.steps[0].instructions = Some(text.to_owned());
        let written = write(&plan, Dialect::Workunit);
        assert_eq!(written.losses, []);
        let source = Source::new("plan.md", written.files[0].1.clone().into_bytes());
        assert!(tidies(&source).expect("the laws hold"), "{text}");
    }
}

#[test]
fn odd_spacing_becomes_usual() {
    let odd = "---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# T\n\n##    Steps\n\n###  1.   ✅  First  try\n\n**depends_on:**   none\n**task:** x\n";
    let tidy = format_source(&Source::new("plan.md", odd.into())).expect("it can be tidied");
    assert_eq!(
        tidy.text(),
        "---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# T\n\n## Steps\n\n### 1. ✅ First  try\n\n**depends_on:** none\n**task:** x\n"
    );
    let odd = "id: p\ntask: x\nsteps:\n    - {index: 1, description: b, dependsOn: [0]}\n    -   index: 0\n        description: a\n";
    let tidy = format_source(&Source::new("plan.yaml", odd.into())).expect("it can be tidied");
    assert_eq!(
        tidy.text(),
        "id: p\ntask: x\nsteps:\n  - index: 0\n    description: a\n  - index: 1\n    description: b\n    dependsOn: [0]\n"
    );
    let commented = odd.replace("task: x", "task: x # why");
    let tidy = format_source(&Source::new("plan.yaml", commented.clone().into()));
    assert_eq!(tidy.expect("it can be tidied").text(), commented);
}
