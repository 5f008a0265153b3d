// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/history.rs: the numbers of a run, and the line that says how far it is.

use crate::context::state;
use crate::error::Result;
use crate::objects::{text_of, Owned};
use crate::sys;
use std::ptr::null_mut;

/// Named series of numbers.
///
/// ```
/// # fn main() -> tenon::Result<()> {
/// let history = tenon::History::new()?;
/// history.add("loss", 1, 0.5)?;
/// assert_eq!(history.text("csv")?, "series,step,value\nloss,1,0.5\n");
/// # Ok(())
/// # }
/// ```
pub struct History(Owned<sys::tenon_history>);

impl History {
    pub fn new() -> Result<History> {
        let (state, mut made) = (state()?, null_mut());
        state.check(unsafe { sys::tenon_history_create(state.handle, &mut made) })?;
        Ok(History(unsafe { Owned::adopt(made) }))
    }
    pub fn add(&self, series: &str, step: i64, value: f64) -> Result<()> {
        let (state, text, length) = (state()?, series.as_ptr().cast(), series.len() as u64);
        state.check(unsafe {
            sys::tenon_history_set(state.handle, self.0.get(), text, length, step, value)
        })
    }
    /// From now on each number also goes to an event file of TensorBoard in this folder.
    pub fn events(&self, folder: &str) -> Result<()> {
        let (state, text, length) = (state()?, folder.as_ptr().cast(), folder.len() as u64);
        state.check(unsafe {
            sys::tenon_history_set_events(state.handle, self.0.get(), text, length)
        })
    }
    /// A picture (SVG) with a line for each series; `axis` is the name of the x axis.
    pub fn save(&self, path: &str, title: &str, axis: &str) -> Result<()> {
        let state = state()?;
        let [path, title, axis] = [path, title, axis].map(crate::runtime::string);
        state.check(unsafe {
            let (context, history) = (state.handle, self.0.get());
            sys::tenon_history_save(
                context,
                history,
                path.data,
                path.length,
                title.data,
                title.length,
                axis.data,
                axis.length,
            )
        })
    }
    /// All of it as "json", "csv" or "svg".
    pub fn text(&self, topic: &str) -> Result<String> {
        let (state, name, length) = (state()?, topic.as_ptr().cast(), topic.len() as u64);
        let mut text = null_mut();
        state.check(unsafe {
            sys::tenon_history_query(state.handle, self.0.get(), name, length, &mut text)
        })?;
        Ok(text_of(text))
    }
    pub fn handle(&self) -> *mut sys::tenon_history {
        self.0.get()
    }
}

/// One line on standard error, if that is a terminal: how far the run is, and a number. The end of
/// the object clears it.
pub struct Progress(Owned<sys::tenon_progress>);

impl Progress {
    /// `total`: units of the run; 0: not known.
    pub fn new(label: &str, total: i64) -> Result<Progress> {
        let (state, text, length) = (state()?, label.as_ptr().cast(), label.len() as u64);
        let mut made = null_mut();
        state.check(unsafe {
            sys::tenon_progress_create(state.handle, text, length, total, 0, &mut made)
        })?;
        Ok(Progress(unsafe { Owned::adopt(made) }))
    }
    /// `name` of the number `value`; empty: no number is shown.
    pub fn show(&self, done: i64, name: &str, value: f64) -> Result<()> {
        let (state, text, length) = (state()?, name.as_ptr().cast(), name.len() as u64);
        state.check(unsafe {
            sys::tenon_progress_run(state.handle, self.0.get(), done, text, length, value)
        })
    }
}
