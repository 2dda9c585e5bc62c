//! Programs that run a file they are given.

/// How the arguments of an interpreter are read.
#[derive(Debug)]
pub(super) struct Interpreter {
    names: &'static [&'static str],
    /// Options that take the next word as their value.
    valued: &'static [&'static str],
    /// Options whose value is a file that is run too.
    files: &'static [&'static str],
    /// Options after which no file follows: the program is their value.
    inline: &'static [&'static str],
    /// Words that may stand before the file.
    subcommands: &'static [&'static str],
    pub(super) kind: InterpreterKind,
}

/// What an interpreter reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InterpreterKind {
    Shell,
    Python,
    /// `x` may be `x.js`.
    JavaScript,
    Other,
    /// It runs only the files that its options name.
    OptionsOnly,
    /// It has a shell run the text that an option gives it.
    Commands,
}

const fn interpreter(kind: InterpreterKind, names: &'static [&'static str]) -> Interpreter {
    Interpreter {
        names,
        valued: &[],
        files: &[],
        inline: &[],
        subcommands: &[],
        kind,
    }
}

const INTERPRETERS: [Interpreter; 11] = [
    Interpreter {
        inline: &["-c", "--command"],
        ..interpreter(InterpreterKind::Commands, &["script", "su", "runuser"])
    },
    Interpreter {
        valued: &["-o", "+o", "-O", "+O"],
        files: &["--rcfile", "--init-file"],
        inline: &["-c"],
        ..interpreter(
            InterpreterKind::Shell,
            &["bash", "sh", "dash", "zsh", "ksh", "ash", "fish"],
        )
    },
    Interpreter {
        valued: &["-W", "-X", "--check-hash-based-pycs"],
        inline: &["-c", "-m"],
        ..interpreter(
            InterpreterKind::Python,
            &["python", "python2", "python3", "pypy", "pypy3"],
        )
    },
    Interpreter {
        valued: &["--rcfile", "--source", "--include", "--omit", "--data-file"],
        inline: &["-m", "--module"],
        subcommands: &["run"],
        ..interpreter(InterpreterKind::Python, &["coverage", "coverage3"])
    },
    Interpreter {
        valued: &[
            "-C",
            "--conditions",
            "--env-file",
            "--test-reporter",
            "--test-name-pattern",
        ],
        files: &[
            "-r",
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
        ],
        inline: &["-e", "--eval", "-p", "--print", "--test"],
        ..interpreter(
            InterpreterKind::JavaScript,
            &["node", "nodejs", "tsx", "ts-node"],
        )
    },
    Interpreter {
        files: &["-r", "--preload"],
        inline: &["-e", "--eval", "test"],
        subcommands: &["run"],
        ..interpreter(InterpreterKind::JavaScript, &["bun", "deno"])
    },
    Interpreter {
        valued: &["-I"],
        inline: &["-e"],
        ..interpreter(
            InterpreterKind::Other,
            &[
                "ruby", "perl", "lua", "luajit", "Rscript", "julia", "elixir",
            ],
        )
    },
    Interpreter {
        valued: &["-d", "-c"],
        files: &["-f"],
        inline: &["-r"],
        ..interpreter(InterpreterKind::Other, &["php", "pwsh", "escript"])
    },
    Interpreter {
        subcommands: &["run"],
        ..interpreter(InterpreterKind::Other, &["go", "dart", "crystal", "swift"])
    },
    Interpreter {
        files: &["-f", "--file", "--makefile", "--justfile"],
        ..interpreter(InterpreterKind::OptionsOnly, &["make", "gmake", "just"])
    },
    Interpreter {
        files: &["-f", "--file"],
        ..interpreter(
            InterpreterKind::OptionsOnly,
            &["awk", "gawk", "mawk", "sed"],
        )
    },
];

/// Programs that start the program they are given, behind this word.
const LAUNCHERS: [(&str, &[&str]); 12] = [
    ("uv", &["run"]),
    ("poetry", &["run"]),
    ("pipenv", &["run"]),
    ("pdm", &["run"]),
    ("hatch", &["run"]),
    ("rye", &["run"]),
    ("bundle", &["exec"]),
    ("pnpm", &["exec", "dlx"]),
    ("npm", &["exec", "x"]),
    ("yarn", &["exec", "dlx"]),
    ("npx", &[]),
    ("uvx", &[]),
];

