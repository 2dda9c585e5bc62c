//! Plans as keys and values: `record` and `toolplan`, each in the order it is written in.

use super::keys::{FieldKey, keys};

/// Fields of a plan that both have beside their own.
const PLAN: [FieldKey; 5] = keys![
    "context", "tools", "budget", "params", "approvalRequiredFrom" => "approval_required_from",
];

/// Fields of a step that both have beside their own.
pub(crate) const STEP: [FieldKey; 21] = keys![
    "ask.question" => "question", "ask.choices" => "choices", "contract.command", "contract.shell",
    "contract.expect", "contract.timeout", "contract.baseline",
    "contract.fewerTests" => "contract.fewer_tests", "contract.holds", "onFail" => "on_fail",
    "when", "forEach" => "for_each", "maxItems" => "max_items", "approval", "critical", "produces",
    "protects", "tools", "timeout", "budget", "locks",
];

pub(super) const RECORD_PLAN: &[&[FieldKey]] = &[
    &keys![
        "id", "title", "task", "status", "version", "previousPlanId" => "previous",
        "currentStepIndex" => "current_step_index", "createdAt" => "created_at",
        "updatedAt" => "updated_at", "createdBy" => "created_by", "briefing",
    ],
    &PLAN,
    &keys![
        "metadata.complexity" => "complexity", "metadata.tags" => "tags",
        "metadata.constraints" => "constraints", "metadata.informedByMemories" => "informed_by",
        "steps" => _,
    ],
];

pub(super) const RECORD_STEP: &[&[FieldKey]] = &[
    &keys![
        "index" => _, "id", "title", "description" => "task", "suggestedAgent" => "role", "status",
        "instructions", "acceptanceCriteria" => "acceptance", "dependsOn" => "depends_on",
    ],
    &STEP,
    &keys![
        "executedBy" => "executed_by", "startedAt" => "started_at", "completedAt" => "completed_at",
        "output", "error", "affectedFiles" => "affected_files",
    ],
];

pub(super) const TOOLPLAN_PLAN: &[&[FieldKey]] = &[
    &keys![
        "id", "taskId" => "task_id", "version", "title",
    ],
    &PLAN,
    &keys![
        "steps" => _, "estimatedDuration" => "estimated_duration", "createdAt" => "created_at",
    ],
];

pub(super) const TOOLPLAN_STEP: &[&[FieldKey]] = &[
    &keys![
        "id", "order" => _, "description" => "title", "tool", "args", "dependsOn" => "depends_on",
    ],
    &STEP,
    &keys!["status", "result"],
];
