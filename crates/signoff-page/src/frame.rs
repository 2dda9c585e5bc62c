//! The page around every screen: one bar, the screen, and what floats above it.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::assets::{SCRIPT, STYLE, THEME};

/// Where in the bar a screen belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Plans,
    Runs,
    Inbox,
    /// Nowhere: a failure, say.
    None,
}

/// What every page of a person who is signed in shows.
#[derive(Debug, Clone)]
pub struct Frame<'a> {
    /// Of the document.
    pub title: &'a str,
    pub place: Place,
    pub project: &'a str,
    pub person: &'a str,
    /// What waits in the inbox.
    pub waiting: usize,
    /// Plans that wait to be signed or started.
    pub plans: usize,
    /// The token of the session, which every form sends back.
    pub csrf: &'a str,
    /// What to follow for changes: an address of the event stream.
    pub events: Option<&'a str>,
    /// What to follow for notifications, whatever the page shows.
    pub activity: &'a str,
    /// What was just done, or why not.
    pub notice: Option<Notice<'a>>,
}

/// One sentence above the screen.
#[derive(Debug, Clone, Copy)]
pub struct Notice<'a> {
    pub tone: &'static str,
    pub text: &'a str,
}

impl Frame<'_> {
    /// The whole page.
    pub fn page(&self, screen: &Markup) -> Markup {
        let title = match self.waiting_in_all() {
            0 => format!("{} · Signoff", self.title),
            waiting => format!("({waiting}) {} · Signoff", self.title),
        };
        html! {
            (DOCTYPE)
            html lang="en" {
                (head(&title))
                body data-events=[self.events] data-activity=(self.activity) data-csrf=(self.csrf) {
                    a.skip-link href="#screen" { "Skip to the content" }
                    (self.bar())
                    main #screen tabindex="-1" {
                        @if let Some(notice) = &self.notice { div.notices { (notice.render()) } }
                        (screen)
                    }
                    div #live.visually-hidden role="status" aria-live="polite" {}
                    (palette())
                    (keys())
                }
            }
        }
    }

    /// As many as the list of plans has on top.
    fn waiting_in_all(&self) -> usize {
        self.waiting + self.plans
    }

    /// The bar alone, for a page that is there already.
    pub fn bar(&self) -> Markup {
        let current = |place| (self.place == place).then_some("page");
        html! {
            header.topbar #bar data-waiting=(self.waiting_in_all()) {
                a.brand href="/" { (logo()) span { "Signoff" } }
                span.project title=(self.project) { (self.project) }
                nav aria-label="Main" {
                    a href="/" aria-current=[current(Place::Plans)] { "Plans" }
                    a href="/runs" aria-current=[current(Place::Runs)] { "Runs" }
                    a href="/inbox" aria-current=[current(Place::Inbox)] {
                        "Inbox"
                        @if self.waiting > 0 {
                            span.badge #waiting-count { (self.waiting) span.visually-hidden { " waiting for you" } }
                        }
                    }
                }
                span.spring {}
                button.search-button type="button" data-opens="palette" hidden {
                    span { "Search" } (search_icon()) kbd { "⌘K" }
                }
                button.quiet.icon type="button" #notify data-notify hidden aria-pressed="false" aria-label="Notify me when something waits for me, fails or is done" title="Notify me" { (inbox_icon()) }
                button.quiet.icon type="button" data-theme-switch hidden aria-label="Switch between light and dark" title="Light or dark" { "◐" }
                div.person {
                    span.avatar aria-hidden="true" { (self.person.chars().take(1).collect::<String>()) }
                    span.name { (self.person) }
                    form method="post" action="/sign-out" {
                        (token(self.csrf))
                        button.quiet { "Sign out" }
                    }
                }
            }
        }
    }
}

impl Notice<'_> {
    /// As an element.
    pub fn render(&self) -> Markup {
        let sign = match self.tone {
            "failed" => "✗",
            "regressed" => "!",
            "waiting" => "?",
            _ => "✓",
        };
        html! {
            div class={ "notice tone-" (self.tone) } role="status" {
                span.sign aria-hidden="true" { (sign) }
                div.body { (self.text) }
            }
        }
    }
}

/// A page without a bar, for whoever is not signed in.
pub(crate) fn page_without_bar(title: &str, screen: &Markup) -> Markup {
    with_bar(title, &html! {}, screen)
}

