//! The review of a plan: its steps, and beside them what one needs to know before signing.

mod panes;
mod update;
mod view;

use signoff_api::diagnostics::Diagnostic;
use signoff_api::plan::{Plan, Step};

use crate::prompt::Prompt;
use crate::screen::{Screen, ScreenEnd, Turn, run_screen};
use crate::{Key, Notice, Style};

/// A plan as it is reviewed.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewData {
    /// The plan, as `show --format json` prints it.
    pub plan: Plan,
    /// The name of its file.
    pub file: String,
    /// Its problems.
    pub problems: Vec<Diagnostic>,
    /// The dependencies, drawn.
    pub graph: Vec<String>,
    /// The difference to what was signed last; `None` = nobody ever signed it.
    pub difference: Option<Vec<String>>,
    /// Who signed what it says now, and how.
    pub signature: Vec<String>,
}

/// What a screen asks of its caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewEffect {
    /// Sign, with the confirmation that `approve` asks for.
    Sign,
    /// Reject, with this feedback.
    Reject(String),
    /// Say something about a step, or the plan.
    Comment {
        /// Id of the step.
        step: Option<String>,
        /// The words.
        text: String,
    },
    /// Say that a comment needs nothing more.
    Resolve(String),
    /// Move a step before or behind another.
    Move {
        /// Id of the step.
        step: String,
        /// Id of the other.
        other: String,
        /// Before it, or behind.
        before: bool,
    },
    /// Leave a step out.
    Skip(String),
    /// Change the text in an editor.
    EditText,
    /// Start it, in a process of its own.
    Start,
    /// Read the plan again.
    Reload,
    /// The person leaves.
    Leave,
}

/// What carries out effects.
pub trait ReviewBackend {
    /// Reads the plan.
    fn load(&mut self) -> Result<ReviewData, String>;
    /// Carries out an effect. Some have the terminal for themselves meanwhile.
    fn perform(&mut self, effect: ReviewEffect) -> Notice;
}

/// Panes beside the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewPane {
    /// The selected step.
    Step,
    /// The plan as a whole, and what a signature covers.
    Plan,
    /// The dependencies.
    Graph,
    /// What is wrong.
    Problems,
    /// What was said.
    Comments,
    /// What changed since it was signed.
    Difference,
}

impl ReviewPane {
    pub(crate) const ALL: [Self; 6] = [
        Self::Step,
        Self::Plan,
        Self::Graph,
        Self::Problems,
        Self::Comments,
        Self::Difference,
    ];
}

/// What is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewPrompt {
    /// Feedback.
    Reject,
    /// A comment on this step, or on the plan.
    Comment(Option<String>),
    /// The id of a comment.
    Resolve,
}

/// The screen.
#[derive(Debug, Clone)]
pub struct Review {
    /// What is shown.
    pub data: ReviewData,
    /// Position of the selected step.
    pub selected: usize,
    /// The open pane.
    pub pane: ReviewPane,
    /// First line of the pane that is shown.
    pub scroll: usize,
    /// What is being typed.
    pub prompt: Option<Prompt<ReviewPrompt>>,
    /// What was said last.
    pub notice: Option<Notice>,
    /// The keys are shown.
    pub help: bool,
    /// Title of the step that is to be selected once the plan is read again.
    follow: Option<String>,
}

impl Review {
    /// A screen that shows this.
    pub fn new(data: ReviewData) -> Self {
        Self {
            data,
            selected: 0,
            pane: ReviewPane::Step,
            scroll: 0,
            prompt: None,
            notice: None,
            help: false,
            follow: None,
        }
    }

    /// The selected step.
    pub fn step(&self) -> Option<&Step> {
        self.data.plan.steps.get(self.selected)
    }

    /// Shows newer data, and stays where it is.
    pub fn show(&mut self, data: ReviewData) {
        self.data = data;
        let last = self.data.plan.steps.len().saturating_sub(1);
        let mut steps = self.data.plan.steps.iter();
        let followed = self.follow.take();
        let followed = followed.and_then(|title| steps.position(|step| step.title == title));
        self.selected = followed.unwrap_or(self.selected).min(last);
    }
}

/// Opens the screen and stays until the person leaves it.
pub fn open_review(backend: &mut dyn ReviewBackend, style: Style) -> Result<ScreenEnd, String> {
    let data = backend.load()?;
    let mut screen = ReviewScreen {
        model: Review::new(data),
        backend,
        effect: None,
    };
    run_screen(&mut screen, style)
}

struct ReviewScreen<'b> {
    model: Review,
    backend: &'b mut dyn ReviewBackend,
    effect: Option<ReviewEffect>,
}

impl Screen for ReviewScreen<'_> {
    fn draw(&self, buffer: &mut ratatui_core::buffer::Buffer, style: Style) {
        self.model.draw(buffer, style);
    }

    fn press(&mut self, key: Key) -> Turn {
        let Some(effect) = self.model.press(key) else {
            return Turn::Stay;
        };
        let turn = match effect {
            ReviewEffect::Leave => Turn::Leave,
            ReviewEffect::Sign | ReviewEffect::EditText => Turn::WithTerminal,
            _ => Turn::Perform,
        };
        self.effect = Some(effect);
        turn
    }

    fn perform(&mut self) {
        match self.effect.take() {
            None | Some(ReviewEffect::Leave | ReviewEffect::Reload) => {}
            Some(effect) => self.model.notice = Some(self.backend.perform(effect)),
        }
        match self.backend.load() {
            Ok(data) => self.model.show(data),
            Err(why) => self.model.notice = Some(Notice::Failed(why)),
        }
    }

    fn refresh(&mut self) -> bool {
        false
    }
}
