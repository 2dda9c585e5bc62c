//! A run as it goes on: its steps, what the selected one does, and what waits on the person.

mod panes;
mod update;
mod view;

use signoff_api::inbox::Item;
use signoff_api::run::{Run, RunStep};

use crate::prompt::Prompt;
use crate::screen::{Screen, ScreenEnd, Turn, run_screen};
use crate::{Key, Notice, Style};

/// A run as it is watched.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchData {
    /// The run, as `status --format json` prints it.
    pub run: Run,
    /// The dependencies, drawn with states.
    pub graph: Vec<String>,
    /// What the agent of the selected step said and did in its last attempt.
    pub transcript: Vec<String>,
    /// What the contract of the selected step printed: before the work, and after.
    pub contract: Vec<String>,
}

/// What a screen asks of its caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchEffect {
    /// Nothing new starts.
    Pause,
    /// Agents end too.
    Stop,
    /// Ends as failed.
    Abort,
    /// Goes on, in a process of its own.
    Resume,
    /// Tries a step again.
    Retry(String),
    /// Leaves a step out.
    Skip(String),
    /// Answers an item.
    Answer {
        /// Its id.
        item: String,
        /// The choice, or any text.
        text: String,
    },
    /// Brings the run's changes into the checkout.
    Land(Settling),
    /// Takes them out of it again.
    Undo,
    /// The person leaves.
    Leave,
}

/// What becomes of files that were held back because the person had changed them too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settling {
    /// They stay held.
    Later,
    /// The run's version takes the place of this file; empty: of all of them.
    Take(String),
    /// The person's stays.
    Keep(String),
}

/// What carries out effects.
pub trait WatchBackend {
    /// Reads the run, with what belongs to the selected step. `None` = nothing has happened since.
    fn load(&mut self, step: Option<&str>, anew: bool) -> Result<Option<WatchData>, String>;
    /// Carries out an effect.
    fn perform(&mut self, effect: WatchEffect) -> Notice;
}

/// Panes beside the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchPane {
    /// The selected step.
    Step,
    /// What its agent said and did.
    Transcript,
    /// What its contract printed.
    Contract,
    /// The dependencies.
    Graph,
    /// What waits on the person.
    Inbox,
}

impl WatchPane {
    pub(crate) const ALL: [Self; 5] = [
        Self::Step,
        Self::Transcript,
        Self::Contract,
        Self::Graph,
        Self::Inbox,
    ];
}

/// What is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchPrompt {
    /// The answer to this item.
    Answer(String),
    /// `abort`, to be sure.
    Abort,
    /// How to settle files that are held.
    Land,
    /// `undo`, to be sure.
    Undo,
}

/// The screen.
#[derive(Debug, Clone)]
pub struct Watch {
    /// What is shown.
    pub data: WatchData,
    /// Position of the selected step.
    pub selected: usize,
    /// The selection follows the step that is at work.
    pub follows: bool,
    /// Position of the selected item of the inbox.
    pub item: usize,
    /// The open pane.
    pub pane: WatchPane,
    /// Lines that the pane is scrolled back from its end.
    pub back: usize,
    /// What is being typed.
    pub prompt: Option<Prompt<WatchPrompt>>,
    /// What was said last.
    pub notice: Option<Notice>,
    /// The keys are shown.
    pub help: bool,
}

impl Watch {
    /// A screen that shows this.
    pub fn new(data: WatchData) -> Self {
        let mut watch = Self {
            data,
            selected: 0,
            follows: true,
            item: 0,
            pane: WatchPane::Step,
            back: 0,
            prompt: None,
            notice: None,
            help: false,
        };
        watch.follow();
        watch
    }

    /// The selected step.
    pub fn step(&self) -> Option<&RunStep> {
        self.data.run.steps.get(self.selected)
    }

    /// The selected item of the inbox.
    pub fn selected_item(&self) -> Option<&Item> {
        self.data.run.inbox.get(self.item)
    }

    /// Shows newer data. What is being typed stays.
    pub fn show(&mut self, data: WatchData) {
        let waiting = |run: &Run| run.inbox.len() + run.held.len();
        let more = waiting(&data.run) > waiting(&self.data.run);
        self.data = data;
        self.item = self.item.min(self.data.run.inbox.len().saturating_sub(1));
        self.selected = self
            .selected
            .min(self.data.run.steps.len().saturating_sub(1));
        if self.follows {
            self.follow();
        }
        if more && self.prompt.is_none() {
            self.notice = Some(Notice::Failed("something waits on you: press i".to_owned()));
        }
    }

    fn follow(&mut self) {
        let at_work =
            |step: &RunStep| matches!(step.status.as_str(), "running" | "verifying" | "waiting");
        let found = self.data.run.steps.iter().position(at_work);
        self.selected = found.unwrap_or(self.selected);
    }
}

/// Opens the screen and stays until the person leaves it. The run goes on without it.
pub fn open_watch(backend: &mut dyn WatchBackend, style: Style) -> Result<ScreenEnd, String> {
    let Some(data) = backend.load(None, true)? else {
        return Err("the run cannot be read".to_owned());
    };
    let mut screen = WatchScreen {
        model: Watch::new(data),
        backend,
        effect: None,
    };
    screen.read(true);
    run_screen(&mut screen, style)
}

struct WatchScreen<'b> {
    model: Watch,
    backend: &'b mut dyn WatchBackend,
    effect: Option<WatchEffect>,
}

impl WatchScreen<'_> {
    fn read(&mut self, anew: bool) -> bool {
        let step = self.model.step().map(|step| step.id.clone());
        match self.backend.load(step.as_deref(), anew) {
            Ok(Some(data)) => self.model.show(data),
            Ok(None) => return false,
            Err(why) => self.model.notice = Some(Notice::Failed(why)),
        }
        true
    }
}

impl Screen for WatchScreen<'_> {
    fn draw(&self, buffer: &mut ratatui_core::buffer::Buffer, style: Style) {
        self.model.draw(buffer, style);
    }

    fn press(&mut self, key: Key) -> Turn {
        let before = self.model.selected;
        match self.model.press(key) {
            None if self.model.selected != before => Turn::Perform,
            None => Turn::Stay,
            Some(WatchEffect::Leave) => Turn::Leave,
            Some(effect) => {
                self.effect = Some(effect);
                Turn::Perform
            }
        }
    }

    fn perform(&mut self) {
        if let Some(effect) = self.effect.take() {
            self.model.notice = Some(self.backend.perform(effect));
        }
        self.read(true);
    }

    fn refresh(&mut self) -> bool {
        self.read(false)
    }
}