/// What the arguments of an interpreter name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InterpreterArguments {
    /// Positions of the files that are run.
    pub(super) files: Vec<usize>,
    /// Files that are part of a word (`--require=x.js`).
    pub(super) values: Vec<String>,
    pub(super) inline: Option<InlineProgram>,
    /// There is no file, so that it reads its input.
    pub(super) reads_input: bool,
}

/// A program that stands in an argument: the value of `-c` or `-m`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InlineProgram {
    pub(super) option: String,
    /// Position of the value.
    pub(super) at: usize,
}

/// The interpreter of this name; versions and directories do not matter (`/usr/bin/python3.12`).
pub(super) fn of(program: &str) -> Option<&'static Interpreter> {
    let name = program.rsplit('/').next().unwrap_or(program);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_named = |one: &&Interpreter| one.names.contains(&name) || one.names.contains(&stem);
    INTERPRETERS.iter().find(is_named)
}

/// Position of the program that a launcher starts.
pub(super) fn launched_program(program: &str, arguments: &[Option<&str>]) -> Option<usize> {
    let (_, words) = LAUNCHERS.iter().find(|(name, _)| *name == program)?;
    let is_option = |at: &usize| {
        let word = arguments.get(*at).copied().flatten();
        word.is_some_and(|word| word.starts_with('-'))
    };
    let mut positions = (0..arguments.len()).filter(|at| !is_option(at));
    if words.is_empty() {
        return positions.next();
    }
    let first = positions.next()?;
    let word = arguments.get(first).copied().flatten()?;
    words.contains(&word).then(|| positions.next())?
}

impl Interpreter {
    /// Reads the arguments; `None` stands for one that the text does not tell.
    pub(super) fn read(&self, arguments: &[Option<&str>]) -> InterpreterArguments {
        let mut found = InterpreterArguments {
            files: Vec::new(),
            values: Vec::new(),
            inline: None,
            reads_input: false,
        };
        let mut at = 0;
        let mut wants_subcommand = !self.subcommands.is_empty();
        while let Some(argument) = arguments.get(at) {
            let word = argument.unwrap_or_default();
            let option = word.split_once('=').filter(|_| word.starts_with("--"));
            if let Some((_, value)) = option.filter(|(name, _)| self.files.contains(name)) {
                found.values.push(value.to_owned());
            } else if self.files.contains(&word) {
                at += 1;
                found.files.push(at);
            } else if let Some(option) = self.inline_option(word) {
                found.inline = Some(InlineProgram { option, at: at + 1 });
                return found;
            } else if self.valued.contains(&word) || self.is_group_with_value(word) {
                at += 1;
            } else if wants_subcommand && !word.starts_with('-') {
                if !self.subcommands.contains(&word) {
                    // `bun x.ts` is `bun run x.ts`; `go test` runs no file.
                    if self.kind == InterpreterKind::JavaScript {
                        found.files.push(at);
                    }
                    return found;
                }
                wants_subcommand = false;
            } else if word == "-" || self.is_input(word) {
                found.reads_input = true;
                return found;
            } else if !matches!(
                self.kind,
                InterpreterKind::OptionsOnly | InterpreterKind::Commands
            ) && !word.starts_with(['-', '+'])
            {
                found.files.push(at);
                return found;
            }
            at += 1;
        }
        found.files.retain(|at| *at < arguments.len());
        found.reads_input = found.files.is_empty();
        found
    }

    /// The option that holds the program: also as the last letter of several (`bash -euc`).
    fn inline_option(&self, word: &str) -> Option<String> {
        let grouped = |option: &&&str| {
            option.len() == 2
                && word.len() > 2
                && !word.starts_with("--")
                && word.starts_with('-')
                && word.ends_with(option.trim_start_matches('-'))
                && matches!(
                    self.kind,
                    InterpreterKind::Shell | InterpreterKind::Python | InterpreterKind::Commands
                )
        };
        let found = self
            .inline
            .iter()
            .find(|option| word == **option || grouped(option));
        found.map(|option| (*option).to_owned())
    }

    /// `bash -euo pipefail`
    fn is_group_with_value(&self, word: &str) -> bool {
        self.kind == InterpreterKind::Shell
            && word.starts_with(['-', '+'])
            && !word.starts_with("--")
            && word.ends_with(['o', 'O'])
    }

    fn is_input(&self, word: &str) -> bool {
        self.kind == InterpreterKind::Shell && word == "-s"
    }
}
