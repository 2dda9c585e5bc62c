//! Events about the run as a whole.

use super::replan_run;
use crate::event::{RunTree, Settings};
use crate::state::Run;

pub(super) fn start_run(run: &mut Run, id: &str, settings: &Settings) {
    id.clone_into(&mut run.id);
    run.settings = settings.clone();
    run.started = true;
}

/// Continues under the plan that was [offered](Run::offer_plan) before this event; without one, nothing changes.
pub(super) fn switch_plan(run: &mut Run, digest: &str, settings: &Settings) {
    let next = run.next.take();
    if let Some(next) = next.filter(|next| next.digest().to_string() == digest) {
        *run = replan_run(run, next, settings).run;
    }
}

pub(super) fn prepare_tree(run: &mut Run, tree: &RunTree) {
    run.tree.head = Some(tree.start.clone());
    run.landing.head = Some(tree.start.clone());
    run.tree.prepared = Some(tree.clone());
}

/// Remembers which commit's files are in the checkout, and which files could not be written.
pub(super) fn land_files(run: &mut Run, commit: &str, held: &[String]) {
    run.landing.head = Some(commit.to_owned());
    run.landing.held = held.to_vec();
}
