//! Programs that show the state of the machine.

use crate::shell::read_only::argument::CheckedArgument;
use crate::shell::read_only::options::{Options, ParsedArguments, one_dash, options};
use crate::shell::read_only::program::{Program, Rule, any, commands, programs, with};
use crate::shell::read_only::refusal::{Effect, Refusal};

pub(super) const PROGRAMS: &[Program] = &[
    any(
        "uname whoami id groups logname users w uptime nproc tty locale getconf printenv ps pstree free \
         vmstat iostat mpstat lscpu lsblk lsusb lsmod lsns lsipc lslocks findmnt ipcs lsb_release sw_vers \
         vm_stat pbpaste atq",
    ),
    programs(
        "date gdate",
        Rule::Checked(
            options(
                "uIRjn",
                "dr",
                "date= utc universal iso-8601 rfc-3339= rfc-email reference= debug resolution",
            ),
            prints_date,
        ),
    ),
    // Not its addresses and other names, for which it asks name servers.
    with(
        "hostname",
        options("sIy", "", "short all-ip-addresses yp nis").operands(0),
    ),
    with("arch", options("", "", "").operands(0)),
    with("lspci", options("vnktmDx", "sd", "")),
    with("domainname", options("", "", "").operands(0)),
    with(
        "who",
        options(
            "abdlmpqrstTuH",
            "",
            "all boot count heading login process runlevel short time users",
        ),
    ),
    with(
        "last",
        options(
            "aFiwxR",
            "nstf",
            "limit= since= until= time-format= fullnames ip system",
        ),
    ),
    with(
        "dmesg",
        options(
            "HTkruxwWtLPJ",
            "lf",
            "human ctime kernel userspace decode raw show-delta reltime level= facility= follow color nopager time-format= since= until= json",
        ),
    ),
    with("top", options("bHicS1", "ndpuUoeEwl", "")),
    programs(
        "lsof",
        Rule::Checked(options("acPnNtUlRbi:0123456789", "pudg", ""), names_no_machine),
    ),
    with(
        "ss",
        options(
            "aehilmnoOpstuwxz46AH",
            "f",
            "all listening numeric processes tcp udp unix summary extended memory info ipv4 ipv6 no-header oneline family=",
        ).operands(0),
    ),
    programs(
        "netstat",
        Rule::Checked(
            options(
                "aAbcdeFfgIilLmMnNopqRrsStuvwWxz46",
                "",
                "all listening numeric programs tcp udp unix route groups interfaces statistics extend timers verbose wide",
            ),
            names_addresses_only,
        ),
    ),
    programs(
        "arp route",
        Rule::Checked(options("anev", "", "").operands(0), names_addresses_only),
    ),
    programs("ifconfig", Rule::Checked(options("a", "", "").operands(1), one_interface)),
    programs(
        "ip",
        Rule::Commands(
            one_dash("4 6 s o c d j p br brief color json pretty stats details oneline").leading(),
            IP,
        ),
    ),
    with("mount", options("l", "", "").operands(0)),
    with(
        "swapon",
        options("s", "", "show summary noheadings raw bytes").operands(0),
    ),
    programs(
        "sysctl",
        Rule::Checked(
            options("aAnNe", "", "all names values ignore"),
            sets_nothing,
        ),
    ),
    programs(
        "getent",
        Rule::Commands(
            options("", "", "").leading(),
            &[any("passwd group services protocols shells initgroups")],
        ),
    ),
    programs("crontab", Rule::Checked(options("l", "u", ""), lists_jobs)),
    with(
        "nvidia-smi",
        options(
            "Lq",
            "idl",
            "query-gpu= format= list-gpus query query-compute-apps=",
        )
        .operands(0),
    ),
    with(
        "timedatectl hostnamectl localectl",
        options("", "", "no-pager").operands(0),
    ),
    programs(
        "systemctl",
        Rule::Commands(
            UNITS.leading(),
            &[with(
                "status list-units list-unit-files list-timers list-sockets list-dependencies list-jobs is-active is-enabled is-failed is-system-running cat show show-environment get-default",
                UNITS,
            )],
        ),
    ),
    with(
        "journalctl",
        options(
            "abefkmnqrx0123456789",
            "uptSUgoD",
            "unit= user-unit= boot catalog follow dmesg identifier= priority= since= until= grep= output= reverse lines \
         no-pager no-hostname no-tail quiet utc all system user list-boots disk-usage fields full output-fields= \
         pager-end case-sensitive merge",
        ),
    ),
    commands("launchctl", &[any("list print")]),
    commands("defaults", &[any("read read-type domains find")]),
    programs(
        "man",
        Rule::Checked(
            options("kfwa", "", "where path apropos whatis").operands(2),
            named_page,
        ),
    ),
    any("apropos whatis"),
];

const UNITS: Options = options(
    "alq",
    "ntop",
    "no-pager all full user system type= state= failed property= value quiet plain no-legend lines= output= reverse \
     recursive after before show-types",
);

const IP: &[Program] = &[programs(
    "a addr address l link r route n neigh neighbour ru rule maddr mroute",
    Rule::AloneOr(&[any("show list ls lst")]),
)];

/// Without `+` an operand is the time to set.
fn prints_date(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    let prints = |operand: &&CheckedArgument<'_>| {
        let written = operand.raw.trim_start_matches(['"', '\'']);
        written.starts_with('+') && !operand.many
    };
    match given.operands.iter().find(|operand| !prints(operand)) {
        Some(operand) => Err(Refusal::Effect(
            operand.raw.to_owned(),
            Effect::ChangesShell,
        )),
        None => Ok(()),
    }
}

/// `lsof -i @HOST` asks where that is.
fn names_no_machine(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    let local = |text: &str| !text.contains('@');
    match given
        .operands
        .iter()
        .find(|operand| !operand.text.is_some_and(local))
    {
        Some(operand) => Err(Refusal::UnknownArgument(operand.raw.to_owned())),
        None => Ok(()),
    }
}

/// Without `-n` a name server is asked whose address it is.
fn names_addresses_only(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    if given.has(&["n", "numeric"]) {
        Ok(())
    } else {
        Err(Refusal::Missing("`-n`"))
    }
}

/// A file is formatted with what it says itself.
fn named_page(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    let page = |text: &str| !text.contains('/');
    match given
        .operands
        .iter()
        .find(|operand| !operand.text.is_some_and(page))
    {
        Some(operand) => Err(Refusal::UnknownArgument(operand.raw.to_owned())),
        None => Ok(()),
    }
}

fn sets_nothing(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    let sets = |text: &str| text.contains('=');
    match given
        .operands
        .iter()
        .find(|operand| operand.text.is_none_or(sets))
    {
        Some(operand) => Err(Refusal::Effect(
            operand.raw.to_owned(),
            Effect::ChangesShell,
        )),
        None => Ok(()),
    }
}

/// Without `-l` it replaces the jobs.
fn lists_jobs(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    if given.has(&["l"]) && given.operands.is_empty() {
        Ok(())
    } else {
        Err(Refusal::Missing("`-l`"))
    }
}

/// With `-a` a word is a setting for all of them.
fn one_interface(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    match given.operands.first() {
        Some(word) if given.has_options() => Err(Refusal::UnknownArgument(word.raw.to_owned())),
        _ => Ok(()),
    }
}
