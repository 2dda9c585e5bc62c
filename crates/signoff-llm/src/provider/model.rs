//! A provider's model: sends the prompt, reads the answer while it comes, tries again where that may help.

use serde_json::Value;

use super::lines::EventLines;
use super::wire::{Answer, Stop, error_text, request};
use super::{Provider, ProviderRequest, ProviderResponse, Transport, TransportError, retry};
use crate::complete::{Complete, CompleteError, Completion, Truncation, Usage};
use crate::reply::REPLY_BYTES;

/// Bytes of an answer that are kept: a little more than is read, so that a longer one is known to be.
const KEPT: usize = 2 * REPLY_BYTES;
/// Bytes of a stream that are read: events are longer than their text.
const READ: usize = 16 << 20;
/// Bytes of a refusal that are read.
const REFUSAL: usize = 16 << 10;
/// Characters of a refusal that are shown.
const SHOWN: usize = 300;

/// Tokens of one answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelTokens {
    /// Of the prompt, without those below.
    pub input: u64,
    /// Of the prompt, read from a cache.
    pub cached: u64,
    /// Of the prompt, written to a cache.
    pub cache_write: u64,
    /// Of the answer.
    pub output: u64,
}

impl ModelTokens {
    fn sum(self) -> u64 {
        let parts = [self.input, self.cached, self.cache_write, self.output];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

/// What tokens of a model cost, in micro-dollars, if that is known.
type Price = dyn Fn(&str, ModelTokens) -> Option<u64>;

/// A model that a provider serves.
pub struct ProviderModel<T> {
    /// Whose wire format it speaks.
    pub provider: Provider,
    /// Where it is.
    pub base_url: String,
    /// Its name.
    pub model: String,
    /// What lets us in. It is in no message.
    pub key: Option<String>,
    /// What it costs.
    pub price: Box<Price>,
    /// Sends the requests.
    pub transport: T,
}

impl<T> std::fmt::Debug for ProviderModel<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderModel")
            .field("provider", &self.provider)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// What became of one try.
enum TryOutcome {
    Answered(Completion),
    /// Not to be tried again.
    Failed(String),
    /// To be tried again, after what the server says.
    Passing(String, Option<String>),
}

impl<T: Transport> Complete for ProviderModel<T> {
    fn complete(&mut self, prompt: &str) -> Result<Completion, CompleteError> {
        let key = self.key.as_deref();
        let request = request(self.provider, &self.base_url, &self.model, key, prompt);
        let mut usage = Usage::default();
        let mut tries = 0;
        let message = loop {
            tries += 1;
            let (why, retry_after) = match self.try_once(&request, &mut usage) {
                TryOutcome::Answered(completion) => return Ok(completion),
                TryOutcome::Failed(why) => break why,
                TryOutcome::Passing(why, retry_after) => (why, retry_after),
            };
            if tries == retry::MAX_TRIES {
                break format!("{why}; it was tried {tries} times");
            }
            let pause = retry::pause(tries, retry_after.as_deref(), self.transport.now());
            let Some(pause) = pause else {
                break format!(
                    "{why}, and wants a pause of more than {} s",
                    retry::LONGEST_WAIT.as_secs()
                );
            };
            if let Err(error) = self.transport.wait(pause) {
                break transport_text(error).unwrap_or(why);
            }
        };
        let message = self.without_key(message);
        Err(CompleteError { message, usage })
    }
}

impl<T: Transport> ProviderModel<T> {
    /// Asks once. What an answer used that cannot be taken is added.
    fn try_once(&mut self, request: &ProviderRequest, usage: &mut Usage) -> TryOutcome {
        let response = match self.transport.send(request) {
            Ok(response) => response,
            Err(error) => return of_transport(error),
        };
        if response.status != 200 {
            return self.refused_response(response);
        }
        let mut answer = Answer::default();
        let ended = read(self.provider, response, &mut answer);
        let used = self.usage(&answer);
        let tried = match ended {
            Ok(End::Said(cut)) => {
                usage.add(&used);
                return TryOutcome::Answered(Completion {
                    text: answer.text,
                    cut,
                    usage: std::mem::take(usage),
                });
            }
            Ok(End::Refused(why)) => {
                let name = self.provider.name();
                TryOutcome::Failed(format!(
                    "{name} did not finish its answer: {}",
                    shorten(&why)
                ))
            }
            Ok(End::BrokenOff) => {
                let name = self.provider.name();
                TryOutcome::Passing(format!("the answer of {name} broke off"), None)
            }
            Ok(End::Failed(why)) => TryOutcome::Passing(self.provider_message(&why), None),
            Err(error) => of_transport(error),
        };
        usage.add(&used);
        tried
    }

    fn refused_response(&self, mut response: ProviderResponse) -> TryOutcome {
        let status = response.status;
        let mut body = Vec::new();
        while let Ok(Some(bytes)) = response.body.next_bytes() {
            body.extend(bytes);
            if body.len() > REFUSAL {
                break;
            }
        }
        let said: Option<Value> = serde_json::from_slice(&body).ok();
        let said = said.as_ref().and_then(error_text);
        let name = self.provider.name();
        let mut message = format!("{name} answered with status {status}");
        if let Some(said) = said {
            message = format!("{message}: {}", shorten(&said));
        }
        match status {
            status if retry::is_temporary(status) => {
                TryOutcome::Passing(message, response.retry_after)
            }
            300..=399 => TryOutcome::Failed(format!("{message}, and redirects are not followed")),
            401 | 403 => TryOutcome::Failed(format!("{message}; see `[llm] key_command`")),
            _ => TryOutcome::Failed(message),
        }
    }

    fn provider_message(&self, why: &str) -> String {
        format!("{} says: {}", self.provider.name(), shorten(why))
    }

    fn usage(&self, answer: &Answer) -> Usage {
        let tokens = answer.tokens.sum();
        let model = answer.model.clone().unwrap_or_else(|| self.model.clone());
        Usage {
            usd_e6: (self.price)(&model, answer.tokens).filter(|_| tokens > 0),
            tokens: (tokens > 0).then_some(tokens),
            model: Some(model),
        }
    }

    /// Servers may repeat it.
    fn without_key(&self, message: String) -> String {
        match self.key.as_deref() {
            Some(key) if !key.is_empty() => message.replace(key, "[redacted]"),
            _ => message,
        }
    }
}

/// How an answer ended.
enum End {
    /// With what the model had to say, or a part of it.
    Said(Option<Truncation>),
    /// Before its end.
    BrokenOff,
    /// By the provider, for this reason.
    Refused(String),
    /// With what the provider says.
    Failed(String),
}

fn read(
    provider: Provider,
    mut response: ProviderResponse,
    answer: &mut Answer,
) -> Result<End, TransportError> {
    let mut lines = EventLines::default();
    let mut received = 0_usize;
    while let Some(bytes) = response.body.next_bytes()? {
        received = received.saturating_add(bytes.len());
        for event in lines.push(&bytes) {
            answer.take_event(provider, &event);
        }
        if answer.text.len() > KEPT || received > READ {
            let bytes = received.max(answer.text.len()) as u64;
            answer.text.clear();
            return Ok(End::Said(Some(Truncation::TooLarge { bytes })));
        }
    }
    if let Some(event) = lines.finish() {
        answer.take_event(provider, &event);
    }
    if let Some(error) = answer.error.take() {
        return Ok(End::Failed(error));
    }
    Ok(match answer.stop.take() {
        _ if !answer.is_complete => End::BrokenOff,
        None => End::Said(None),
        Some(Stop::TokenLimit) => End::Said(Some(Truncation::TokenLimit)),
        Some(Stop::Refused(why)) => End::Refused(why),
    })
}

fn of_transport(error: TransportError) -> TryOutcome {
    match error {
        TransportError::Passing(why) => TryOutcome::Passing(why, None),
        error => {
            TryOutcome::Failed(transport_text(error).unwrap_or_else(|| "it was stopped".to_owned()))
        }
    }
}

fn transport_text(error: TransportError) -> Option<String> {
    match error {
        TransportError::Lasting(why) | TransportError::Passing(why) => Some(why),
        TransportError::Stopped => None,
    }
}

/// On one line, and not a whole page.
fn shorten(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(SHOWN).collect()
}
