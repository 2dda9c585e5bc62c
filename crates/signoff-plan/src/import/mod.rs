//! Makes a draft in the native dialect from a plan of another tool.
//!
//! Nothing of the source is dropped silently: what a plan has no field for stands in the context of the draft, or is
//! listed as a loss. What the source does not say, a contract above all, is not invented: the checks name it.

mod assemble;
mod beads;
mod context;
mod dependencies;
mod github_issue;
mod ids;
mod imported;
mod json;
mod lists;
mod markdown;
mod numbered_tasks;
mod open_spec;
mod plan_mode;
mod recognise;
mod sections;
mod spec_kit;
mod status;
mod step_headings;
mod task_master;
mod titles;

use std::fmt;

use self::imported::ImportedPlan;
use self::recognise::RecognisedFormat;
use crate::source::Source;

/// A format that drafts are made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImportFormat {
    /// Markdown of any form, as the plan modes of Claude Code, Codex and Gemini write it.
    PlanMode,
    /// `tasks.md` of spec-kit, alone or with the other files of its directory.
    SpecKit,
    /// `tasks.md` of Kiro, alone or with the other files of its directory.
    Kiro,
    /// A change of `OpenSpec`: its directory, or its `tasks.md` alone.
    OpenSpec,
    /// `tasks.json` of Task Master, with or without tags.
    TaskMaster,
    /// Issues of beads, one JSON object a line.
    Beads,
    /// The text of a GitHub issue, or what `gh issue view --json title,body` prints.
    GithubIssue,
}

impl ImportFormat {
    /// Every format.
    pub const ALL: [Self; 7] = [
        Self::PlanMode,
        Self::SpecKit,
        Self::Kiro,
        Self::OpenSpec,
        Self::TaskMaster,
        Self::Beads,
        Self::GithubIssue,
    ];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PlanMode => "plan-mode",
            Self::SpecKit => "spec-kit",
            Self::Kiro => "kiro",
            Self::OpenSpec => "openspec",
            Self::TaskMaster => "task-master",
            Self::Beads => "beads",
            Self::GithubIssue => "github",
        }
    }

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }
}

impl fmt::Display for ImportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A draft made from another tool's plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// What the source was read as.
    pub format: ImportFormat,
    /// By which sign it was recognised.
    pub sign: String,
    /// The draft, in the native dialect.
    pub text: String,
    /// How many steps it has.
    pub steps: usize,
    /// What is in the source and not in the draft.
    pub losses: Vec<ImportLoss>,
    /// How something was understood that could have been meant otherwise.
    pub notes: Vec<String>,
}

/// Something of the source that the draft does not have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImportLoss {
    /// The file that it stands in.
    pub file: String,
    /// Its line, from 1, where it has one.
    pub line: Option<usize>,
    /// What it is, in the words of the source.
    pub field: String,
    /// All of it.
    pub value: String,
    /// Why it is not in the draft.
    pub why: String,
}

/// Why no draft can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportError {
    /// The file that the fault is in.
    pub file: String,
    /// Its line, where it has one.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

/// Makes a draft from a file or the files of a directory, read as `format` or as what they look like.
pub fn import(source: &Source, format: Option<ImportFormat>) -> Result<Imported, ImportError> {
    require_readable(source)?;
    let RecognisedFormat { format, sign } = match format {
        Some(format) => RecognisedFormat {
            format,
            sign: "it was named".to_owned(),
        },
        None => recognise::recognise(source),
    };
    let imported = read(source, format)?;
    Ok(assemble::assemble(imported, format, sign, source.name()))
}

fn read(source: &Source, format: ImportFormat) -> Result<ImportedPlan, ImportError> {
    match format {
        ImportFormat::PlanMode => sections::read(source, plan_mode::read),
        ImportFormat::SpecKit => sections::read(source, spec_kit::read),
        ImportFormat::Kiro => sections::read(source, numbered_tasks::read),
        ImportFormat::OpenSpec => open_spec::read(source),
        ImportFormat::TaskMaster => task_master::read(source),
        ImportFormat::Beads => beads::read(source),
        ImportFormat::GithubIssue => github_issue::read(source),
    }
}

/// Refuses what is not text, or is empty.
fn require_readable(source: &Source) -> Result<(), ImportError> {
    if let Some(at) = source.first_invalid_byte() {
        return Err(ImportError {
            file: source.name_at(at),
            line: Some(source.line_column(at).0),
            message: "this is not UTF-8 text".to_owned(),
        });
    }
    let text = source
        .text()
        .trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    if text.is_empty() {
        return Err(ImportError {
            file: source.name().to_owned(),
            line: None,
            message: "there is nothing in it".to_owned(),
        });
    }
    Ok(())
}
