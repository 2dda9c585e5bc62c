//! All fields of a draft, as text.

use signoff_plan::draft::{Draft, DraftContract, DraftDetails, DraftHint, DraftStep, Spanned};

/// The position of a field in a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FieldPath {
    pub(super) step: Option<usize>,
    pub(super) field: &'static str,
}

/// The fields of a draft, in order.
#[derive(Default)]
pub(super) struct DraftFields {
    step: Option<usize>,
    pub(super) fields: Vec<(FieldPath, String)>,
}

impl DraftFields {
    pub(super) fn of(draft: &Draft) -> Self {
        let mut fields = Self::default();
        // Destructured in full, so that a new field is not forgotten here.
        let Draft {
            dialect,
            problems,
            anchors: _,
            kind,
            id,
            title,
            task,
            context,
            status,
            version,
            owner,
            previous,
            budget,
            priority,
            tools,
            constraints,
            params,
            risks,
            executor_model,
            approval_required_from,
            briefing,
            record,
            steps,
        } = draft;
        fields.put("dialect", dialect.to_string());
        fields.put_some("type", kind.as_ref());
        fields.put_some("id", id.as_ref());
        fields.put_some("title", title.as_ref());
        fields.put_some("task", task.as_ref());
        fields.put_some("context", context.as_ref());
        fields.put_some("status", status.as_ref());
        fields.put_some("version", version.as_ref());
        fields.put_some("owner", owner.as_ref());
        fields.put_some("previous", previous.as_ref());
        fields.put_some("budget", budget.as_ref());
        fields.put_some("priority", priority.as_ref());
        fields.scope("tools", tools.as_deref());
        fields.list("constraints", constraints);
        fields.list("risks", risks);
        fields.put_some("executor_model", executor_model.as_ref());
        fields.list("approval_required_from", approval_required_from);
        fields.put_some("briefing", briefing.as_ref());
        for (name, value) in params {
            fields.put("params", format!("{}={}", name.value, strings(value)));
        }
        for (name, value) in record {
            fields.put(name, strings(&value.value));
        }
        for (at, step) in steps.iter().enumerate() {
            fields.step = Some(at);
            fields.step(step);
        }
        fields.step = None;
        for problem in problems {
            fields.put("form", problem.code.to_string());
        }
        fields
    }

    fn step(&mut self, step: &DraftStep) {
        let DraftStep {
            number,
            unexpanded,
            title,
            id,
            depends_on,
            target,
            task,
            tool,
            args,
            args_unread,
            marks,
            contract,
            contract_missing_command,
            record,
            // Positions do not count; the details follow below.
            span: _,
            heading: _,
            args_spans: _,
            ..
        } = step;
        self.put(
            "number",
            format!("{:?}", number.as_ref().map(|one| one.value)),
        );
        self.put_some("number", unexpanded.as_ref());
        self.put_some("title", Some(title));
        self.put_some("id", id.as_ref());
        self.scope("depends_on", depends_on.as_deref());
        self.put_some("target", target.as_ref());
        self.put_some("task", task.as_ref());
        self.put_some("tool", tool.as_ref());
        if let Some(args) = args {
            self.put("args", strings(&args.value));
        }
        self.put("args", args_unread.to_string());
        self.put("status", marks.ticks.len().to_string());
        for mark in &marks.statuses {
            self.put_some("status", Some(&mark.word));
        }
        if let Some(contract) = contract {
            self.contract(contract);
        }
        self.put("contract", contract_missing_command.to_string());
        for (name, value) in record {
            self.put(name, strings(&value.value));
        }
        self.details(step);
    }

    fn details(&mut self, details: &DraftDetails) {
        let DraftDetails {
            ask,
            choices,
            on_fail,
            subscriptions,
            produces,
            protects,
            tools,
            approval,
            when,
            for_each,
            max_items,
            timeout,
            budget,
            critical,
            locks,
            isolation,
            reviewer,
            acceptance,
            subtasks,
            instructions,
            hint,
        } = details;
        self.put_some("ask", ask.as_ref());
        self.list("choices", choices);
        self.put_some("on_fail", on_fail.as_ref());
        self.list("subscriptions", subscriptions);
        self.list("produces", produces);
        self.list("protects", protects);
        self.scope("tools", tools.as_deref());
        self.put_some("approval", approval.as_ref());
        self.put_some("when", when.as_ref());
        self.put_some("for_each", for_each.as_ref());
        self.put_some("max_items", max_items.as_ref());
        self.put_some("timeout", timeout.as_ref());
        self.put_some("budget", budget.as_ref());
        self.put_some("critical", critical.as_ref());
        self.list("locks", locks);
        self.put_some("isolation", isolation.as_ref());
        self.put_some("reviewer", reviewer.as_ref());
        self.list("accept", acceptance);
        self.list("subtasks", subtasks);
        self.put_some("instructions", instructions.as_ref());
        self.hint(hint);
    }

    fn hint(&mut self, hint: &DraftHint) {
        let DraftHint {
            tool,
            operation,
            target,
        } = hint;
        for part in [tool, operation, target] {
            self.put_some("hint", part.as_ref());
        }
    }

    fn contract(&mut self, contract: &DraftContract) {
        let DraftContract {
            span: _,
            command,
            shell,
            expect,
            timeout,
            baseline,
            fewer_tests,
            holds,
        } = contract;
        self.put("contract", command.text.clone());
        self.put_some("shell", shell.as_ref());
        self.list("expect", expect);
        self.put_some("contract_timeout", timeout.as_ref());
        self.put_some("baseline", baseline.as_ref());
        self.put_some("fewer_tests", fewer_tests.as_ref());
        self.put_some("holds", holds.as_ref());
    }

    fn put(&mut self, field: &'static str, text: String) {
        let step = self.step;
        self.fields.push((FieldPath { step, field }, text));
    }

    fn put_some(&mut self, field: &'static str, value: Option<&Spanned<String>>) {
        if let Some(value) = value {
            self.put(field, value.value.clone());
        }
    }

    fn list(&mut self, field: &'static str, values: &[Spanned<String>]) {
        for value in values {
            self.put_some(field, Some(value));
        }
    }

    /// A list whose empty form has a meaning.
    fn scope(&mut self, field: &'static str, values: Option<&[Spanned<String>]>) {
        if let Some(values) = values {
            self.put(field, values.len().to_string());
            self.list(field, values);
        }
    }
}

/// A JSON value with unescaped texts, because placeholders are filled before the JSON is parsed.
fn strings(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => format!("\"{text}\""),
        serde_json::Value::Array(items) => {
            let items: Vec<String> = items.iter().map(strings).collect();
            format!("[{}]", items.join("\u{1f}"))
        }
        serde_json::Value::Object(members) => {
            let member = |(name, value): (&String, _)| format!("{name}\u{1e}{}", strings(value));
            let members: Vec<String> = members.iter().map(member).collect();
            format!("{{{}}}", members.join("\u{1f}"))
        }
        other => other.to_string(),
    }
}
