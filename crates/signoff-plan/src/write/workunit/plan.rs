//! The plan around its steps.

use serde_json::Value;

use super::Writer;
use super::probe::TrialPlan;
use super::render::{FieldOwner, is_omissible, render};
use crate::field::plan_value;
use crate::spelling::workunit;

impl Writer<'_> {
    pub(super) fn plan(&mut self) {
        self.frontmatter();
        self.title();
        let names = workunit::PLAN.iter().filter_map(|key| key.field);
        for name in names.filter(|name| *name != "risks") {
            if let Some(lines) = self.plan_field(name) {
                self.block(&lines);
            }
        }
        self.block("## Steps");
        for at in 0..self.plan.steps.len() {
            self.step(at);
        }
        if let Some(lines) = self.plan_field("risks") {
            self.block(&lines);
        }
        let rejections = self.plan.record.get("rejections");
        if let Some(sections) = rejections.and_then(|value| self.rejections(value)) {
            self.block(&sections);
        }
    }

    /// The title, which the dialect requires: without one, what the plan is called anyway.
    fn title(&mut self) {
        let own = self.plan.title.as_deref();
        let own = own.filter(|_| !self.is_omitted(None, "title"));
        if let Some(title) = own.filter(|title| self.fits_into_heading(title)) {
            return self.block(&format!("# {title}"));
        }
        let name = self.plan.display_title().lines().next().unwrap_or_default();
        let name = if own.is_none() && self.fits_into_heading(name) {
            name
        } else {
            "untitled"
        };
        match own {
            Some(_) => self.note_loss(None, "title", "it does not fit into a heading"),
            None if self.plan.title.is_none() => self.fill_in("title", name),
            None => {}
        }
        self.block(&format!("# {name}"));
    }

    fn fits_into_heading(&self, title: &str) -> bool {
        let trial = TrialPlan {
            title: Some(title),
            ..TrialPlan::default()
        };
        self.probe.plan(trial, "title", &Value::from(title))
    }

    fn plan_field(&mut self, name: &'static str) -> Option<String> {
        let value = plan_value(self.plan, name)?;
        if is_omissible(name, &value) || self.is_omitted(None, name) {
            return None;
        }
        match render(&self.probe, FieldOwner::Plan, name, &value) {
            Ok(lines) => Some(lines),
            Err(why) => {
                self.note_loss(None, name, &why);
                None
            }
        }
    }
}
