//! The inputs of a contract: files that it reads, and files that configure its runner. A change of one of them may
//! decide the verdict on the change itself.
//!
//! Names are all that is known here, so the result is neither complete nor proof. It holds the files that an honest
//! change seldom needs and that a dishonest one would start with.

mod details;
mod guessed_files;
mod judging_texts;
mod known_files;
mod libraries;
mod links;
mod local_configuration;
mod modules;
mod named_settings;
mod produces;
mod runner_files;
mod runners;
mod search_order;
mod search_settings;
mod shadows;

use std::cell::LazyCell;
use std::collections::BTreeSet;

use signoff_plan::glob;
use signoff_plan::model::{Contract, Step};
use signoff_plan::shell::{self, Analysis, Invocation, Script};

pub use self::details::{TreeChange, change_details, endings_to_query, paths_to_query};
use self::guessed_files::{GuessedFiles, is_told, unquoted_patterns};
pub use self::judging_texts::{JudgingText, called_scripts, note_judging_texts, searched_endings};
use self::known_files::Role;
use self::links::names_by;
pub use self::links::names_of;
use self::produces::DeclaredProducts;
pub use self::runner_files::{RunnerFile, called_files, runner_files};
pub(crate) use self::runners::is_runner;
use self::runners::{Family, Runners};
pub use self::search_settings::sets_search;
use self::shadows::PythonStarts;
use crate::changes::{ChangeDetails, Changes, Displaced, LinkEnd, NamedSettings, SearchedFile};

/// The inputs of contracts, its own or another step's, that an attempt changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedInputs {
    /// Files that the step's contract reads, or that a contract of the plan loads, in the order given. They are named
    /// in the evidence and are not failures.
    pub reads: Vec<String>,
    /// Those of them that configure a runner although `produces` does not name them: the attempt fails. Never test
    /// files.
    pub runner_config: Vec<String>,
    /// Those of them that are loaded in place of a module or a program of a runner, or of one that was there before,
    /// although `produces` does not name them: the attempt fails.
    pub shadows: Vec<String>,
    /// New files that a contract may load in place of a protected one, or of one that it names, depending on where it
    /// searches first: such a step is not proved.
    pub doubtful: Vec<Displaced>,
    /// Files that by their names are the settings of a program which a contract calls, although `produces` does not name
    /// them: such a step is not proved.
    pub settings: Vec<NamedSettings>,
    /// Archives, libraries and new files that may be found before what was there, because a contract or a signed script says
    /// where something is searched, although `produces` does not name them: such a step is not proved.
    pub searched: Vec<SearchedFile>,
    /// New files that the shell puts in the place of a pattern which the step's contract searches for without quotes: such a
    /// step is not proved.
    pub unquoted: Vec<String>,
}

/// How many files are named that one new file may be found before.
const MOST_DOUBTS: usize = 3;

/// Why a runner loads a file that its command line does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoadedAs {
    Configures,
    Shadows,
}

