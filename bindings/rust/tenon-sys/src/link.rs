// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-sys/src/link.rs: what the list of functions makes of them: they are linked.

macro_rules! functions {
    ($(fn $name:ident($($given:ident: $kind:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        extern "C" { $(pub fn $name($($given: $kind),*) $(-> $result)?;)* }
    };
}
