//! What a key does.

use super::{Review, ReviewEffect, ReviewPane, ReviewPrompt};
use crate::Key;
use crate::prompt::{Prompt, PromptStep};

/// Lines that a page has, roughly: enough to see where one was.
const PAGE: usize = 10;

impl Review {
    /// Takes a key; the effect that it asks for, if any.
    pub fn press(&mut self, key: Key) -> Option<ReviewEffect> {
        if self.prompt.is_some() {
            return self.type_key(key);
        }
        self.notice = None;
        if self.help {
            self.help = false;
            return None;
        }
        match key {
            Key::Char('q') | Key::Ctrl('c') | Key::Escape => return Some(ReviewEffect::Leave),
            Key::Char('?') => self.help = true,
            Key::Char('j') | Key::Down => self.select(self.selected + 1),
            Key::Char('k') | Key::Up => self.select(self.selected.saturating_sub(1)),
            Key::Char('g') | Key::Home => self.select(0),
            Key::Char('G') | Key::End => self.select(usize::MAX),
            Key::Tab | Key::Right | Key::Char('l') => self.turn_pane(1),
            Key::BackTab | Key::Left | Key::Char('h') => self.turn_pane(ReviewPane::ALL.len() - 1),
            Key::PageDown | Key::Char(' ') | Key::Ctrl('d') => self.scroll += PAGE,
            Key::PageUp | Key::Ctrl('u') => self.scroll = self.scroll.saturating_sub(PAGE),
            Key::Char(digit @ '1'..='6') => {
                let at = usize::from(u8::try_from(digit).unwrap_or(b'1') - b'1');
                self.open(ReviewPane::ALL.get(at).copied().unwrap_or(ReviewPane::Step));
            }
            Key::Char('J') | Key::AltDown => return self.move_step(1),
            Key::Char('K') | Key::AltUp => return self.move_step(-1),
            Key::Char('x') => {
                let step = self.step()?.id.clone();
                return Some(ReviewEffect::Skip(step));
            }
            Key::Char('a') => return Some(ReviewEffect::Sign),
            Key::Char('e') => return Some(ReviewEffect::EditText),
            Key::Char('S') => return Some(ReviewEffect::Start),
            Key::Char('R') | Key::Ctrl('l') => return Some(ReviewEffect::Reload),
            Key::Char('r') => {
                let label = "Reject, because (empty: no reason):";
                self.prompt = Some(Prompt::new(ReviewPrompt::Reject, label));
            }
            Key::Char('c') => {
                let step = self.step().map(|step| step.id.clone());
                let label = format!("Comment on {}:", step.as_deref().unwrap_or("the plan"));
                self.prompt = Some(Prompt::new(ReviewPrompt::Comment(step), label));
            }
            Key::Char('C') => {
                let prompt = Prompt::new(ReviewPrompt::Comment(None), "Comment on the plan:");
                self.prompt = Some(prompt);
            }
            Key::Char('d') => {
                self.open(ReviewPane::Comments);
                self.prompt = Some(Prompt::new(
                    ReviewPrompt::Resolve,
                    "Resolve comment (c1, c2, …):",
                ));
            }
            _ => {}
        }
        None
    }

    fn type_key(&mut self, key: Key) -> Option<ReviewEffect> {
        let prompt = self.prompt.as_mut()?;
        let text = match prompt.press(key) {
            PromptStep::Typing => return None,
            PromptStep::Cancelled => {
                self.prompt = None;
                return None;
            }
            PromptStep::Entered(text) => text,
        };
        let purpose = self.prompt.take()?.purpose;
        match purpose {
            ReviewPrompt::Reject => Some(ReviewEffect::Reject(text)),
            _ if text.is_empty() => None,
            ReviewPrompt::Comment(step) => Some(ReviewEffect::Comment { step, text }),
            ReviewPrompt::Resolve => Some(ReviewEffect::Resolve(text)),
        }
    }

    fn select(&mut self, at: usize) {
        let last = self.data.plan.steps.len().saturating_sub(1);
        self.selected = at.min(last);
        if self.pane == ReviewPane::Step {
            self.scroll = 0;
        }
    }

    fn open(&mut self, pane: ReviewPane) {
        self.pane = pane;
        self.scroll = 0;
    }

    fn turn_pane(&mut self, by: usize) {
        let all = ReviewPane::ALL;
        let at = all.iter().position(|pane| *pane == self.pane).unwrap_or(0);
        self.open(
            all.get((at + by) % all.len())
                .copied()
                .unwrap_or(ReviewPane::Step),
        );
    }

    /// One place up or down. Whether that is allowed is not decided here.
    fn move_step(&mut self, by: isize) -> Option<ReviewEffect> {
        let step = self.step()?;
        let at = self.selected.checked_add_signed(by)?;
        let other = self.data.plan.steps.get(at)?.id.clone();
        let effect = ReviewEffect::Move {
            step: step.id.clone(),
            other,
            before: by < 0,
        };
        // A step without a name of its own has another id afterwards.
        self.follow = Some(step.title.clone());
        Some(effect)
    }
}
