//! Names, descriptions, schemas, hints and handlers of the tools, in the order in which they are listed.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde_json::{Map, Value};

use crate::answers::Answer;
use crate::arguments;
use crate::context::Context;
use crate::errors::ToolError;
use crate::person::Decision;
use crate::schema::input_schema;
use crate::tools::{ask, plans, proposing, threads};

/// What a tool does to the store, as a hint for clients.
#[derive(Clone, Copy)]
enum Effect {
    Reads,
    Adds,
    Changes,
    /// Starts agents, which reach whatever they reach.
    Runs,
}

impl Effect {
    fn hints(self) -> ToolAnnotations {
        let hints = ToolAnnotations::new().open_world(matches!(self, Self::Runs));
        match self {
            Self::Reads => hints.read_only(true),
            Self::Adds => hints.read_only(false).destructive(false),
            Self::Changes => hints.read_only(false).destructive(true),
            Self::Runs => hints.read_only(false).destructive(true),
        }
    }
}

/// A tool that waits for nobody.
pub(crate) type BlockingTool = fn(&Context, Map<String, Value>) -> Result<Answer, ToolError>;

/// What a call of a tool does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Handler {
    /// Answers at once.
    Blocking(BlockingTool),
    /// Waits for the person's decision.
    Decide(Decision),
    /// Answers from what it said last, if that is still true.
    List,
    /// Waits until the run has begun.
    Run,
    /// Waits for the run, if it is asked to.
    Status,
}

/// A tool as clients see it, and what a call of it does.
#[derive(Debug)]
pub(crate) struct ListedTool {
    pub(crate) tool: Tool,
    pub(crate) handler: Handler,
}

/// Every tool.
pub(crate) fn all_tools() -> Vec<ListedTool> {
    use Handler::{Blocking, Decide, List, Run, Status};
    use arguments as a;
    vec![
        tool::<a::Propose>(
            "plan_propose",
            "Propose a plan",
            PROPOSE,
            Effect::Adds,
            Blocking(proposing::propose),
        ),
        tool::<a::List>("plan_list", "List plans", LIST, Effect::Reads, List),
        tool::<a::PlanName>(
            "plan_get",
            "Show a plan",
            GET,
            Effect::Reads,
            Blocking(plans::get),
        ),
        tool::<a::Verify>(
            "plan_verify",
            "Check a plan",
            VERIFY,
            Effect::Reads,
            Blocking(plans::verify),
        ),
        tool::<a::Revise>(
            "plan_revise",
            "Revise a plan",
            REVISE,
            Effect::Changes,
            Blocking(proposing::revise),
        ),
        tool::<a::Approve>(
            "plan_approve",
            "Ask for a signature",
            APPROVE,
            Effect::Changes,
            Decide(Decision::Approve),
        ),
        tool::<a::Reject>(
            "plan_reject",
            "Ask for a rejection",
            REJECT,
            Effect::Changes,
            Decide(Decision::Reject),
        ),
        tool::<a::Status>(
            "plan_status",
            "State of a plan or run",
            STATUS,
            Effect::Reads,
            Status,
        ),
        tool::<a::PlanName>("plan_run", "Run a signed plan", RUN, Effect::Runs, Run),
        tool::<a::Ask>(
            "plan_ask",
            "Ask the person",
            ASK,
            Effect::Adds,
            Blocking(ask::ask),
        ),
        tool::<a::SessionName>(
            "plan_dir",
            "Directory of the current thread",
            DIR,
            Effect::Adds,
            Blocking(threads::dir),
        ),
        tool::<a::SessionName>(
            "plan_request_thread_dir",
            "Directory for another thread",
            REQUEST_THREAD_DIR,
            Effect::Adds,
            Blocking(threads::request),
        ),
        tool::<a::RemoveThread>(
            "plan_remove_thread",
            "Remove a thread",
            REMOVE_THREAD,
            Effect::Changes,
            Blocking(threads::remove),
        ),
        tool::<a::SessionName>(
            "plan_clear_current",
            "Clear the current thread",
            CLEAR_CURRENT,
            Effect::Changes,
            Blocking(threads::clear),
        ),
        tool::<a::SessionName>(
            "plan_commit",
            "Commit all threads",
            COMMIT,
            Effect::Changes,
            Blocking(threads::commit),
        ),
        tool::<a::SetTopic>(
            "plan_set_topic",
            "Name the session",
            SET_TOPIC,
            Effect::Adds,
            Blocking(threads::set_topic),
        ),
    ]
}

fn tool<T: JsonSchema>(
    name: &'static str,
    title: &str,
    description: &'static str,
    effect: Effect,
    handler: Handler,
) -> ListedTool {
    let tool = Tool::new(name, description, Arc::new(input_schema::<T>()))
        .with_title(title)
        .with_annotations(effect.hints());
    ListedTool { tool, handler }
}

const PROPOSE: &str = "Hand in a plan, so that a person can sign or reject it. Give exactly one of: `title` with `steps` \
(and `context`), or `text` (the whole text of a plan, with contracts), or `path` (a plan file of the project). If the plan \
has errors nothing is kept and every error comes back with line, column, code and help: correct all of them and call again.";
const LIST: &str = "List the plans of the project with id, title, state and version, newest first.";
const GET: &str = "Show one plan as it is understood: steps, dependencies, contracts, state, digest, and what people said \
when they rejected it.";
const VERIFY: &str = "Check a plan of the project or a text without handing it in. Returns every error and warning with \
line, column, code and help.";
const REVISE: &str = "Hand in a new version of a plan, for instance after a person rejected it. Give the whole new `text`, \
or `title` with `steps`, or neither if you edited the plan's file. A signature on the old version no longer counts. While the \
plan is carried out the text becomes a new version that a person signs or refuses: the run stops for that, and steps that are \
finished must stay as they are.";
const APPROVE: &str = "Ask the person to sign a plan. They are shown the plan in their client and decide; you cannot sign. \
Refused if the client cannot ask them: tell them what to type instead.";
const REJECT: &str =
    "Ask the person to reject a plan, for instance because you found it to be wrong. They decide.";
const STATUS: &str = "Tell the state of a plan or of a run: what each step did, its evidence, what waits on a person. With \
`wait` it returns when the run ends or waits on a person, or when the time is up.";
const RUN: &str = "Start a signed plan. Returns at once with the run's name; the run goes on by itself, even if you and this \
server end. A plan that is not signed is refused. `plan_status` with `wait` follows it.";
const ASK: &str = "Ask the person a question. Returns at once with an id: it is in their inbox (`signoff inbox`). Call again \
with that `id` alone to read the answer.";
const DIR: &str = "Return the directory of the current thread of a planning session. Write `plan.md` (frontmatter `title`) \
and `tasks/NN-slug.md` (frontmatter `id`, `depends_on`, `agent`, `subtasks`) there, then call plan_commit.";
const REQUEST_THREAD_DIR: &str =
    "Allocate a directory for one more thread of the session. Returns `thread_id` and `plan_dir`.";
const REMOVE_THREAD: &str = "Remove an additional thread of the session, with its directory. A plan of it that was committed \
is cancelled.";
const CLEAR_CURRENT: &str = "Remove the plan files of the current thread; its directory stays.";
const COMMIT: &str = "Check the plans of all threads of the session and hand them in at once, or return every problem.";
const SET_TOPIC: &str = "Say in a few words what the planning session is about.";