/// A page with a bar that only leads elsewhere: nothing is known of the person or of what waits.
pub(crate) fn leading_on(title: &str, screen: &Markup) -> Markup {
    let bar = html! {
        header.topbar {
            a.brand href="/" { (logo()) span { "Signoff" } }
            nav aria-label="Main" { a href="/" { "Plans" } a href="/runs" { "Runs" } a href="/inbox" { "Inbox" } }
        }
    };
    with_bar(title, &bar, screen)
}

fn with_bar(title: &str, bar: &Markup, screen: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(&format!("{title} · Signoff")))
            body { (bar) main.narrow #screen { (screen) } }
        }
    }
}

fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            title { (title) }
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            link rel="icon" href="data:,";
            link rel="stylesheet" href=(STYLE.address());
            script src=(THEME.address()) {}
            script type="module" src=(SCRIPT.address()) {}
        }
    }
}

/// The field that makes a form one of ours.
pub(crate) fn token(csrf: &str) -> Markup {
    html! { input type="hidden" name="csrf" value=(csrf); }
}

/// A box with a tick: what the product is about.
pub(crate) fn logo() -> Markup {
    PreEscaped(
        "<svg width=\"22\" height=\"22\" viewBox=\"0 0 22 22\" fill=\"none\" aria-hidden=\"true\"><rect x=\"1.75\" y=\"1.75\" width=\"18.5\" height=\"18.5\" rx=\"5\" stroke=\"currentColor\" stroke-width=\"2\"/><path d=\"M6.5 11.5l3 3 6-7\" stroke=\"currentColor\" stroke-width=\"2.2\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/></svg>".to_owned(),
    )
}

fn inbox_icon() -> Markup {
    PreEscaped(
        "<svg width=\"16\" height=\"16\" viewBox=\"0 0 16 16\" fill=\"none\" aria-hidden=\"true\"><path class=\"bell\" d=\"M8 2a4 4 0 0 0-4 4c0 3-1 4.2-1.6 4.9-.3.4 0 .9.4.9h10.400c.4 0 .7-.5.4-.9C13 10.200 12 9 12 6a4 4 0 0 0-4-4z\" stroke=\"currentColor\" stroke-width=\"1.4\" stroke-linejoin=\"round\"/><path d=\"M6.500 13.800c.3.500.900.700 1.500.700s1.200-.2 1.500-.700\" stroke=\"currentColor\" stroke-width=\"1.4\" stroke-linecap=\"round\"/></svg>".to_owned(),
    )
}

fn search_icon() -> Markup {
    PreEscaped(
        "<svg width=\"14\" height=\"14\" viewBox=\"0 0 14 14\" fill=\"none\" aria-hidden=\"true\"><circle cx=\"6\" cy=\"6\" r=\"4.25\" stroke=\"currentColor\" stroke-width=\"1.5\"/><path d=\"M9.5 9.5l3 3\" stroke=\"currentColor\" stroke-width=\"1.5\" stroke-linecap=\"round\"/></svg>".to_owned(),
    )
}

fn palette() -> Markup {
    html! {
        dialog.palette #palette aria-label="Go to a plan, a step or a run" {
            input type="search" placeholder="Go to a plan, a step, a run …" aria-label="Search" autocomplete="off" role="combobox" aria-expanded="true" aria-controls="palette-results";
            ul #palette-results role="listbox" aria-label="Results" {}
        }
    }
}

fn keys() -> Markup {
    const KEYS: [(&str, &str); 10] = [
        ("j k", "next, previous"),
        ("enter", "open"),
        ("a", "sign"),
        ("r", "reject"),
        ("c", "comment"),
        ("e", "edit"),
        ("g", "graph"),
        ("alt ↑ ↓", "move a step"),
        ("ctrl k", "search"),
        ("?", "this help"),
    ];
    html! {
        dialog #keys aria-labelledby="keys-title" {
            div.inside {
                form.dialog-head method="dialog" {
                    h2 #keys-title { "Keys" }
                    button.quiet { "Close" }
                }
                dl.keys {
                    @for (key, what) in KEYS {
                        dt { @for one in key.split(' ') { kbd { (one) } " " } }
                        dd { (what) }
                    }
                }
            }
        }
    }
}
