//! Between the engine's events and their wire form. Every variant is spelled out, so that a change
//! on either side fails to compile instead of changing a stored format.

use signoff_engine as engine;

use super::{Event, Output};

impl From<engine::Event> for Event {
    fn from(event: engine::Event) -> Self {
        match event {
            engine::Event::RunStarted {
                run,
                plan,
                path,
                digest,
                terms,
                settings,
            } => Self::RunStarted {
                run,
                plan,
                path,
                digest,
                terms,
                settings: settings.into(),
            },
            engine::Event::RunResumed { reopened, by } => Self::RunResumed { reopened, by },
            engine::Event::PlanReplanned {
                digest,
                terms,
                snapshot,
                settings,
                kept,
                reset,
            } => Self::PlanReplanned {
                digest,
                terms,
                snapshot,
                settings: settings.into(),
                kept,
                reset,
            },
            engine::Event::StepStarted { step } => Self::StepStarted { step },
            engine::Event::ConditionHeld { step } => Self::ConditionHeld { step },
            engine::Event::Expanded { step, items } => Self::Expanded { step, items },
            engine::Event::BaselineStarted { step, base } => Self::BaselineStarted { step, base },
            engine::Event::BaselineFinished {
                step,
                verdict,
                observed,
            } => Self::BaselineFinished {
                step,
                verdict: verdict.into(),
                observed: observed.into(),
            },
            engine::Event::AttemptStarted {
                step,
                attempt,
                base,
            } => Self::AttemptStarted {
                step,
                attempt,
                base,
            },
            engine::Event::WorkItem {
                step,
                attempt,
                item,
            } => Self::WorkItem {
                step,
                attempt,
                item: item.into(),
            },
            engine::Event::ProcessStarted {
                step,
                attempt,
                process,
            } => Self::ProcessStarted {
                step,
                attempt,
                process: process.into(),
            },
            engine::Event::WorkFinished {
                step,
                attempt,
                ended,
                text,
                changes,
            } => Self::WorkFinished {
                step,
                attempt,
                ended: ended.into(),
                output: Output { text },
                changes: changes.into(),
            },
            engine::Event::CallStarted {
                step,
                attempt,
                call,
            } => Self::CallStarted {
                step,
                attempt,
                call: call.into(),
            },
            engine::Event::CallFinished { step, attempt, end } => Self::CallFinished {
                step,
                attempt,
                end: end.into(),
            },
            engine::Event::BudgetReserved {
                step,
                attempt,
                agents,
                wall_ms,
            } => Self::BudgetReserved {
                step,
                attempt,
                agents,
                wall_ms,
            },
            engine::Event::BudgetSpent {
                step,
                attempt,
                wall_ms,
            } => Self::BudgetSpent {
                step,
                attempt,
                wall_ms,
            },
            engine::Event::TreePrepared { tree } => Self::TreePrepared { tree: tree.into() },
            engine::Event::CheckoutJoined {
                commit,
                tree,
                files,
                conflicts,
                deleted,
            } => Self::CheckoutJoined {
                commit,
                tree,
                files,
                conflicts,
                deleted,
            },
            engine::Event::FilesLanded {
                commit,
                files,
                held,
            } => Self::FilesLanded {
                commit,
                files,
                held,
            },
            engine::Event::CandidateStarted { step, attempt } => {
                Self::CandidateStarted { step, attempt }
            }
            engine::Event::CandidateBuilt {
                step,
                attempt,
                candidate,
            } => Self::CandidateBuilt {
                step,
                attempt,
                candidate: candidate.into(),
            },
            engine::Event::MergeConflicted {
                step,
                attempt,
                onto,
                files,
                text,
            } => Self::MergeConflicted {
                step,
                attempt,
                onto,
                files,
                text,
            },
            engine::Event::MergeStarted {
                step,
                attempt,
                commit,
            } => Self::MergeStarted {
                step,
                attempt,
                commit,
            },
            engine::Event::Merged {
                step,
                attempt,
                commit,
                tree,
            } => Self::Merged {
                step,
                attempt,
                commit,
                tree,
            },
            engine::Event::LandingStarted { commit, by } => Self::LandingStarted { commit, by },
            engine::Event::RunLanded { commit, by } => Self::RunLanded { commit, by },
            engine::Event::RunUndone { by } => Self::RunUndone { by },
            engine::Event::BudgetExceeded { step, question } => {
                Self::BudgetExceeded { step, question }
            }
            engine::Event::AttemptInterrupted {
                step,
                attempt,
                stopped,
            } => Self::AttemptInterrupted {
                step,
                attempt,
                stopped,
            },
            engine::Event::ContractStarted {
                step,
                attempt,
                again,
            } => Self::ContractStarted {
                step,
                attempt,
                again,
            },
            engine::Event::ContractFinished {
                step,
                attempt,
                verdict,
                unmet,
                observed,
            } => Self::ContractFinished {
                step,
                attempt,
                verdict: verdict.into(),
                unmet,
                observed: observed.into(),
            },
            engine::Event::RetryScheduled {
                step,
                not_before,
                counted,
                reason,
            } => Self::RetryScheduled {
                step,
                not_before_ms: not_before,
                counted,
                reason,
            },
            engine::Event::StepCompleted {
                step,
                attempts,
                evidence,
                facts,
            } => Self::StepCompleted {
                step,
                attempts,
                evidence: evidence.into(),
                facts: facts.into(),
            },
            engine::Event::StepConfirmed {
                step,
                evidence,
                facts,
            } => Self::StepConfirmed {
                step,
                evidence: evidence.into(),
                facts: facts.into(),
            },
            engine::Event::StepProvisional { step, attempts } => {
                Self::StepProvisional { step, attempts }
            }
            engine::Event::StepFailed {
                step,
                attempts,
                reason,
            } => Self::StepFailed {
                step,
                attempts,
                reason,
            },
            engine::Event::StepSkipped {
                step,
                reason,
                satisfies,
            } => Self::StepSkipped {
                step,
                reason,
                satisfies,
            },
            engine::Event::StepBlocked { step, by } => Self::StepBlocked { step, by },
            engine::Event::StepWaiting { step, item } => Self::StepWaiting { step, item },
            engine::Event::InboxOpened {
                item,
                kind,
                step,
                steps,
                question,
                choices,
                options,
            } => Self::InboxOpened {
                item,
                kind: kind.into(),
                step,
                steps,
                question,
                choices: choices.into_iter().map(Into::into).collect(),
                options,
            },
            engine::Event::InboxAnswered {
                item,
                step,
                steps,
                choice,
                note,
                by,
            } => Self::InboxAnswered {
                item,
                step,
                steps,
                choice: choice.into(),
                note,
                by,
            },
            engine::Event::StepRetried { step, hint, by } => Self::StepRetried { step, hint, by },
            engine::Event::PauseRequested { reason, by } => Self::PauseRequested {
                reason: reason.into(),
                by,
            },
            engine::Event::RunPaused { reason } => Self::RunPaused {
                reason: reason.into(),
            },
            engine::Event::RunFinished { outcome } => Self::RunFinished {
                outcome: outcome.into(),
            },
        }
    }
}

