//! `contract`: a command as text, or `{command, expect, …}`.

use super::ObjectReader;
use crate::check::{bad_value, missing_field};
use crate::draft::{DraftContract, Spanned};
use crate::node::{Entry, NodeKind};
use crate::spelling::members;
use crate::{field, yaml};

impl ObjectReader<'_> {
    /// Reads a contract; without a command there is none.
    pub(super) fn contract(&mut self, entry: Entry) -> Option<DraftContract> {
        if entry.value.is_nothing() {
            return None;
        }
        let span = entry.key.span;
        let mut contract = DraftContract {
            span,
            ..DraftContract::default()
        };
        if matches!(entry.value.kind, NodeKind::Scalar { .. }) {
            self.command(entry, &mut contract);
        } else {
            let Entry { key, value } = entry;
            for member in self.members(&key, value)? {
                self.contract_field(member, &mut contract);
            }
        }
        if contract.command.text.trim().is_empty() {
            let found = missing_field::command(self.dialect, span);
            self.problems.push(found);
            return None;
        }
        Some(contract)
    }

    fn contract_field(&mut self, entry: Entry, contract: &mut DraftContract) {
        match entry.key.value.as_str() {
            "command" => return self.command(entry, contract),
            "shell" => return contract.shell = self.shell(entry),
            "expect" => return contract.expect = self.one_or_many(entry),
            "fewerTests" => return contract.fewer_tests = self.word(entry).map(allowed_word),
            _ => {}
        }
        let name = self
            .dialect
            .step_field(&format!("contract.{}", entry.key.value));
        match name.and_then(field::of_contract) {
            Some(field) => self.fill(field, entry, contract),
            None => {
                let known = members(self.dialect.step_keys(), Some("contract"));
                self.unknown(&entry.key, "a contract", &known);
            }
        }
    }

    fn command(&mut self, entry: Entry, contract: &mut DraftContract) {
        let command = yaml::command(&entry.value, self.source);
        if self.text(entry).is_none() {
            return;
        }
        if let Some(mut command) = command {
            // Text in JSON may hold any line end; a shell must never see a carriage return.
            if command.text.contains('\r') {
                command = without_returns(&command);
            }
            contract.command = command;
        }
    }

    /// `bash` is what the configured shell is anyway.
    fn shell(&mut self, entry: Entry) -> Option<Spanned<String>> {
        let word = self.text(entry)?;
        match word.value.as_str() {
            "sh" => Some(word),
            "bash" | "shell" => None,
            _ => {
                let found = bad_value::contract_language(self.dialect, &word);
                self.problems.push(found);
                None
            }
        }
    }

    /// A list of texts, or one text that stands for a list of one.
    fn one_or_many(&mut self, entry: Entry) -> Vec<Spanned<String>> {
        if matches!(entry.value.kind, NodeKind::Scalar { .. }) {
            return self.text(entry).into_iter().collect();
        }
        self.texts(entry).unwrap_or_default()
    }
}

/// The word for a truth value.
fn allowed_word(word: Spanned<String>) -> Spanned<String> {
    word.map(|word| match word.as_str() {
        "true" => "allowed".to_owned(),
        "false" => "no".to_owned(),
        _ => word,
    })
}

fn without_returns(command: &crate::draft::CommandText) -> crate::draft::CommandText {
    let mut clean = crate::draft::CommandText::default();
    let mut at = 0;
    for line in command.text.split_inclusive('\n') {
        let end = at + line.len();
        let span = command.source_span(crate::source::Span::new(at, end));
        clean.push(&line.replace("\r\n", "\n").replace('\r', "\n"), span);
        at = end;
    }
    clean
}
