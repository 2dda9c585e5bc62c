//! Fields that stand in fenced blocks: the contract, and a tool's arguments.

use serde_json::Value;

use super::field::FieldEditor;
use super::line_end;
use crate::dialect::workunit::layout::{FieldGroup, LocatedField};
use crate::draft;
use crate::edit::{EditRefused, Splice};
use crate::source::{Span, first_line, text_from, text_up_to};
use crate::spelling::Dialect;
use crate::write::workunit::fenced_block;

impl FieldEditor<'_> {
    /// Changes the command, the shell or the conditions of a contract.
    pub(super) fn contract(
        &self,
        part: &FieldGroup,
        step: &draft::DraftStep,
        name: &str,
        value: &Value,
    ) -> Result<Vec<Splice>, EditRefused> {
        let Some(field) = part.get("contract") else {
            return self.new_contract(part, name, value);
        };
        let no_contract = || EditRefused::Unreadable("the contract has no command".to_owned());
        let contract = step.contract.as_ref().ok_or_else(no_contract)?;
        match (name, value) {
            ("contract.command", Value::Null) => self.no_contract(part),
            ("contract.command", command) => {
                let command = command.as_str().unwrap_or_default();
                self.command(field, command)
            }
            ("contract.shell", shell) => self.shell(field, shell.as_str().unwrap_or("shell")),
            (_, conditions) => self.conditions(field, contract, conditions),
        }
    }

    fn new_contract(
        &self,
        part: &FieldGroup,
        name: &str,
        value: &Value,
    ) -> Result<Vec<Splice>, EditRefused> {
        match (name, value) {
            (_, Value::Null) => Ok(Vec::new()),
            ("contract.command", command) => {
                let block = fenced_block("shell", command.as_str().unwrap_or_default());
                Ok(vec![self.insert(part, &format!("**contract:**\n{block}"))])
            }
            _ => Err(EditRefused::NoPlace(format!("`{name}` without a contract"))),
        }
    }

    /// Takes the contract away with all that belongs to it.
    fn no_contract(&self, part: &FieldGroup) -> Result<Vec<Splice>, EditRefused> {
        let mut splices = Vec::new();
        let of_contract = |name: &str| {
            let field = Dialect::Workunit.step_field(name);
            field.is_some_and(|field| field.starts_with("contract."))
        };
        for field in part.fields.iter().filter(|field| of_contract(field.name)) {
            self.refuse_comment(field, field.name)?;
            let end = field.below.map_or(field.line.end, |below| below.end);
            let rest = text_from(self.source.text(), end);
            let line = rest.split_inclusive('\n').next().unwrap_or_default();
            let span = Span::new(field.line.start, end + line.len());
            splices.push(Splice::remove(span));
        }
        Ok(splices)
    }

    fn command(&self, field: &LocatedField, command: &str) -> Result<Vec<Splice>, EditRefused> {
        let text = self.source.text();
        let Some(block) = field.fences.first() else {
            let inline = !command.contains(['\n', '`']) && command.trim() == command;
            if inline {
                let span = self.inline(field);
                return Ok(vec![Splice::replace(span, format!("`{command}`"))]);
            }
            self.refuse_comment(field, "contract")?;
            let lines = format!(":**\n{}", fenced_block("shell", command));
            return Ok(vec![self.rewrite(field, &lines)]);
        };
        let language = block.language.map_or("", |word| word.slice(text));
        Ok(vec![self.block(block.span, language, command)?])
    }

    /// A block at the beginning of a line, with another content.
    fn block(&self, span: Span, language: &str, content: &str) -> Result<Splice, EditRefused> {
        let text = self.source.text();
        let before = text_up_to(text, span.start);
        if !(before.is_empty() || before.ends_with('\n')) {
            let why = "the block is indented or quoted".to_owned();
            return Err(EditRefused::Unreadable(why));
        }
        let opening = span.slice(text).lines().next().unwrap_or_default();
        let marks = opening.len() - opening.trim_start_matches(['`', '~']).len();
        let fence = text_up_to(opening, marks);
        let newline = line_end(self.source, 0);
        // The same fence and the rest of its line, unless the content would close it.
        let block = if has_closing_line(content, fence) {
            fenced_block(language, content)
        } else {
            format!("{opening}\n{content}\n{fence}")
        };
        Ok(Splice::replace(span, block.replace('\n', newline)))
    }

    fn shell(&self, field: &LocatedField, shell: &str) -> Result<Vec<Splice>, EditRefused> {
        let Some(block) = field.fences.first() else {
            return Err(EditRefused::NoPlace("a shell without a block".to_owned()));
        };
        let splice = match block.language {
            Some(word) => Splice::replace(word, shell),
            None => {
                let opening = block.span.slice(self.source.text());
                let opening = first_line(opening);
                Splice::insert(block.span.start + opening.len(), shell)
            }
        };
        Ok(vec![splice])
    }

    fn conditions(
        &self,
        field: &LocatedField,
        contract: &draft::DraftContract,
        conditions: &Value,
    ) -> Result<Vec<Splice>, EditRefused> {
        let newline = line_end(self.source, 0);
        let new: Vec<&str> = conditions
            .as_array()
            .map(|items| items.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let old: Vec<Span> = contract.expect.iter().map(|text| text.span).collect();
        let mut splices = Vec::new();
        for (index, span) in old.iter().enumerate() {
            let kept = contract.expect.get(index).map(|text| text.value.as_str());
            match new.get(index) {
                Some(condition) if kept == Some(*condition) => {}
                Some(condition) => splices.push(Splice::replace(*span, *condition)),
                None => splices.push(Splice::remove(self.line_of(field, *span)?)),
            }
        }
        let more = new.get(old.len()..).unwrap_or_default();
        if !more.is_empty() {
            let block = field
                .fences
                .last()
                .map_or(field.line.end, |block| block.span.end);
            let last = field.lines.last().map_or(block, |line| line.end);
            let text: String = more.iter().flat_map(|line| [newline, line]).collect();
            splices.push(Splice::insert(block.max(last), text));
        }
        Ok(splices)
    }

    /// The line that a condition stands on, if nothing else does.
    fn line_of(&self, field: &LocatedField, condition: Span) -> Result<Span, EditRefused> {
        let mut lines = field.lines.iter();
        let line = lines.find(|line| line.start <= condition.start && condition.end <= line.end);
        match line {
            Some(line) if !line.slice(self.source.text()).contains("<!--") => {
                Ok(super::whole_line(self.source, *line))
            }
            _ => Err(EditRefused::Unreadable(
                "something else stands on the line of a condition".to_owned(),
            )),
        }
    }

    /// Changes the arguments of a tool.
    pub(super) fn args(
        &self,
        part: &FieldGroup,
        value: &Value,
    ) -> Result<Vec<Splice>, EditRefused> {
        let pretty = serde_json::to_string_pretty(value).expect("a JSON value serialises");
        let field = part.get("args");
        match (field, value) {
            (None, Value::Null) => Ok(Vec::new()),
            (None, _) => {
                let block = fenced_block("json", &pretty);
                Ok(vec![self.insert(part, &format!("**args:**\n{block}"))])
            }
            (Some(field), Value::Null) => {
                self.refuse_comment(field, "args")?;
                let end = field.below.map_or(field.line.end, |below| below.end);
                let line = Span::new(field.line.start, end);
                Ok(vec![Splice::remove(super::whole_line(self.source, line))])
            }
            (Some(field), _) => match field.fences.first() {
                Some(block) => {
                    let language = block.language.map(|word| word.slice(self.source.text()));
                    let language = language.unwrap_or_default();
                    Ok(vec![self.block(block.span, language, &pretty)?])
                }
                None => Ok(vec![Splice::replace(self.inline(field), value.to_string())]),
            },
        }
    }
}

/// Whether a line of the content would end a block with this fence.
fn has_closing_line(content: &str, fence: &str) -> bool {
    content
        .lines()
        .any(|line| line.trim_start().starts_with(fence))
}
