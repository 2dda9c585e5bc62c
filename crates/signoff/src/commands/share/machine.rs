//! `worker` and `orchestrator`: processes that take part in runs which several machines share.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use signoff_distributed::{Database, Machine, MachineKey, MachineOptions};
use signoff_runtime::project::load_config;
use signoff_sandbox::start_thread;

use super::start::{database, failure};
use crate::args::{Orchestrator, Worker};
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn worker(session: &mut Session, args: &Worker) -> Result<u8, Failure> {
    session.require_person("let this machine work for others")?;
    let options = options(session, args.service.lease)?;
    if args.key {
        let key = MachineKey::of_directory(&options.key_directory).map_err(failure)?;
        session.out.answer(key.public());
        return Ok(0);
    }
    let database = database(options.settings.url.value.address())?;
    if args.migrate {
        database.migrate().map_err(failure)?;
        session.out.answer("the tables are up to date");
        return Ok(0);
    }
    if args.drain {
        return drain(session, &database, &options);
    }
    let options = MachineOptions {
        roles: args.roles.clone(),
        jobs: args.jobs,
        orchestrates: args.orchestrate,
        ..options
    };
    serve(session, database, options, args.service.health)
}

pub(crate) fn orchestrator(session: &mut Session, args: &Orchestrator) -> Result<u8, Failure> {
    session.require_person("let this machine drive runs of others")?;
    let options = options(session, args.service.lease)?;
    let database = database(options.settings.url.value.address())?;
    serve(session, database, options, args.service.health)
}

/// What only this machine's user says.
fn options(session: &Session, lease: u64) -> Result<MachineOptions, Failure> {
    let process = session.process.clone();
    let mut config = load_config(&process, None)?;
    if let Some(url) = &session.process.services.url {
        config.engine.url.value = url.clone();
    }
    let variable = |name: &str| {
        let value = process.variables.get(std::ffi::OsStr::new(name));
        value.map(PathBuf::from).filter(|path| path.is_absolute())
    };
    let data = variable("XDG_DATA_HOME")
        .or_else(|| Some(variable("HOME")?.join(".local/share")))
        .ok_or_else(|| {
            Failure::new(6, "no-home", "there is no directory for copies of projects")
                .hint("set `HOME` or `XDG_DATA_HOME` to an absolute path")
        })?;
    Ok(MachineOptions {
        key_directory: session.state_dir()?.to_owned(),
        directory: data.join("signoff/machine"),
        process,
        settings: config.engine,
        roles: Vec::new(),
        jobs: 1,
        orchestrates: true,
        lease: Duration::from_secs(lease),
    })
}

fn drain(
    session: &mut Session,
    database: &Database,
    options: &MachineOptions,
) -> Result<u8, Failure> {
    database.require_migrated().map_err(failure)?;
    let key = MachineKey::of_directory(&options.key_directory).map_err(failure)?;
    database.drain(key.public()).map_err(failure)?;
    loop {
        let health = database.health().map_err(failure)?;
        let left = health.machines.iter().filter(|machine| {
            machine.key == key.public() && machine.alive && !machine.roles.is_empty()
        });
        if left.count() == 0 {
            session.out.answer("no worker of this machine is left");
            return Ok(0);
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn serve(
    session: &mut Session,
    database: Database,
    options: MachineOptions,
    health: Option<SocketAddr>,
) -> Result<u8, Failure> {
    let (lease, roles) = (options.lease, options.roles.join(", "));
    let asked = ask_by_signals()?;
    let machine = Machine::start(database, options).map_err(failure)?;
    let pulse = Arc::new(Pulse::default());
    if let Some(address) = health {
        answer_health(address, Arc::clone(&pulse), lease)?;
    }
    let part = if roles.is_empty() {
        "drives runs".to_owned()
    } else {
        format!("works for {roles}")
    };
    session.out.say(format!(
        "`{}` {part}; its key is {}",
        machine.executor(),
        machine.public_key()
    ));
    let mut draining = false;
    let served = machine.serve(
        |machine| {
            pulse.write_status(machine.jobs_under_way());
            let count = asked.load(Ordering::Acquire);
            if count > 0 && !draining {
                draining = true;
                machine.drain();
            }
            // Whoever asks twice does not want to wait.
            count < 2
        },
        |line| session.out.say(line),
    );
    // Without its lease this process must not go on for a moment: its agents end with it.
    served.map_err(failure)?;
    machine.stop();
    Ok(0)
}

/// Counts how often the process was asked to end.
fn ask_by_signals() -> Result<Arc<AtomicUsize>, Failure> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let failed = |error: std::io::Error| Failure::new(6, "signals", error.to_string());
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]).map_err(failed)?;
    start_thread("signoff-signals", move || {
        for _ in signals.forever() {
            count.fetch_add(1, Ordering::AcqRel);
        }
    })
    .map_err(failed)?;
    Ok(asked)
}

/// Shows that the process does its part.
#[derive(Default)]
struct Pulse {
    beats: AtomicUsize,
    busy: AtomicUsize,
    seen: AtomicBool,
}

impl Pulse {
    fn write_status(&self, busy: usize) {
        self.beats.fetch_add(1, Ordering::AcqRel);
        self.busy.store(busy, Ordering::Release);
        self.seen.store(true, Ordering::Release);
    }
}

/// Answers requests over HTTP whether the process is well.
fn answer_health(address: SocketAddr, pulse: Arc<Pulse>, lease: Duration) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(
            6,
            "address",
            format!("{address} cannot be listened to: {error}"),
        )
    };
    let listener = TcpListener::bind(address).map_err(failed)?;
    start_thread("signoff-health", move || {
        let (mut last, mut since) = (0, std::time::Instant::now());
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else {
                continue;
            };
            let beats = pulse.beats.load(Ordering::Acquire);
            if beats != last {
                (last, since) = (beats, std::time::Instant::now());
            }
            let is_well = pulse.seen.load(Ordering::Acquire) && since.elapsed() < lease;
            let (status, word) = if is_well {
                ("200 OK", "ok")
            } else {
                ("503 Service Unavailable", "not well")
            };
            let body = format!("{word} {}\n", pulse.busy.load(Ordering::Acquire));
            // What is asked makes no difference, and must not block.
            drop(stream.set_read_timeout(Some(Duration::from_secs(1))));
            let mut request = [0; 1024];
            drop(stream.read(&mut request));
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            drop(stream.write_all([head, body].concat().as_bytes()));
        }
    })
    .map_err(failed)?;
    Ok(())
}