/// The inputs of contracts among the files that a step changed. All contracts of the plan count: one step may plant
/// a file that the contract of another one loads. Paths are within the workspace, with `/`.
pub fn changed_inputs(plan: &[Step], step: &Step, changes: &Changes) -> ChangedInputs {
    let mut found = ChangedInputs::default();
    let changed = changes.files.as_deref().unwrap_or_default();
    // Most steps of a large plan are checks, and reading all its contracts for each would take longer than they do.
    if changed.is_empty() {
        return found;
    }
    let (named, details) = (DeclaredProducts::new(step), &changes.details);
    let own = step.contract.as_ref().map(ContractText::new);
    let contracts = || plan.iter().filter_map(|step| step.contract.as_ref());
    let given: BTreeSet<String> = contracts()
        .flat_map(|contract| given_as_configuration(&contract.command))
        .collect();
    // A plan may have a thousand contracts, and few files are something to any of them.
    let all = LazyCell::new(|| contracts().map(ContractText::new).collect::<Vec<_>>());
    // A link made by this step does not make its target a declared product.
    let kept = details
        .links
        .iter()
        .filter(|one| !is_changed(changes, &one.link));
    let kept: Vec<&LinkEnd> = kept.collect();
    for path in changed {
        let names = names_of(path, details);
        let load_by = |one: &ContractText| names.iter().find_map(|name| one.load(name, details));
        let displaced = displaced_by(path, details, plan, &all);
        let mut load = own.as_ref().and_then(load_by);
        let may_be_loaded = |name: &String| given.contains(name) || may_be_loaded(name, details);
        if load.is_none() && (names.iter().any(may_be_loaded) || is_link(path, details)) {
            load = all.iter().find_map(load_by);
        }
        let is_named = || {
            names_by(path, &kept)
                .iter()
                .any(|name| named.produces(name))
        };
        let displaced = if displaced.is_empty() || is_named() {
            Vec::new()
        } else {
            displaced
        };
        let (maybe, sure): (Vec<Displaced>, Vec<Displaced>) =
            displaced.into_iter().partition(|one| one.maybe);
        if !sure.is_empty() {
            load = Some(LoadedAs::Shadows);
        }
        match load {
            Some(LoadedAs::Shadows) if !is_named() => found.shadows.push(path.clone()),
            Some(LoadedAs::Configures) if !is_named() => found.runner_config.push(path.clone()),
            Some(_) | None => {}
        }
        let is_read = own.as_ref().is_some_and(|own| {
            let mut names = names.iter();
            names.any(|name| own.reads(name, details))
        });
        let may_be_read = || {
            let is_old = !is_listed(path, &details.created);
            let own = own
                .as_ref()
                .filter(|_| is_old && !is_named() && !is_told(step, path));
            own.is_some_and(|own| names.iter().any(|name| own.guessed.may_be(name)))
        };
        let settings = match load {
            None if !is_named() => named_settings_among(path, details, &all),
            Some(_) | None => None,
        };
        let searched = details.searched.iter().filter(|one| one.file == *path);
        let searched: Vec<SearchedFile> = searched.filter(|_| !is_named()).cloned().collect();
        let is_named_by_script = || {
            let is_open = !is_named() && !is_told(step, path);
            let mut named = details.named.iter().filter(|one| one.file == *path);
            is_open && named.any(|one| is_run_by(&one.by, step, own.as_ref()))
        };
        let is_new = is_listed(plain_path(path), &details.created);
        let is_unquoted = is_new && own.as_ref().is_some_and(|own| own.expands_to(path));
        if is_unquoted {
            found.unquoted.push(path.clone());
        }
        let is_read = is_read
            || is_unquoted
            || !maybe.is_empty()
            || !searched.is_empty()
            || settings.is_some()
            || may_be_read()
            || is_named_by_script();
        // A package may lie around a thousand tests.
        found.doubtful.extend(maybe.into_iter().take(MOST_DOUBTS));
        found.settings.extend(settings);
        found.searched.extend(searched);
        if load.is_some() || is_read || details.links_out.contains(path) {
            found.reads.push(path.clone());
        }
    }
    found
}

/// The files that a new one is found before, as far as a contract relies on them: it names them, or a step protects them.
fn displaced_by<F: FnOnce() -> Vec<ContractText>>(
    path: &str,
    details: &ChangeDetails,
    plan: &[Step],
    contracts: &LazyCell<Vec<ContractText>, F>,
) -> Vec<Displaced> {
    let path = plain_path(path);
    let hidden = details.displaces.iter().filter(|one| one.file == path);
    hidden
        .filter_map(|one| counts_as(one, plan, contracts))
        .collect()
}

/// What a file that is found before another one is to the contracts, if anything.
fn counts_as<F: FnOnce() -> Vec<ContractText>>(
    one: &Displaced,
    plan: &[Step],
    contracts: &LazyCell<Vec<ContractText>, F>,
) -> Option<Displaced> {
    let hides = &one.hides;
    let loaded = contracts.iter();
    let loaded: Vec<&ContractText> = loaded
        .filter(|text| search_order::is_loaded_by(hides, &text.runners))
        .collect();
    let protects = |step: &Step| step.protects.iter().any(|by| glob::covers(by, hides));
    let is_protected = || !loaded.is_empty() && plan.iter().any(protects);
    if is_protected() || loaded.iter().any(|text| text.relies_on(hides)) {
        return Some(one.clone());
    }
    let always =
        |text: &&ContractText| search_order::always_counts(&one.file, hides, &text.commands);
    loaded.iter().any(always).then(|| Displaced {
        maybe: true,
        ..one.clone()
    })
}

/// Whether a step's contract runs a signed file, or the step protects it.
fn is_run_by(script: &str, step: &Step, own: Option<&ContractText>) -> bool {
    let protects = || step.protects.iter().any(|by| glob::covers(by, script));
    own.is_some_and(|own| own.runs(script) || protects())
}

