// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon/src/status.rs: what a failure is, as a number with a name.
// Written by bindings/rust/generate.py; do not edit. The headers' comments are the reference.

/// What kind of failure it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub i32);

impl Status {
    pub const ARGUMENT: Status = Status(1);
    pub const HANDLE: Status = Status(2);
    pub const RUNTIME: Status = Status(3);
    pub const STATE: Status = Status(4);
    pub const SHAPE: Status = Status(5);
    pub const DTYPE: Status = Status(6);
    pub const DEVICE: Status = Status(7);
    pub const LAYOUT: Status = Status(8);
    pub const ALIAS: Status = Status(9);
    pub const ATTRIBUTE: Status = Status(10);
    pub const NOT_FOUND: Status = Status(11);
    pub const NO_KERNEL: Status = Status(12);
    pub const NO_ROLE: Status = Status(13);
    pub const MEMORY: Status = Status(14);
    pub const GRAD: Status = Status(15);
    pub const GRAPH_FREED: Status = Status(16);
    pub const GRAPH_OWNER: Status = Status(17);
    pub const VERSION: Status = Status(18);
    pub const VJP: Status = Status(19);
    pub const CAPTURE: Status = Status(20);
    pub const PLAN_SHAPE: Status = Status(21);
    pub const ROWS: Status = Status(22);
    pub const PLUGIN: Status = Status(23);
    pub const SCHEMA: Status = Status(24);
    pub const IO: Status = Status(25);
    pub const DATA: Status = Status(26);
    pub const CHECK: Status = Status(27);
    pub const INTERRUPTED: Status = Status(28);
    pub const UNSUPPORTED: Status = Status(29);
    pub const INTERNAL: Status = Status(30);
    pub const DEVICE_LOST: Status = Status(31);
    pub const TIMEOUT: Status = Status(32);
    pub const PEER: Status = Status(33);

    /// "TENON_E_SHAPE"; nothing for one of a newer library.
    pub(crate) fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            1 => "TENON_E_ARGUMENT",
            2 => "TENON_E_HANDLE",
            3 => "TENON_E_RUNTIME",
            4 => "TENON_E_STATE",
            5 => "TENON_E_SHAPE",
            6 => "TENON_E_DTYPE",
            7 => "TENON_E_DEVICE",
            8 => "TENON_E_LAYOUT",
            9 => "TENON_E_ALIAS",
            10 => "TENON_E_ATTRIBUTE",
            11 => "TENON_E_NOT_FOUND",
            12 => "TENON_E_NO_KERNEL",
            13 => "TENON_E_NO_ROLE",
            14 => "TENON_E_MEMORY",
            15 => "TENON_E_GRAD",
            16 => "TENON_E_GRAPH_FREED",
            17 => "TENON_E_GRAPH_OWNER",
            18 => "TENON_E_VERSION",
            19 => "TENON_E_VJP",
            20 => "TENON_E_CAPTURE",
            21 => "TENON_E_PLAN_SHAPE",
            22 => "TENON_E_ROWS",
            23 => "TENON_E_PLUGIN",
            24 => "TENON_E_SCHEMA",
            25 => "TENON_E_IO",
            26 => "TENON_E_DATA",
            27 => "TENON_E_CHECK",
            28 => "TENON_E_INTERRUPTED",
            29 => "TENON_E_UNSUPPORTED",
            30 => "TENON_E_INTERNAL",
            31 => "TENON_E_DEVICE_LOST",
            32 => "TENON_E_TIMEOUT",
            33 => "TENON_E_PEER",
            _ => return None,
        })
    }
}
