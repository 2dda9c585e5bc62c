//! `demo --page`: the demo's plan in a browser, for a person who has never seen a plan: they review it, correct it, sign it
//! and watch it run.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::{Duration, Instant};

use signoff_api::request::RequestKind;
use signoff_runtime::SystemClock;
use signoff_runtime::project::Project;
use signoff_runtime::runs::control::ask;
use signoff_runtime::runs::view::RunView;
use signoff_sandbox::{DetachedCommand, start_detached};

use super::{expect, propose_args, set_up_with, side_by_side, without_output};
use crate::args::{Comment, Format, Serve};
use crate::commands::connect::serve;
use crate::commands::sign;
use crate::failure::Failure;
use crate::session::Session;
use crate::style::{HINT, TITLE, paint};

/// How long runs have to end, once nobody watches them.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the person is shown the way with, where they are when they need it.
const ADVICE: &str = "`README.md` is there already, so this contract holds before anybody works: it proves nothing. \
Open \"Edit\" below and let it look for the section: `grep -q '^## Usage' README.md`";

/// Serves the demo's project until Ctrl-C.
pub(super) fn open(session: &mut Session, folder: &Path) -> Result<u8, Failure> {
    set_up_with(session, folder, include_str!("page-script.json"))?;
    // People sign here, and nobody else does.
    session.proof = None;
    without_output(session, |session| {
        expect(sign::propose(session, &propose_args())?, 0)?;
        sign::comment(session, &advice())
    })?;
    side_by_side::make_repository(session);
    session.out.say(paint(
        TITLE,
        "A plan of two agents and a test waits for you",
    ));
    for (number, what) in [
        "open the address below and sign in",
        "open \"Add a slugify script\", read the comment on step 2, and correct its contract",
        "\"Sign off\", then \"Start\": the page shows each step as it is proved",
    ]
    .iter()
    .enumerate()
    {
        session.out.say(format!("  {}. {what}", number + 1));
    }
    let args = Serve {
        addr: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        url: None,
        agent_token: None,
        add_person: None,
    };
    let browser = browser(session);
    let served = serve::listen(session, &args, |address| {
        // Where none can be opened, the address is shown anyway.
        show(browser, folder, address).ok();
    });
    stop_runs(session)?;
    session.out.say(format!(
        "{} `signoff init` in a project of yours, then `signoff --help`",
        paint(HINT, "next:")
    ));
    served
}

fn advice() -> Comment {
    Comment {
        plan: "plan.md".to_owned(),
        words: vec!["docs".to_owned(), ADVICE.to_owned()],
        resolve: None,
        list: false,
        format: Format::Human,
    }
}

/// What opens an address for the person, with their own environment; none where nobody would see it.
fn browser(session: &Session) -> Option<Opener> {
    let variables = &session.process.variables;
    let has = |name: &str| variables.get(std::ffi::OsStr::new(name)).is_some();
    let has_display = cfg!(target_os = "macos") || has("DISPLAY") || has("WAYLAND_DISPLAY");
    // A script or an agent that starts the demo wants no window.
    let is_person = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    (has_display && is_person).then(|| Opener {
        opener,
        env: std::env::vars_os().collect(),
    })
}

/// A program that opens addresses.
struct Opener {
    opener: &'static str,
    env: Vec<(OsString, OsString)>,
}

fn show(browser: Option<Opener>, folder: &Path, address: SocketAddr) -> Result<(), std::io::Error> {
    let Some(browser) = browser else {
        return Ok(());
    };
    start_detached(DetachedCommand {
        argv: vec![browser.opener.into(), format!("http://{address}/").into()],
        cwd: folder.to_owned(),
        env: browser.env,
        output: std::fs::File::create(folder.join("browser.log"))?,
    })
}

/// Ends what still runs: its project is about to be removed.
fn stop_runs(session: &Session) -> Result<(), Failure> {
    let project = session.project()?;
    let begun = Instant::now();
    let mut told = Vec::new();
    loop {
        let driven = driven_runs(&project);
        if driven.is_empty() || begun.elapsed() > PATIENCE {
            return Ok(());
        }
        for run in driven {
            if !told.contains(&run) {
                // It may have ended by itself meanwhile.
                ask(&project, &run, RequestKind::Stop, &SystemClock::new()).ok();
                told.push(run);
            }
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn driven_runs(project: &Project) -> Vec<String> {
    // What cannot be read cannot be told to stop.
    let all = RunView::load_all(project).unwrap_or_default().into_iter();
    let views = all.filter_map(|(id, view)| Some((id, view.ok()?)));
    let driven = views.filter(|(_, view)| view.driven);
    driven.map(|(id, _)| id).collect()
}