/// The program of a contract, or of a signed script, whose settings a file is by its name, where the lists do not know it as
/// anything else.
fn named_settings_among<F: FnOnce() -> Vec<ContractText>>(
    path: &str,
    details: &ChangeDetails,
    contracts: &LazyCell<Vec<ContractText>, F>,
) -> Option<NamedSettings> {
    let name = plain_path(path);
    if !named_settings::may_be_settings(name) || known_files::role(name, &Runners::any()).is_some()
    {
        return None;
    }
    let mut by_script = details.settings.iter().filter(|one| one.file == path);
    let program_of = |text: &ContractText| text.program_with_settings(name, details);
    let by_contract = || {
        contracts
            .iter()
            .find_map(program_of)
            .map(|program| NamedSettings {
                file: path.to_owned(),
                program,
            })
    };
    by_script.next().cloned().or_else(by_contract)
}

/// The files that a contract wrote and that configure its own runner: it may have run what it wrote.
pub(crate) fn own_settings<'w>(contract: &Contract, writes: &'w [String]) -> Vec<&'w String> {
    // Of others it may have made a directory of its own, such as `build`.
    let mut here = writes.iter().filter(|path| !plain_path(path).contains('/'));
    let Some(first) = here.next() else {
        return Vec::new();
    };
    let (text, details) = (ContractText::new(contract), ChangeDetails::default());
    let configures = |path: &&String| text.load(path, &details) == Some(LoadedAs::Configures);
    std::iter::once(first)
        .chain(here)
        .filter(configures)
        .collect()
}

fn is_changed(changes: &Changes, path: &str) -> bool {
    let mut files = changes.files.iter().flatten();
    files.any(|file| file == path)
}

/// Whether a changed path is a link: what it leads to has names below it.
fn is_link(path: &str, details: &ChangeDetails) -> bool {
    details
        .links
        .iter()
        .any(|one| plain_path(&one.link) == path)
}

/// Whether a step says that it makes a file.
pub(crate) fn is_produced(step: &Step, path: &str) -> bool {
    DeclaredProducts::new(step).produces(plain_path(path))
}

/// Whether some contract would load this file without naming it.
fn may_be_loaded(path: &str, details: &ChangeDetails) -> bool {
    let path = plain_path(path);
    let is_module =
        || modules::module_of(path, false).is_some_and(|one| modules::is_known(one.name));
    known_files::role(path, &Runners::any()) == Some(Role::Configures)
        || libraries::takes_place_of_library(path, &Runners::any())
        || is_module()
        || is_listed(path, &details.hides)
        || is_listed(path, &details.new_modules)
        || is_listed(path, &details.selects)
}

/// What the text of a contract shows.
#[derive(Debug)]
struct ContractText {
    runners: Runners,
    /// Names of the programs that it calls.
    commands: Vec<String>,
    /// The same by the names that settings of programs have.
    programs: BTreeSet<String>,
    /// The scripts of the project that it runs.
    scripts: Vec<String>,
    /// Files, and directories of which it may read everything.
    files: BTreeSet<String>,
    /// Every stretch of its text that could be a path: `expected` in `cmp out expected`.
    words: BTreeSet<String>,
    /// Files given by `--config` and the like.
    configuration: BTreeSet<String>,
    /// Patterns over files that it runs.
    patterns: Vec<String>,
    /// Where Python looks for modules first: beside its script, and where it was started.
    starts: PythonStarts,
    /// It may change the directory, so that a path is the end of one.
    moves: bool,
    /// What it may read besides.
    guessed: GuessedFiles,
    /// Patterns that it searches for without quotes.
    unquoted: Vec<String>,
}

impl ContractText {
    fn new(contract: &Contract) -> Self {
        let command = contract.command.as_str();
        let Analysis {
            commands,
            files,
            programs,
            ..
        } = shell::analyse(command);
        let runners = Runners::of(commands.iter().map(|name| name.value.as_str()), command);
        let names: Vec<String> = commands.iter().map(|name| name.value.clone()).collect();
        let called = commands.into_iter().filter(|name| name.value.contains('/'));
        let mut run = BTreeSet::new();
        let (mut patterns, mut directories) = (Vec::new(), Vec::new());
        let mut scripts = Vec::new();
        for script in programs.scripts {
            match script.value {
                Script::File(path) => {
                    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                    directories.push(folder.to_owned());
                    scripts.push(path.clone());
                    run.insert(path);
                }
                Script::Pattern(pattern) => patterns.push(pattern),
                Script::Module { directory, name } => {
                    run.extend(module_files(&directory, &name));
                    directories.push(directory);
                }
                Script::Unknown(_) => patterns.extend(patterns_in(command)),
            }
        }
        run.extend(programs.invocations.iter().flat_map(run_directories));
        let names_of_programs = named_settings::program_names(&programs.invocations);
        let named = called.chain(files);
        let moves = changes_directory(command);
        Self {
            files: named
                .map(|path| plain_path(&path.value).trim_end_matches('/').to_owned())
                .chain(run)
                .collect(),
            patterns,
            starts: PythonStarts {
                directories,
                or_unknown: runners.is_any() || (moves && is_dynamic(command)),
            },
            words: path_words(command)
                .map(|word| plain_path(word).to_owned())
                .collect(),
            configuration: given_as_configuration(command),
            guessed: GuessedFiles::of(command, &names),
            unquoted: unquoted_patterns(command),
            moves,
            runners,
            commands: names,
            programs: names_of_programs,
            scripts,
        }
    }

