// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/error.rs: what a failing call returns: the whole record of the failure.

use crate::objects::string_of;
use crate::status::Status;
use crate::sys;
use std::fmt;
use std::ops::Deref;

pub type Result<T> = std::result::Result<T, Error>;

/// What is known of a failure; texts are empty if they are not known.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    pub status: Status,
    /// number of the op call in its context
    pub sequence: u64,
    /// one line, complete by itself
    pub message: String,
    /// "tenon.add"
    pub op: String,
    /// "b"
    pub operand: String,
    /// `f32[2,3]`
    pub expected: String,
    /// `f32[4]`
    pub found: String,
    /// "tenon.ref"
    pub plugin: String,
    /// "step/encoder"
    pub scope: String,
    /// what to do
    pub hint: String,
    /// earlier failures that led to it, nearest first
    pub causes: Vec<String>,
}

/// A call that failed; it has changed nothing. Its fields are those of [`Record`].
///
/// ```
/// let wrong = (&tenon::ones([2, 3]).unwrap() + &tenon::ones([4]).unwrap()).unwrap_err();
/// assert_eq!(wrong.status, tenon::Status::SHAPE);
/// assert_eq!((&*wrong.op, &*wrong.operand, &*wrong.found), ("tenon.add", "b", "f32[4]"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Record>);

impl Deref for Error {
    type Target = Record;
    fn deref(&self) -> &Record {
        &self.0
    }
}

impl Error {
    /// A failure of the program's own, as a function that the library calls returns it.
    #[cold]
    pub fn new(status: Status, message: impl Into<String>) -> Error {
        let empty = String::new;
        Error(Box::new(Record {
            status,
            sequence: 0,
            message: message.into(),
            op: empty(),
            operand: empty(),
            expected: empty(),
            found: empty(),
            plugin: empty(),
            scope: empty(),
            hint: empty(),
            causes: Vec::new(),
        }))
    }

    /// A wrong call that is found out here, in the words of one that the library finds out.
    #[cold]
    pub(crate) fn refuse(
        status: Status,
        (op, operand): (&str, impl fmt::Display),
        expected: impl fmt::Display,
        found: impl fmt::Display,
        hint: &str,
    ) -> Error {
        let message = format!("{op}: {operand}: expected {expected}, found {found}");
        let mut made = Error::new(status, message);
        made.0.op = op.into();
        made.0.operand = operand.to_string();
        made.0.expected = expected.to_string();
        made.0.found = found.to_string();
        made.0.hint = hint.into();
        made
    }

    /// What the context says of its last failure.
    #[cold]
    pub(crate) fn of_context(context: *mut sys::tenon_context, status: i32) -> Error {
        let mut error: sys::tenon_error = unsafe { std::mem::zeroed() };
        error.struct_size = std::mem::size_of::<sys::tenon_error>() as u32;
        let told = unsafe { sys::tenon_context_get_error(context, &mut error) };
        if told != sys::TENON_OK {
            return Error::refuse(
                Status(status),
                ("Context", "context"),
                "one that is there",
                "one that has ended",
                "keep it for as long as its last use",
            );
        }
        if error.status != status {
            let name = Status(status);
            return Error::new(
                name,
                format!("{name}: the context has no words for this failure"),
            );
        }
        unsafe {
            let causes = (0..error.n_causes as usize).map(|i| string_of(*error.causes.add(i)));
            Error(Box::new(Record {
                status: Status(error.status),
                sequence: error.sequence,
                message: string_of(error.message),
                op: string_of(error.op),
                operand: string_of(error.operand),
                expected: string_of(error.expected),
                found: string_of(error.found),
                plugin: string_of(error.plugin),
                scope: string_of(error.scope),
                hint: string_of(error.hint),
                causes: causes.collect(),
            }))
        }
    }

    /// What a call without a context says.
    #[cold]
    pub(crate) fn of_diag(status: i32, diag: &sys::tenon_diag) -> Error {
        let bytes: Vec<u8> = diag
            .message
            .iter()
            .map(|&c| c as u8)
            .take_while(|&c| c != 0)
            .collect();
        Error::new(Status(status), String::from_utf8_lossy(&bytes))
    }
}

/// All that is known, a line each.
impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}\n  status    {}", self.message, self.status)?;
        let lines = [
            ("op", &self.op),
            ("operand", &self.operand),
            ("expected", &self.expected),
            ("found", &self.found),
            ("plugin", &self.plugin),
            ("scope", &self.scope),
            ("hint", &self.hint),
        ];
        let causes = self.causes.iter().map(|cause| ("cause", cause));
        for (name, text) in lines
            .into_iter()
            .filter(|line| !line.1.is_empty())
            .chain(causes)
        {
            write!(to, "\n  {name:<9} {text}")?;
        }
        Ok(())
    }
}

/// The same, so that `fn main() -> tenon::Result<()>` prints it well.
impl fmt::Debug for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}

impl std::error::Error for Error {}

/// "TENON_E_SHAPE"
impl fmt::Display for Status {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => to.write_str(name),
            None => write!(to, "status {}", self.0),
        }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}
