//! Providers' wire formats, with a transport that answers what a test wrote down.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use signoff_llm::{
    Complete, CompleteError, Completion, ModelTokens, Provider, ProviderModel, ProviderRequest,
    ProviderResponse, ResponseBody, Transport, TransportError, Truncation,
};

const ALL: [Provider; 4] = [
    Provider::Anthropic,
    Provider::OpenAi,
    Provider::Gemini,
    Provider::Ollama,
];
const KEY: &str = "sk-very-secret";

/// What one request gets.
enum Reply {
    Stream(&'static [u8]),
    /// A stream that goes on with this for ever.
    Endless(&'static [u8]),
    Status(u16, Option<&'static str>, &'static str),
    Broken(TransportError),
}

#[derive(Default)]
struct Written {
    replies: VecDeque<Reply>,
    requests: Vec<ProviderRequest>,
    waits: Vec<Duration>,
}

impl Transport for Written {
    fn send(&mut self, request: &ProviderRequest) -> Result<ProviderResponse, TransportError> {
        self.requests.push(request.clone());
        let (status, retry_after, body) = match self.replies.pop_front().expect("a reply") {
            Reply::Stream(bytes) => (200, None, pieces(bytes)),
            Reply::Endless(bytes) => (200, None, WrittenBody::Endless(bytes)),
            Reply::Status(status, after, text) => (status, after, pieces(text.as_bytes())),
            Reply::Broken(error) => return Err(error),
        };
        Ok(ProviderResponse {
            status,
            retry_after: retry_after.map(str::to_owned),
            body: Box::new(body),
        })
    }

    fn wait(&mut self, time: Duration) -> Result<(), TransportError> {
        self.waits.push(time);
        Ok(())
    }

    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }
}

enum WrittenBody {
    Pieces(VecDeque<Vec<u8>>),
    Endless(&'static [u8]),
}

/// In small pieces, so that lines and characters are cut.
fn pieces(bytes: &[u8]) -> WrittenBody {
    WrittenBody::Pieces(bytes.chunks(7).map(<[u8]>::to_vec).collect())
}

impl ResponseBody for WrittenBody {
    fn next_bytes(&mut self) -> Result<Option<Vec<u8>>, TransportError> {
        match self {
            Self::Pieces(pieces) => Ok(pieces.pop_front()),
            Self::Endless(bytes) => Ok(Some(bytes.repeat(1024))),
        }
    }
}

type Asked = (Result<Completion, CompleteError>, Written);

fn ask(provider: Provider, replies: impl IntoIterator<Item = Reply>) -> Asked {
    let mut model = ProviderModel {
        provider,
        base_url: provider.base_url().to_owned(),
        model: "m-1".to_owned(),
        key: Some(KEY.to_owned()),
        price: Box::new(|_, tokens: ModelTokens| Some(tokens.output * 2)),
        transport: Written {
            replies: replies.into_iter().collect(),
            ..Written::default()
        },
    };
    let answer = model.complete("Plan it, jäger");
    (answer, model.transport)
}

/// An answer `Grüße`, with 10 tokens of input, of which 4 were cached, and 5 of output.
fn stream(provider: Provider) -> &'static [u8] {
    match provider {
        Provider::Anthropic => concat!(
            "event: message_start\n",
            r#"data: {"type":"message_start","message":{"model":"m-1-dated","usage":{"input_tokens":6,"cache_read_input_tokens":4,"cache_creation_input_tokens":0,"output_tokens":1}}}"#,
            "\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n",
            r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            "\n\n",
            r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grü"}}"#,
            "\n\n",
            r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ße"}}"#,
            "\n\n",
            r#"data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}"#,
            "\n\ndata: {\"type\":\"message_stop\"}\n\n",
        ),
        Provider::OpenAi => concat!(
            r#"data: {"model":"m-1-dated","choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}"#,
            "\n\n",
            r#"data: {"model":"m-1-dated","choices":[{"delta":{"content":"Grü"},"finish_reason":null}]}"#,
            "\n\n",
            r#"data: {"model":"m-1-dated","choices":[{"delta":{"content":"ße"},"finish_reason":"stop"}]}"#,
            "\n\n",
            r#"data: {"model":"m-1-dated","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}}"#,
            "\n\ndata: [DONE]\n\n",
        ),
        Provider::Gemini => concat!(
            r#"data: {"candidates":[{"content":{"parts":[{"text":"hm","thought":true}]}}],"modelVersion":"m-1-dated"}"#,
            "\r\n\r\n",
            r#"data: {"candidates":[{"content":{"parts":[{"text":"Grü"},{"text":"ße"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":3,"thoughtsTokenCount":2},"modelVersion":"m-1-dated"}"#,
            "\r\n\r\n",
        ),
        Provider::Ollama => concat!(
            r#"{"model":"m-1-dated","message":{"role":"assistant","content":"Grü"},"done":false}"#,
            "\n",
            r#"{"model":"m-1-dated","message":{"role":"assistant","content":"ße"},"done":false}"#,
            "\n",
            r#"{"model":"m-1-dated","message":{"role":"assistant","content":""},"done":true,"prompt_eval_count":10,"eval_count":5}"#,
        ),
    }
    .as_bytes()
}

#[test]
fn every_format_is_read() {
    for provider in ALL {
        let (answer, transport) = ask(provider, [Reply::Stream(stream(provider))]);
        let answer = answer.unwrap();
        assert_eq!(answer.text, "Grüße", "{provider:?}");
        assert_eq!(answer.usage.tokens, Some(15), "{provider:?}");
        assert_eq!(answer.usage.usd_e6, Some(10), "{provider:?}");
        assert_eq!(answer.usage.model.as_deref(), Some("m-1-dated"));
        let [request] = transport.requests.as_slice() else {
            panic!("one request");
        };
        let body: Value = serde_json::from_str(&request.body).unwrap();
        assert!(body.to_string().contains("Plan it, jäger"), "{body}");
        let with_key: Vec<_> = request
            .headers
            .iter()
            .filter(|(_, value)| value.contains(KEY))
            .collect();
        assert_eq!(with_key.len(), 1);
        assert!(!request.url.contains(KEY) && !request.body.contains(KEY));
        assert!(!format!("{request:?}").contains(KEY));
    }
}

#[test]
fn half_an_answer_is_asked_for_again_and_none_in_the_end() {
    for provider in ALL {
        let whole = stream(provider);
        let half = || Reply::Stream(&whole[..whole.len() / 2]);
        let (answer, transport) = ask(provider, [half(), Reply::Stream(whole)]);
        assert_eq!(answer.unwrap().text, "Grüße", "{provider:?}");
        assert_eq!(transport.waits.len(), 1);
        let (answer, transport) = ask(provider, [half(), half(), half(), half()]);
        let message = answer.unwrap_err().message;
        let name = provider.name();
        assert_eq!(
            message,
            format!("the answer of {name} broke off; it was tried 4 times")
        );
        assert_eq!(transport.waits.len(), 3);
    }
}

/// The same answer, which ends with this word instead of the provider's usual one.
fn ended_with(provider: Provider, word: &str) -> Reply {
    let text = std::str::from_utf8(stream(provider)).expect("it was written as text");
    let (usual, other) = match provider {
        Provider::Anthropic => ("\"end_turn\"", format!("{word:?}")),
        Provider::OpenAi => ("\"stop\"", format!("{word:?}")),
        Provider::Gemini => ("\"STOP\"", format!("{word:?}")),
        Provider::Ollama => ("true,", format!("true,\"done_reason\":{word:?},")),
    };
    assert!(text.contains(usual), "{text}");
    Reply::Stream(text.replace(usual, &other).leak().as_bytes())
}

#[test]
fn an_answer_that_a_limit_cut_off_is_known_to_be_no_whole_one() {
    for (provider, word) in [
        (Provider::Anthropic, "max_tokens"),
        (Provider::OpenAi, "length"),
        (Provider::Gemini, "MAX_TOKENS"),
        (Provider::Ollama, "length"),
    ] {
        let (answer, transport) = ask(provider, [ended_with(provider, word)]);
        let answer = answer.unwrap();
        assert_eq!(answer.cut, Some(Truncation::TokenLimit), "{provider:?}");
        assert_eq!(answer.usage.tokens, Some(15), "{provider:?}");
        // To be cut off again.
        assert_eq!(transport.requests.len(), 1, "{provider:?}");
    }
}

#[test]
fn a_refusal_is_no_answer() {
    for (provider, word) in [
        (Provider::Anthropic, "refusal"),
        (Provider::OpenAi, "content_filter"),
        (Provider::Gemini, "SAFETY"),
    ] {
        let (answer, transport) = ask(provider, [ended_with(provider, word)]);
        let error = answer.unwrap_err();
        let expected = format!("{} did not finish its answer: {word}", provider.name());
        assert_eq!(error.message, expected);
        assert_eq!(error.usage.tokens, Some(15), "{provider:?}");
        assert_eq!(transport.requests.len(), 1, "{provider:?}");
    }
}

#[test]
fn garbage_is_no_answer() {
    let garbage = b"data: {\"type\": <html>\x00\x01\xff\xfe what?\n\n]]}\n\ndata: 17\n\n";
    for provider in ALL {
        let (answer, _) = ask(provider, [(); 4].map(|()| Reply::Stream(garbage)));
        assert!(
            answer.unwrap_err().message.contains("broke off"),
            "{provider:?}"
        );
    }
}

#[test]
fn a_busy_server_is_asked_again_when_it_says() {
    for status in [408, 429, 500, 502, 503, 504, 529] {
        let provider = Provider::Anthropic;
        let replies = [
            Reply::Status(status, Some("7"), "{}"),
            Reply::Status(status, Some("Thu, 01 Jan 1970 00:00:09 GMT"), "busy"),
            Reply::Status(status, None, ""),
            Reply::Stream(stream(provider)),
        ];
        let (answer, transport) = ask(provider, replies);
        assert_eq!(answer.unwrap().text, "Grüße", "{status}");
        let seconds: Vec<u64> = transport.waits.iter().map(Duration::as_secs).collect();
        assert_eq!(seconds, [7, 9, 4], "{status}");
    }
    let (answer, transport) = ask(
        Provider::OpenAi,
        [Reply::Status(
            429,
            Some("3600"),
            r#"{"error": {"message": "slow down"}}"#,
        )],
    );
    assert_eq!(
        answer.unwrap_err().message,
        "openai answered with status 429: slow down, and wants a pause of more than 60 s"
    );
    assert_eq!(transport.waits, []);
}

#[test]
fn what_would_fail_again_is_not_asked_again() {
    let check = |reply: Reply, expected: &str| {
        let (answer, transport) = ask(Provider::OpenAi, [reply]);
        assert_eq!(answer.unwrap_err().message, expected);
        assert_eq!(transport.requests.len(), 1);
    };
    check(
        Reply::Status(
            401,
            None,
            r#"{"error": {"message": "wrong key sk-very-secret"}}"#,
        ),
        "openai answered with status 401: wrong key [redacted]; see `[llm] key_command`",
    );
    check(
        Reply::Status(307, None, ""),
        "openai answered with status 307, and redirects are not followed",
    );
    check(
        Reply::Status(404, None, "<html>sk-very-secret</html>"),
        "openai answered with status 404",
    );
    let silent = TransportError::Lasting("the provider said nothing for 5m".to_owned());
    check(Reply::Broken(silent), "the provider said nothing for 5m");
    check(Reply::Broken(TransportError::Stopped), "it was stopped");
}

#[test]
fn an_error_in_the_stream_is_told() {
    let failing: [(Provider, &[u8]); 4] = [
        (
            Provider::Anthropic,
            b"data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
        ),
        (Provider::OpenAi, b"data: {\"error\":{\"message\":\"Overloaded\"}}\n\n"),
        (Provider::Gemini, b"data: {\"error\":{\"message\":\"Overloaded\",\"code\":503}}\n\n"),
        (Provider::Ollama, b"{\"error\":\"Overloaded\"}\n"),
    ];
    for (provider, bytes) in failing {
        let (answer, _) = ask(provider, [(); 4].map(|()| Reply::Stream(bytes)));
        let message = answer.unwrap_err().message;
        assert!(
            message.contains("says: Overloaded; it was tried 4"),
            "{message}"
        );
    }
}

#[test]
fn an_endless_stream_is_left() {
    let endless: [(Provider, &[u8]); 3] = [
        (
            Provider::Ollama,
            b"{\"message\":{\"content\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"},\"done\":false}\n",
        ),
        (Provider::Anthropic, b"data: {\"type\":\"ping\"}\n\n"),
        (Provider::OpenAi, b"data: {\"x\": \"no end of a line"),
    ];
    for (provider, bytes) in endless {
        let (answer, _) = ask(provider, [Reply::Endless(bytes)]);
        let answer = answer.unwrap();
        assert!(
            matches!(answer.cut, Some(Truncation::TooLarge { bytes }) if bytes > 2 << 20),
            "{provider:?}"
        );
    }
}