    /// Whether it runs a file of the project.
    fn runs(&self, path: &str) -> bool {
        self.files.contains(path) || self.patterns.iter().any(|one| glob::matches(one, path))
    }

    /// The program that reads a file as its settings, by the file's name. A script that the work made is its own, and so are
    /// its settings.
    fn program_with_settings(&self, name: &str, details: &ChangeDetails) -> Option<String> {
        let is_there = |path: &&String| !is_listed(path, &details.created);
        let own = self.scripts.iter().filter(is_there);
        let own = own
            .filter_map(|path| named_settings::own_name(path))
            .collect();
        let program = named_settings::settings_of(name, &self.programs)
            .or_else(|| named_settings::settings_of(name, &own));
        program.map(str::to_owned)
    }

    /// Why the contract loads a file that it does not name, if it does.
    fn load(&self, path: &str, details: &ChangeDetails) -> Option<LoadedAs> {
        let path = plain_path(path);
        if (is_listed(path, &details.hides) && self.runners.include(Family::Python))
            || shadows::is_loaded_instead(path, &self.runners, &self.starts, details)
            || (is_listed(path, &details.created)
                && libraries::takes_place_of_library(path, &self.runners))
        {
            return Some(LoadedAs::Shadows);
        }
        let leads_there = || {
            self.has_below(&self.configuration, path)
                || known_files::leads_there(path, &self.runners)
        };
        let is_named = self.is_among(&self.configuration, path);
        if !is_named && is_listed(path, &details.apart) && !self.starts_at(path) {
            return None;
        }
        let is_vendor = path.ends_with(known_files::VENDOR) && is_listed(path, &details.added);
        let configures = is_named
            || (is_vendor && self.runners.include(Family::Go))
            || known_files::role(path, &self.runners) == Some(Role::Configures)
            || (is_listed(path, &details.selects) && self.runners.include(Family::Rust))
            || (is_link(path, details) && leads_there());
        configures.then_some(LoadedAs::Configures)
    }

    /// Whether a new configuration file may count for the contract, although no runner could be started in its
    /// directory before: the contract may change to that directory, or its own programs read such files anywhere.
    fn starts_at(&self, path: &str) -> bool {
        let Some((folder, _)) = path.rsplit_once('/') else {
            return true;
        };
        let is_there = |one: &String| one == folder || one.starts_with(&format!("{folder}/"));
        self.moves
            || (self.runners.is_any() && local_configuration::is_read_by_neighbours(path))
            || self.commands.iter().any(|one| one == "ruff")
            || self.files.iter().any(is_there)
            || self.starts.directories.iter().any(is_there)
    }

    /// Whether the shell puts this file in the place of a pattern that it searches for.
    fn expands_to(&self, path: &str) -> bool {
        let path = plain_path(path);
        let is = |name: &str| self.unquoted.iter().any(|one| glob::matches(one, name));
        let mut ends = path.match_indices('/');
        is(path) || (self.moves && ends.any(|(at, _)| path.get(at + 1..).is_some_and(is)))
    }

    /// Whether it names exactly this file. Whatever else it loads the work might have changed as well.
    fn relies_on(&self, path: &str) -> bool {
        self.files.contains(path) || self.names_path(path)
    }

    /// Whether the contract reads a file in the ordinary way.
    fn reads(&self, path: &str, details: &ChangeDetails) -> bool {
        let path = plain_path(path);
        known_files::role(path, &self.runners).is_some()
            || (is_listed(path, &details.called) && !self.runners.is_none())
            || self.is_among(&self.files, path)
            || self.names_path(path)
            || self.patterns.iter().any(|one| glob::matches(one, path))
            || (is_link(path, details) && self.has_below(&self.files, path))
    }

    /// Whether its text has exactly this path, or the end of it where it changes the directory.
    fn names_path(&self, path: &str) -> bool {
        let ends = path.match_indices('/');
        let mut ends = ends.filter_map(|(at, _)| path.get(at + 1..));
        self.words.contains(path) || (self.moves && ends.any(|end| self.words.contains(end)))
    }

