//! Requests to providers, within the limits of `[llm]`.

use std::ffi::OsString;
use std::time::{Duration, Instant, SystemTime};

use signoff_llm::{ProviderRequest, ProviderResponse, ResponseBody, Transport, TransportError};
use signoff_plan::duration::format;
use signoff_work::http::stream::{Post, Stream, StreamError, StreamLimits, post};

use crate::local::QuestionStop;
use crate::project::{Project, random};

/// How often it checks whether the person stopped it.
const LOOK: Duration = Duration::from_millis(50);

/// Sends over HTTP.
#[derive(Debug)]
pub(in crate::planning) struct HttpTransport {
    environment: Vec<(OsString, OsString)>,
    timeout: Duration,
    idle: Duration,
    stop: QuestionStop,
}

impl HttpTransport {
    pub(super) fn new(project: &Project, stop: QuestionStop) -> Self {
        let variables = project.process.variables.iter();
        Self {
            environment: variables
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            timeout: project.config.llm.timeout.value,
            idle: project.config.llm.idle_timeout.value,
            stop,
        }
    }

    /// The person stopped it.
    pub(in crate::planning) fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }
}

impl Transport for HttpTransport {
    fn send(&mut self, request: &ProviderRequest) -> Result<ProviderResponse, TransportError> {
        let limits = StreamLimits {
            idle: self.idle,
            deadline: Instant::now() + self.timeout,
        };
        let stop = self.stop.clone();
        let request = Post {
            url: request.url.clone(),
            headers: request.headers.clone(),
            body: request.body.clone(),
        };
        let errors = StreamErrors {
            timeout: self.timeout,
            idle: self.idle,
        };
        let is_stopped = Box::new(move || stop.is_stopped());
        let (head, stream) = post(request, self.environment.clone(), limits, is_stopped)
            .map_err(|error| errors.text(error))?;
        Ok(ProviderResponse {
            status: head.status,
            retry_after: head.retry_after,
            body: Box::new(HttpBody { stream, errors }),
        })
    }

    fn wait(&mut self, time: Duration) -> Result<(), TransportError> {
        let longer = time.mul_f64(f64::from(random() % 256) / 1024.0);
        let end = Instant::now() + time + longer;
        while Instant::now() < end {
            if self.stop.is_stopped() {
                return Err(TransportError::Stopped);
            }
            std::thread::sleep(LOOK.min(end.saturating_duration_since(Instant::now())));
        }
        Ok(())
    }

    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

struct HttpBody {
    stream: Stream,
    errors: StreamErrors,
}

impl ResponseBody for HttpBody {
    fn next_bytes(&mut self) -> Result<Option<Vec<u8>>, TransportError> {
        let bytes = self.stream.next_bytes();
        bytes.map_err(|error| self.errors.text(error))
    }
}

/// Says what failed, with the limits that were in force.
struct StreamErrors {
    timeout: Duration,
    idle: Duration,
}

impl StreamErrors {
    fn text(&self, error: StreamError) -> TransportError {
        match error {
            StreamError::Refused(why) => TransportError::Lasting(why),
            StreamError::Unreachable(why) => TransportError::Passing(why),
            // Another try would take as long again.
            StreamError::Idle => {
                let limit = format(self.idle);
                TransportError::Lasting(format!("the provider said nothing for {limit}"))
            }
            StreamError::TimedOut => {
                let limit = format(self.timeout);
                TransportError::Lasting(format!("the provider gave no answer within {limit}"))
            }
            StreamError::Stopped => TransportError::Stopped,
        }
    }
}
