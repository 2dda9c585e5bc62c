//! Console examples in markdown: finds the fenced blocks, reads commands and expected output from
//! them, and compares that with what was printed. CONTRIBUTING.md describes the syntax.

/// A markdown file, taken apart as far as its examples need it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub fences: Vec<Fence>,
    /// The lines outside of fences, with their numbers.
    pub prose: Vec<(usize, String)>,
}

/// A fenced block.
#[derive(Debug, PartialEq, Eq)]
pub struct Fence {
    /// The line of its opening, from 1.
    pub line: usize,
    /// What follows the opening backticks, such as `markdown file=plan.md`.
    pub info: String,
    pub text: String,
    /// Four backticks or more, and no file: shows an example as it is written, and means nothing
    /// itself.
    pub literal: bool,
}

impl Fence {
    /// The first word after the backticks.
    pub fn language(&self) -> &str {
        self.info.split_whitespace().next().unwrap_or_default()
    }

    /// The file that this block is, from `file=PATH` or `title=PATH`.
    pub fn file(&self) -> Option<&str> {
        let mut words = self.info.split_whitespace();
        words.find_map(|word| word.strip_prefix("file=").or(word.strip_prefix("title=")))
    }
}

/// Takes a markdown file apart. A fence that is never closed is an error: in markdown it would
/// swallow the rest of the page.
pub fn scan(markdown: &str) -> Result<Document, String> {
    let mut document = Document::default();
    let mut open: Option<(Fence, Opening)> = None;
    for (index, line) in markdown.lines().enumerate() {
        let number = index + 1;
        open = match open {
            Some((fence, opening)) if opening.is_closed_by(line) => {
                document.fences.push(fence);
                None
            }
            Some((mut fence, opening)) => {
                fence.text.push_str(opening.without_prefix(line));
                fence.text.push('\n');
                Some((fence, opening))
            }
            None => {
                let found = Opening::of(line);
                if found.is_none() {
                    document.prose.push((number, line.to_owned()));
                }
                found.map(|(opening, info)| (fence(number, &opening, info), opening))
            }
        };
    }
    match open {
        Some((fence, _)) => Err(format!("line {}: the fence is never closed", fence.line)),
        None => Ok(document),
    }
}

fn fence(line: usize, opening: &Opening, info: &str) -> Fence {
    let mut fence = Fence {
        line,
        info: info.trim().to_owned(),
        text: String::new(),
        literal: false,
    };
    fence.literal = opening.length > 3 && fence.file().is_none();
    fence
}

/// How a fence was opened: what stood before it, of which character, how many.
struct Opening {
    prefix: String,
    mark: char,
    length: usize,
}

impl Opening {
    /// The opening and the text after it. Fences in lists and quotes count too: nothing escapes.
    fn of(line: &str) -> Option<(Self, &str)> {
        let (prefix, rest) = split_prefix(line);
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = rest.trim_start_matches(mark);
        let length = rest.len() - info.len();
        let opening = Self {
            prefix: prefix.to_owned(),
            mark,
            length,
        };
        (length >= 3 && !info.contains('`')).then_some((opening, info))
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let (_, rest) = split_prefix(line);
        let after = rest.trim_start_matches(self.mark);
        rest.len() - after.len() >= self.length && after.trim().is_empty()
    }

    /// The line without the indentation or quote marks that the opening had.
    fn without_prefix<'a>(&self, line: &'a str) -> &'a str {
        let same = |(a, b): &(char, char)| a == b;
        let shared = self.prefix.chars().zip(line.chars()).take_while(same);
        &line[shared.map(|(c, _)| c.len_utf8()).sum()..]
    }
}

fn split_prefix(line: &str) -> (&str, &str) {
    let rest = line.trim_start_matches([' ', '\t', '>']);
    line.split_at(line.len() - rest.len())
}

/// One command of a console block.
#[derive(Debug, PartialEq, Eq)]
pub struct Example {
    /// Its line in the markdown file, from 1.
    pub line: usize,
    pub command: String,
    /// `None` where the block shows no output.
    pub output: Option<Vec<String>>,
    pub code: i32,
}

/// The commands of a `console` block, in order.
pub fn examples(fence: &Fence) -> Result<Vec<Example>, String> {
    let mut found: Vec<Example> = Vec::new();
    let mut lines = fence.text.lines().zip(fence.line + 1..);
    while let Some((text, line)) = lines.next() {
        if let Some(command) = text.strip_prefix("$ ") {
            let mut command = command.to_owned();
            while command.ends_with('\\') {
                let (more, _) = lines
                    .next()
                    .ok_or_else(|| format!("line {line}: the command goes on after the block"))?;
                command.push('\n');
                command.push_str(more);
            }
            found.push(Example {
                line,
                command,
                output: None,
                code: 0,
            });
            continue;
        }
        let Some(example) = found.last_mut() else {
            return Err(format!("line {line}: a console block begins with `$ `"));
        };
        example.output.get_or_insert_default().push(text.to_owned());
    }
    found.iter_mut().for_each(read_code);
    Ok(found)
}

/// Takes the line `? N` from the end of the output, and blank lines before it.
fn read_code(example: &mut Example) {
    let Some(output) = &mut example.output else {
        return;
    };
    trim(output);
    let code = output
        .last()
        .and_then(|line| line.strip_prefix("? ")?.parse().ok());
    if let Some(code) = code {
        example.code = code;
        output.pop();
        trim(output);
    }
    if output.is_empty() {
        example.output = None;
    }
}

fn trim(lines: &mut Vec<String>) {
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
}

/// Is this what the example shows? `…` alone on a line stands for any lines, `…` or `[..]` within
/// a line for any text. Blanks at the ends of lines, and empty lines at the end, do not count.
pub fn matches(expected: &[String], printed: &str) -> bool {
    let mut printed: Vec<String> = printed.lines().map(str::to_owned).collect();
    trim(&mut printed);
    lines_match(expected, &printed)
}

fn lines_match(expected: &[String], printed: &[String]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line.trim() == "…" => {
            (0..=printed.len()).any(|skipped| lines_match(rest, &printed[skipped..]))
        }
        Some((line, rest)) => printed.split_first().is_some_and(|(first, others)| {
            line_matches(line.trim_end(), first.trim_end()) && lines_match(rest, others)
        }),
    }
}

fn line_matches(pattern: &str, line: &str) -> bool {
    let pattern = pattern.replace("[..]", "…");
    let Some((first, rest)) = pattern.split_once('…') else {
        return pattern == line;
    };
    let Some(mut line) = line.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('…').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match line.split_once(part) {
            Some((_, after)) => line = after,
            None => return false,
        }
    }
    line.ends_with(last)
}

#[cfg(test)]
mod tests;