    /// Whether one of these files lies below a path.
    fn has_below(&self, files: &BTreeSet<String>, path: &str) -> bool {
        let below = format!("{path}/");
        let inner = format!("/{below}");
        let mut files = files.iter();
        files.any(|file| file.starts_with(&below) || (self.moves && file.contains(&inner)))
    }

    /// Whether a path is one of these files, or lies in one of them.
    fn is_among(&self, files: &BTreeSet<String>, path: &str) -> bool {
        let is_named = |path: &str| {
            let above = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
            files.contains(path) || above.into_iter().any(|folder| files.contains(folder))
        };
        is_named(path)
            || (self.moves
                && path
                    .match_indices('/')
                    .any(|(at, _)| path.get(at + 1..).is_some_and(is_named)))
    }
}

/// Every stretch of a text that could be a path.
fn path_words(text: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '+' | '@');
    text.split(move |c| !part(c))
        .filter(|word| !word.is_empty())
}

/// Directories whose files a program runs.
fn run_directories(invocation: &Invocation) -> Vec<String> {
    const PROGRAMS: [&str; 3] = ["run-parts", "bats", "prove"];
    let name = invocation.program.rsplit('/').next().unwrap_or_default();
    if !PROGRAMS.contains(&name) {
        return Vec::new();
    }
    let words = invocation.arguments.iter().flatten();
    let operands = words.filter(|word| !word.starts_with('-'));
    operands
        .map(|word| plain_path(word).trim_end_matches('/').to_owned())
        .collect()
}

/// The patterns over files in a text. If it runs something unknown, that may be these files.
fn patterns_in(command: &str) -> Vec<String> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, ';' | '(' | ')' | '"' | '\'' | '|');
    let words = command
        .split(is_end)
        .filter(|word| word.contains(['*', '?']));
    let words = words.filter(|word| !word.contains('$') && word.chars().any(char::is_alphabetic));
    words
        .map(|word| {
            if word.contains('/') {
                plain_path(word).to_owned()
            } else {
                format!("**/{word}")
            }
        })
        .collect()
}

/// Whether a command may be started elsewhere than in the root.
fn changes_directory(command: &str) -> bool {
    let mut words =
        command.split(|c: char| c.is_whitespace() || matches!(c, ';' | '(' | '"' | '\''));
    command.contains("PYTHONPATH")
        || words.any(|word| {
            matches!(word, "cd" | "pushd" | "-C" | "-execdir" | "-okdir")
                || word.starts_with("--directory")
                || word.starts_with("--chdir")
        })
}

/// Whether a text is more than a list of commands with literal words, so that it does not show the directory.
fn is_dynamic(command: &str) -> bool {
    const WORDS: [&str; 7] = [
        "for", "while", "until", "eval", "function", "-execdir", "-okdir",
    ];
    command.contains(['$', '`', '*', '?', '[', '{', '~'])
        || command.contains("PYTHONPATH")
        || command.split_whitespace().any(|word| WORDS.contains(&word))
}

/// The values of `--config FILE` and `--config=FILE`, for every option of such a name.
// Long options only: `-c` and `-f` mean something else in every other command.
fn given_as_configuration(command: &str) -> BTreeSet<String> {
    const OPTIONS: [&str; 5] = [
        "--config",
        "--config-file",
        "--rcfile",
        "--makefile",
        "--require",
    ];
    let bare = |word: &str| plain_path(word.trim_matches(['"', '\'', ';', ')'])).to_owned();
    let mut found = BTreeSet::new();
    let mut words = command.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some((option, value)) if OPTIONS.contains(&option) => {
                found.insert(bare(value));
            }
            None if OPTIONS.contains(&word) => found.extend(words.peek().map(|value| bare(value))),
            Some(_) | None => {}
        }
    }
    found
}

/// The files that a Python module may be.
fn module_files(directory: &str, name: &str) -> [String; 3] {
    let path = name.replace('.', "/");
    let path = if directory.is_empty() {
        path
    } else {
        format!("{directory}/{path}")
    };
    [
        format!("{path}.py"),
        format!("{path}/__main__.py"),
        format!("{path}/__init__.py"),
    ]
}

/// A path without what makes no difference: `./` before it, or the quotes of one with odd characters.
fn plain_path(path: &str) -> &str {
    let path = path.strip_prefix("./").unwrap_or(path);
    let inside = path
        .strip_prefix('"')
        .and_then(|path| path.strip_suffix('"'));
    inside.unwrap_or(path)
}

/// Whether a path is one of these.
fn is_listed(path: &str, list: &[String]) -> bool {
    list.iter().any(|one| plain_path(one) == path)
}
