//! How often each field went from one dialect to another.

use std::collections::BTreeMap;

use signoff_plan::dialect::Dialect;
use signoff_plan::field;
use signoff_plan::model::Plan;
use signoff_plan::write::Loss;

/// A dialect and the one that a plan goes to.
type Pair = (Dialect, Dialect);

/// Counts by field and pair of dialects.
#[derive(Debug, Default)]
pub(crate) struct Coverage(BTreeMap<(String, Pair), usize>);

impl Coverage {
    /// Counts the fields of a plan that was written with these losses.
    pub(crate) fn count(&mut self, pair: Pair, plan: &Plan, losses: &[Loss]) {
        let lost = |step: Option<&str>, name: &str| {
            losses.iter().any(|loss| {
                let field = match step {
                    None => field::plan_name(&loss.field),
                    Some(_) => field::step_name(&loss.field),
                };
                loss.step.as_deref() == step && field == Some(name)
            })
        };
        for name in field::plan_names() {
            let mut without = plan.clone();
            field::clear_plan(&mut without, name);
            let given = field::plan_value(plan, name) != field::plan_value(&without, name);
            if given && !lost(None, name) {
                self.add(format!("plan {name}"), pair);
            }
        }
        for name in field::step_names() {
            let mut without = plan.clone();
            for step in &mut without.steps {
                field::clear_step(step, name);
            }
            let value = |plan, at| field::step_value(plan, at, name);
            for (at, step) in plan.steps.iter().enumerate() {
                if value(plan, at) != value(&without, at) && !lost(Some(&step.id), name) {
                    self.add(format!("step {name}"), pair);
                }
            }
        }
    }

    fn add(&mut self, name: String, pair: Pair) {
        *self.0.entry((name, pair)).or_default() += 1;
    }

    fn of(&self, name: &str, pair: Pair) -> usize {
        self.0.get(&(name.to_owned(), pair)).copied().unwrap_or(0)
    }

    /// Prints the counts: a line for each field, a column for each pair.
    #[expect(clippy::print_stdout, reason = "it is what the test is run for")]
    pub(crate) fn print(&self) {
        let short = |dialect: Dialect| dialect.as_str().chars().take(2).collect::<String>();
        let head = pairs().map(|(from, to)| format!(" {}→{}", short(from), short(to)));
        println!("{:28}{}", "field", head.collect::<String>());
        for name in names() {
            let counts = pairs().map(|pair| format!("{:6}", self.of(&name, pair)));
            println!("{name:28}{}", counts.collect::<String>());
        }
    }

    /// Fields that never came back from a dialect.
    pub(crate) fn never_held(&self, dialect: Dialect) -> Vec<String> {
        let missing = |name: &String| self.of(name, (dialect, dialect)) == 0;
        names().filter(missing).collect()
    }

    /// Fields that two dialects can hold and that never went from the one to the other.
    pub(crate) fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        // Dialects that cannot name a briefing hold their own.
        for name in names().filter(|name| name != "plan briefing") {
            let holds = |dialect| self.of(&name, (dialect, dialect)) > 0;
            let open = pairs().filter(|(from, to)| holds(*from) && holds(*to));
            let open = open.filter(|pair| self.of(&name, *pair) == 0);
            gaps.extend(open.map(|(from, to)| format!("{name}: {from} to {to}")));
        }
        gaps
    }
}

fn pairs() -> impl Iterator<Item = Pair> {
    let all = Dialect::ALL.iter();
    all.flat_map(|from| Dialect::ALL.iter().map(|to| (*from, *to)))
}

/// Every field of the model.
fn names() -> impl Iterator<Item = String> {
    let plan = field::plan_names().map(|name| format!("plan {name}"));
    plan.chain(field::step_names().map(|name| format!("step {name}")))
}
