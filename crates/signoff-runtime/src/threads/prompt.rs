//! The system prompt of the agent that plans threads.

use signoff_api::threads::ThreadDir;

/// The text that `agentctl` gives its overseer.
const OVERSEER: &str = include_str!("overseer.txt");

/// The prompt, and the directories that its rule 4 speaks of.
pub fn overseer(current: &ThreadDir, additional: &[ThreadDir]) -> String {
    let list: String = match additional {
        [] => " none\n".to_owned(),
        dirs => {
            let line = |dir: &ThreadDir| format!("\n- {}: {}", dir.thread_id, dir.plan_dir);
            dirs.iter().map(line).chain(["\n".to_owned()]).collect()
        }
    };
    format!(
        "{OVERSEER}\nRuntime context:\nCURRENT_PLAN_DIR: {}\nADDITIONAL_PLAN_DIRS:{list}",
        current.plan_dir
    )
}
