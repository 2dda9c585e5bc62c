//! Fields by the tables of [`crate::field`] and [`crate::spelling`].

use serde_json::Value;

use super::ObjectReader;
use crate::draft::{Draft, DraftStep, Spanned, StatusMark};
use crate::field::{self, DraftMember, FieldSpec, MetadataShape, Shape, TextStyle};
use crate::node::{Entry, NodeKind};
use crate::source::Span;
use crate::spelling::members;

impl ObjectReader<'_> {
    /// Reads a field of the plan, or reports that it is none. `outer` is the object it stands in.
    pub(in crate::dialect) fn plan_field(
        &mut self,
        outer: Option<&str>,
        entry: Entry,
        draft: &mut Draft,
    ) {
        let key = &entry.key.value;
        let name = match outer {
            None => self.dialect.plan_field(key),
            Some(outer) => self.dialect.plan_field(&format!("{outer}.{key}")),
        };
        match (name, name.and_then(field::of_plan)) {
            (Some("params"), _) => {
                let Entry { key, value } = entry;
                let members = self.members(&key, value).unwrap_or_default();
                let pairs = members.into_iter().map(|member| {
                    let value = member.value.to_json();
                    (member.key, value)
                });
                draft.params = pairs.collect();
            }
            (_, Some(field)) => self.fill(field, entry, draft),
            (Some(name), None) => {
                let kept = self.metadata(name, entry);
                draft.record.extend(kept);
            }
            (None, None) => {
                let known = members(self.dialect.plan_keys(), outer);
                let owner = outer.map_or("a plan".to_owned(), |outer| format!("`{outer}`"));
                self.unknown(&entry.key, &owner, &known);
            }
        }
    }

    /// Reads a field of a step, or reports that it is none.
    pub(in crate::dialect) fn step_field(&mut self, entry: Entry, step: &mut DraftStep) {
        let key = entry.key.value.as_str();
        match key {
            "contract" => {
                let given = !entry.value.is_nothing();
                step.contract = self.contract(entry).map(Box::new);
                step.contract_missing_command = given && step.contract.is_none();
                return;
            }
            "ask" => return self.ask(entry, step),
            "status" => {
                let line = Span::new(entry.key.span.start, entry.value.span.end);
                let mark = self.text(entry).map(|word| StatusMark { word, line });
                step.marks.statuses = mark.into_iter().collect();
                return;
            }
            _ => {}
        }
        let name = self.dialect.step_field(key);
        match (name, name.and_then(field::of_step)) {
            (_, Some(field)) => self.fill(field, entry, step),
            (Some(name), None) => {
                let kept = self.metadata(name, entry);
                // Most steps that were run have one.
                if step.record.is_empty() {
                    step.record.reserve_exact(1);
                }
                step.record.extend(kept);
            }
            (None, None) => {
                let known = members(self.dialect.step_keys(), None);
                self.unknown(&entry.key, "a step", &known);
            }
        }
    }

    /// Reads a field into its place.
    pub(super) fn fill<D, M>(&mut self, field: &FieldSpec<D, M>, entry: Entry, draft: &mut D) {
        match field.shape.member(draft) {
            Some(DraftMember::One(slot)) => {
                let word = matches!(field.shape, Shape::Text(_, TextStyle::Word));
                let text = matches!(field.shape, Shape::Text(..) | Shape::Policy(_)) && !word;
                *slot = if matches!(field.shape, Shape::Budget(_)) {
                    self.budget(entry)
                } else if field.name == "for_each" {
                    self.list_expression(entry)
                } else if text {
                    self.text(entry)
                } else {
                    self.word(entry)
                };
            }
            Some(DraftMember::Many(slot)) => *slot = self.texts(entry).unwrap_or_default(),
            Some(DraftMember::Scope(slot)) => *slot = self.texts(entry),
            None => {}
        }
    }

    /// An expression that yields a list, or the list itself.
    fn list_expression(&mut self, entry: Entry) -> Option<Spanned<String>> {
        if !matches!(entry.value.kind, NodeKind::Sequence(_)) {
            return self.text(entry);
        }
        let span = entry.value.inner_span(self.source);
        let text = literal(&entry.value.to_json());
        Some(Spanned::new(text, span))
    }

    /// Reads what is kept and decides nothing.
    fn metadata(
        &mut self,
        name: &'static str,
        entry: Entry,
    ) -> Option<(&'static str, Spanned<Value>)> {
        let span = entry.value.span;
        let value = match field::metadata_shape(name) {
            MetadataShape::Text => self.text(entry)?.map(Value::from),
            MetadataShape::List => {
                let items = self.texts(entry)?.into_iter().map(|item| item.value);
                Spanned::new(items.collect(), span)
            }
            MetadataShape::Index => {
                let index = self.whole(&entry.key, &entry.value)?;
                Spanned::new(Value::from(index), span)
            }
            MetadataShape::Number(wanted) => {
                let number = self.value(&entry)?;
                if !number.value.is_number() {
                    self.report_wrong_kind(&entry.key, &entry.value, wanted);
                    return None;
                }
                number
            }
            MetadataShape::Rating => {
                let number = self.value(&entry)?;
                let rating = number.value.as_f64();
                if !rating.is_some_and(|rating| (1.0..=10.0).contains(&rating)) {
                    self.report_wrong_kind(&entry.key, &entry.value, "a number from 1 to 10");
                    return None;
                }
                number
            }
            MetadataShape::Any => self.value(&entry)?,
        };
        Some((name, value))
    }

    /// A question as text, or `{question, choices}`.
    fn ask(&mut self, entry: Entry, step: &mut DraftStep) {
        if matches!(entry.value.kind, NodeKind::Scalar { .. }) {
            step.ask = self.text(entry);
            return;
        }
        let Entry { key, value } = entry;
        let Some(entries) = self.members(&key, value) else {
            return;
        };
        // A question that is missing or empty is reported by `empty-task`.
        step.ask = Some(Spanned::new(String::new(), key.span));
        for member in entries {
            match member.key.value.as_str() {
                "question" => step.ask = self.text(member).or(step.ask.take()),
                "choices" => step.choices = self.texts(member).unwrap_or_default(),
                _ => {
                    let known = members(self.dialect.step_keys(), Some("ask"));
                    self.unknown(&member.key, "`ask`", &known);
                }
            }
        }
    }
}

/// A value as an expression.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(name.as_str()), literal(value))
            };
            let members: Vec<_> = members.iter().map(member).collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}
