//! Answers that are put together of pieces of good ones and of what breaks them.

use crate::exercise::reply;

const PIECES: [&str; 46] = [
    "---\n",
    "type: plan\n",
    "status: draft\n",
    "owner: me\n",
    "# T\n",
    "## Steps\n",
    "### 1. A\n",
    "### 2–N. B\n",
    "**task:** x\n",
    "**contract:**\n",
    "```shell\ntest -s x\n```\n",
    "```\n",
    "````\n",
    "````markdown\n",
    "~~~\n",
    "exit_code == 0\n",
    "**target:** coder\n",
    "{",
    "}",
    "[",
    "]",
    "\"steps\":",
    "\"plan\":",
    "\"reasoning\": \"r\"",
    "\"id\": \"a\"",
    "\"tool\": \"read_file\"",
    "\"args\": {}",
    ",",
    ":",
    "\"",
    "\\",
    "\\u0000",
    "//",
    "\n",
    " ",
    "\t",
    "\r\n",
    "\u{feff}",
    "\u{202e}",
    "\0",
    "1e999",
    "null",
    "{\"a\": 1}",
    "é",
    "😀",
    "-",
];

/// Random enough, and the same each time: a failure repeats.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).expect("it is below a usize")
    }
}

#[test]
fn any_pieces_are_read_or_refused() {
    let mut numbers = Numbers(0x5eed_1234_abcd_ef01);
    for _ in 0..4000 {
        let many = 1 + numbers.below(24);
        let text: String = (0..many)
            .map(|_| PIECES[numbers.below(PIECES.len())])
            .collect();
        reply(text.as_bytes());
    }
}

#[test]
fn good_answers_may_be_cut_and_disturbed_anywhere() {
    let good = [
        include_str!("../samples/record-prompt.md"),
        "Here.\n\n````markdown\n---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# T\n\n## Steps\n\n### 1. A\n\n**task:** x\n\n**contract:**\n```shell\ncargo test\n```\n````\nBye.\n",
        "{\"plan\": {\"title\": \"T\", \"steps\": [{\"index\": 0, \"description\": \"x // y\"}]}, \"reasoning\": \"so\"}",
        "```json\n{\"steps\": [{\"id\": \"a\", \"description\": \"d\", \"tool\": \"read_file\", \"args\": {\"path\": \"x\"}}], \"estimatedDuration\": 5}\n```",
        "{\"action\": \"retry\", \"args\": {\"path\": \"\\u00e9\"}, \"reason\": \"because\"}",
    ];
    let mut numbers = Numbers(0x0dd_ba11);
    for text in good {
        let bytes = text.as_bytes();
        reply(bytes);
        for _ in 0..400 {
            let at = numbers.below(bytes.len());
            reply(&bytes[..at]);
            let piece = PIECES[numbers.below(PIECES.len())].as_bytes();
            let disturbed = [&bytes[..at], piece, &bytes[at..]].concat();
            reply(&disturbed);
            let skip = (at + numbers.below(40)).min(bytes.len());
            reply(&[&bytes[..at], &bytes[skip..]].concat());
        }
    }
}

#[test]
fn what_the_fuzzer_found_is_read() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/reply");
    let mut files = 0;
    for entry in std::fs::read_dir(corpus).expect("the corpus is there") {
        let path = entry.expect("the corpus is readable").path();
        reply(&std::fs::read(path).expect("the corpus is readable"));
        files += 1;
    }
    assert!(files > 0);
}
