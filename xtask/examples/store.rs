//! Fills the store in this directory for `cargo xtask bench-store`: `store DIR COUNT`. Every third
//! plan is signed, every tenth of the others rejected. Not a program that ships: the ways into the
//! store are the real ones.

use std::path::Path;

use signoff_engine::Actor;
use signoff_runtime::SystemClock;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{
    ActorContext, ApproveOptions, EditOptions, approve, propose_file, reject,
};
use signoff_runtime::project::{ProcessContext, Project};

fn main() {
    let mut args = std::env::args().skip(1);
    let directory = args.next().expect("the directory comes first");
    let count = args.next().and_then(|count| count.parse().ok());
    let count: usize = count.expect("then the number of plans");
    let project = project(Path::new(&directory));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for first in 0..threads {
            let project = &project;
            scope.spawn(move || {
                for at in (first..count).step_by(threads) {
                    fill(project, at);
                }
            });
        }
    });
}

fn project(directory: &Path) -> Project {
    Project::open(&ProcessContext {
        variables: std::env::vars_os().collect(),
        directory: directory.canonicalize().expect("the directory is there"),
        user_config: None,
        state_dir: None,
        person: "bench".to_owned(),
        services: signoff_runtime::project::ExternalServices::default(),
    })
    .expect("the directory has a store")
}

fn fill(project: &Project, at: usize) {
    let context = ActorContext {
        project,
        actor: Actor::Person,
        clock: &SystemClock::new(),
    };
    let name = format!("PLAN-{at:08x}.md");
    let path = project.store.plans_dir().join(&name);
    std::fs::write(&path, text(at)).expect("the store can be written");
    propose_file(context, &path, &name).expect("the plan has no errors");
    if at.is_multiple_of(3) {
        let plan = PlanFile::read(&path, &name, &project.workspace()).expect("it was just written");
        let options = ApproveOptions {
            proof: None,
            ..ApproveOptions::default()
        };
        approve(context, &plan, &options).expect("a proposed plan can be signed");
    } else if at.is_multiple_of(10) {
        let shown = EditOptions::default();
        let feedback = Some("Not this quarter.");
        reject(context, &path, &name, feedback, &shown).expect("it can be rejected");
    }
}

/// About as long as plans are.
fn text(at: usize) -> String {
    let step =
        |step| format!("{step}. Bring part {step} of case {at} up to date (odoo-toolbox: write)\n");
    let steps = [1, 2, 3, 4, 5, 6].map(step).concat();
    let context = format!("Case {at} was opened by the customer and is described in the invoice. ");
    format!(
        "---\nid: PLAN-{at:08x}\ntitle: Bring case {at} up to date\nstatus: proposed\nversion: 1\ncreated_at: 2026-11-15T09:30:12Z\nupdated_at: 2026-11-15T09:30:12Z\ntools_required:\n  - odoo-toolbox\n---\n\n## Steps\n{steps}\n## Context\n{}\n",
        context.repeat(12)
    )
}