impl From<Event> for engine::Event {
    fn from(event: Event) -> Self {
        match event {
            Event::RunStarted {
                run,
                plan,
                path,
                digest,
                terms,
                settings,
            } => Self::RunStarted {
                run,
                plan,
                path,
                digest,
                terms,
                settings: settings.into(),
            },
            Event::RunResumed { reopened, by } => Self::RunResumed { reopened, by },
            Event::PlanReplanned {
                digest,
                terms,
                snapshot,
                settings,
                kept,
                reset,
            } => Self::PlanReplanned {
                digest,
                terms,
                snapshot,
                settings: settings.into(),
                kept,
                reset,
            },
            Event::StepStarted { step } => Self::StepStarted { step },
            Event::ConditionHeld { step } => Self::ConditionHeld { step },
            Event::Expanded { step, items } => Self::Expanded { step, items },
            Event::BaselineStarted { step, base } => Self::BaselineStarted { step, base },
            Event::BaselineFinished {
                step,
                verdict,
                observed,
            } => Self::BaselineFinished {
                step,
                verdict: verdict.into(),
                observed: observed.into(),
            },
            Event::AttemptStarted {
                step,
                attempt,
                base,
            } => Self::AttemptStarted {
                step,
                attempt,
                base,
            },
            Event::WorkItem {
                step,
                attempt,
                item,
            } => Self::WorkItem {
                step,
                attempt,
                item: item.into(),
            },
            Event::ProcessStarted {
                step,
                attempt,
                process,
            } => Self::ProcessStarted {
                step,
                attempt,
                process: process.into(),
            },
            Event::WorkFinished {
                step,
                attempt,
                ended,
                output,
                changes,
            } => Self::WorkFinished {
                step,
                attempt,
                ended: ended.into(),
                text: output.text,
                changes: changes.into(),
            },
            Event::CallStarted {
                step,
                attempt,
                call,
            } => Self::CallStarted {
                step,
                attempt,
                call: call.into(),
            },
            Event::CallFinished { step, attempt, end } => Self::CallFinished {
                step,
                attempt,
                end: end.into(),
            },
            Event::BudgetReserved {
                step,
                attempt,
                agents,
                wall_ms,
            } => Self::BudgetReserved {
                step,
                attempt,
                agents,
                wall_ms,
            },
            Event::BudgetSpent {
                step,
                attempt,
                wall_ms,
            } => Self::BudgetSpent {
                step,
                attempt,
                wall_ms,
            },
            Event::TreePrepared { tree } => Self::TreePrepared { tree: tree.into() },
            Event::CheckoutJoined {
                commit,
                tree,
                files,
                conflicts,
                deleted,
            } => Self::CheckoutJoined {
                commit,
                tree,
                files,
                conflicts,
                deleted,
            },
            Event::FilesLanded {
                commit,
                files,
                held,
            } => Self::FilesLanded {
                commit,
                files,
                held,
            },
            Event::CandidateStarted { step, attempt } => Self::CandidateStarted { step, attempt },
            Event::CandidateBuilt {
                step,
                attempt,
                candidate,
            } => Self::CandidateBuilt {
                step,
                attempt,
                candidate: candidate.into(),
            },
            Event::MergeConflicted {
                step,
                attempt,
                onto,
                files,
                text,
            } => Self::MergeConflicted {
                step,
                attempt,
                onto,
                files,
                text,
            },
            Event::MergeStarted {
                step,
                attempt,
                commit,
            } => Self::MergeStarted {
                step,
                attempt,
                commit,
            },
            Event::Merged {
                step,
                attempt,
                commit,
                tree,
            } => Self::Merged {
                step,
                attempt,
                commit,
                tree,
            },
            Event::LandingStarted { commit, by } => Self::LandingStarted { commit, by },
            Event::RunLanded { commit, by } => Self::RunLanded { commit, by },
            Event::RunUndone { by } => Self::RunUndone { by },
            Event::BudgetExceeded { step, question } => Self::BudgetExceeded { step, question },
            Event::AttemptInterrupted {
                step,
                attempt,
                stopped,
            } => Self::AttemptInterrupted {
                step,
                attempt,
                stopped,
            },
            Event::ContractStarted {
                step,
                attempt,
                again,
            } => Self::ContractStarted {
                step,
                attempt,
                again,
            },
            Event::ContractFinished {
                step,
                attempt,
                verdict,
                unmet,
                observed,
            } => Self::ContractFinished {
                step,
                attempt,
                verdict: verdict.into(),
                unmet,
                observed: observed.into(),
            },
            Event::RetryScheduled {
                step,
                not_before_ms,
                counted,
                reason,
            } => Self::RetryScheduled {
                step,
                not_before: not_before_ms,
                counted,
                reason,
            },
            Event::StepCompleted {
                step,
                attempts,
                evidence,
                facts,
            } => Self::StepCompleted {
                step,
                attempts,
                evidence: evidence.into(),
                facts: facts.into(),
            },
            Event::StepConfirmed {
                step,
                evidence,
                facts,
            } => Self::StepConfirmed {
                step,
                evidence: evidence.into(),
                facts: facts.into(),
            },
            Event::StepProvisional { step, attempts } => Self::StepProvisional { step, attempts },
            Event::StepFailed {
                step,
                attempts,
                reason,
            } => Self::StepFailed {
                step,
                attempts,
                reason,
            },
            Event::StepSkipped {
                step,
                reason,
                satisfies,
            } => Self::StepSkipped {
                step,
                reason,
                satisfies,
            },
            Event::StepBlocked { step, by } => Self::StepBlocked { step, by },
            Event::StepWaiting { step, item } => Self::StepWaiting { step, item },
            Event::InboxOpened {
                item,
                kind,
                step,
                steps,
                question,
                choices,
                options,
            } => Self::InboxOpened {
                item,
                kind: kind.into(),
                step,
                steps,
                question,
                choices: choices.into_iter().map(Into::into).collect(),
                options,
            },
            Event::InboxAnswered {
                item,
                step,
                steps,
                choice,
                note,
                by,
            } => Self::InboxAnswered {
                item,
                step,
                steps,
                choice: choice.into(),
                note,
                by,
            },
            Event::StepRetried { step, hint, by } => Self::StepRetried { step, hint, by },
            Event::PauseRequested { reason, by } => Self::PauseRequested {
                reason: reason.into(),
                by,
            },
            Event::RunPaused { reason } => Self::RunPaused {
                reason: reason.into(),
            },
            Event::RunFinished { outcome } => Self::RunFinished {
                outcome: outcome.into(),
            },
        }
    }
}
