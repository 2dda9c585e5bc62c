//! What a key does.

use super::{Settling, Watch, WatchEffect, WatchPane, WatchPrompt};
use crate::prompt::{Prompt, PromptStep};
use crate::{Key, Notice};

/// Lines that a page has, roughly.
const PAGE: usize = 10;

impl Watch {
    /// Takes a key; the effect that it asks for, if any.
    pub fn press(&mut self, key: Key) -> Option<WatchEffect> {
        if self.prompt.is_some() {
            return self.type_key(key);
        }
        self.notice = None;
        if self.help {
            self.help = false;
            return None;
        }
        match key {
            Key::Char('q') | Key::Ctrl('c') | Key::Escape => return Some(WatchEffect::Leave),
            Key::Char('?') => self.help = true,
            Key::Char('j') | Key::Down => self.move_selection(1),
            Key::Char('k') | Key::Up => self.move_selection(-1),
            Key::Char('f') => {
                self.follows = true;
                self.follow();
            }
            Key::Tab | Key::Right | Key::Char('l') => self.turn_pane(1),
            Key::BackTab | Key::Left | Key::Char('h') => self.turn_pane(WatchPane::ALL.len() - 1),
            Key::PageUp | Key::Ctrl('u') => self.back += PAGE,
            Key::PageDown | Key::Char(' ') | Key::Ctrl('d') => {
                self.back = self.back.saturating_sub(PAGE);
            }
            Key::End | Key::Char('G') => self.back = 0,
            Key::Char(digit @ '1'..='5') => {
                let at = usize::from(u8::try_from(digit).unwrap_or(b'1') - b'1');
                self.open(WatchPane::ALL.get(at).copied().unwrap_or(WatchPane::Step));
            }
            Key::Char('i') => self.open(WatchPane::Inbox),
            Key::Char('a') | Key::Enter => self.answer(),
            Key::Char('p') => return Some(WatchEffect::Pause),
            Key::Char('s') => return Some(WatchEffect::Stop),
            Key::Char('r') => return Some(WatchEffect::Resume),
            Key::Char('t') => return Some(WatchEffect::Retry(self.step()?.id.clone())),
            Key::Char('x') => return Some(WatchEffect::Skip(self.step()?.id.clone())),
            Key::Char('A') => {
                let label = "End the run as failed? Type `abort`:";
                self.prompt = Some(Prompt::new(WatchPrompt::Abort, label));
            }
            Key::Char('L') => return self.land_effect(),
            Key::Char('U') => {
                let label = "Take the run's changes out of your checkout? Type `undo`:";
                self.prompt = Some(Prompt::new(WatchPrompt::Undo, label));
            }
            _ => {}
        }
        None
    }

    fn type_key(&mut self, key: Key) -> Option<WatchEffect> {
        let text = match self.prompt.as_mut()?.press(key) {
            PromptStep::Typing => return None,
            PromptStep::Cancelled => {
                self.prompt = None;
                return None;
            }
            PromptStep::Entered(text) => text,
        };
        match self.prompt.take()?.purpose {
            WatchPrompt::Abort if text == "abort" => Some(WatchEffect::Abort),
            WatchPrompt::Undo if text == "undo" => Some(WatchEffect::Undo),
            WatchPrompt::Abort | WatchPrompt::Undo => None,
            WatchPrompt::Land => {
                let settling = parse_settling(&text);
                if settling.is_none() {
                    let why = format!("`{text}` is neither `take` nor `keep`");
                    self.notice = Some(Notice::Failed(why));
                }
                settling.map(WatchEffect::Land)
            }
            WatchPrompt::Answer(_) if text.is_empty() => None,
            WatchPrompt::Answer(item) => Some(WatchEffect::Answer { item, text }),
        }
    }

    fn answer(&mut self) {
        self.open(WatchPane::Inbox);
        let Some(item) = self.selected_item() else {
            self.notice = Some(Notice::Done("nothing waits on you".to_owned()));
            return;
        };
        let label = format!("Answer ({}):", item.choices.join(" · "));
        self.prompt = Some(Prompt::new(WatchPrompt::Answer(item.id.clone()), label));
    }

    /// Files that are held need a word of the person; all else comes in as it is.
    fn land_effect(&mut self) -> Option<WatchEffect> {
        if self.data.run.held.is_empty() {
            return Some(WatchEffect::Land(Settling::Later));
        }
        self.open(WatchPane::Inbox);
        let label = "Held files: `take FILE` or `keep FILE` (without one: all):";
        self.prompt = Some(Prompt::new(WatchPrompt::Land, label));
        None
    }

    /// The next or the one before: of the inbox if that is open, else of the steps.
    fn move_selection(&mut self, by: isize) {
        let (at, count) = match self.pane {
            WatchPane::Inbox => (&mut self.item, self.data.run.inbox.len()),
            _ => (&mut self.selected, self.data.run.steps.len()),
        };
        *at = at.saturating_add_signed(by).min(count.saturating_sub(1));
        if self.pane != WatchPane::Inbox {
            self.follows = false;
            self.back = 0;
        }
    }

    fn open(&mut self, pane: WatchPane) {
        self.pane = pane;
        self.back = 0;
    }

    fn turn_pane(&mut self, by: usize) {
        let all = WatchPane::ALL;
        let at = all.iter().position(|pane| *pane == self.pane).unwrap_or(0);
        self.open(
            all.get((at + by) % all.len())
                .copied()
                .unwrap_or(WatchPane::Step),
        );
    }
}

/// What was typed about files that are held; `None` if it says nothing about them.
fn parse_settling(text: &str) -> Option<Settling> {
    let (word, file) = text.split_once(' ').unwrap_or((text, ""));
    let file = file.trim().to_owned();
    match word {
        "" => Some(Settling::Later),
        "take" => Some(Settling::Take(file)),
        "keep" => Some(Settling::Keep(file)),
        _ => None,
    }
}
