// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/plugin.rs: puts the units of one plugin together.
use crate::guard::{caught, diagnose, silence_panics};
use crate::raw::*;
use std::mem::size_of;
use std::os::raw::{c_char, c_void};

macro_rules! define_unit {
    ($($id:literal $plural:ident: $desc:ty,)*) => {
        /// What one source file adds to a plugin: constant data.
        #[derive(Clone, Copy)]
        pub struct Unit {
            pub ops: &'static [tenon_op_desc],
            pub vjps: &'static [tenon_vjp_desc],
            pub kernels: &'static [tenon_kernel_desc],
            pub samples: &'static [tenon_sample],
            $(pub $plural: &'static [$desc],)*
            pub backend: Option<&'static tenon_backend_table>,
            /// How far results may lie from the exact ones; without, bits must be equal.
            pub tolerances: &'static [tenon_tolerance],
            /// Runs of optimizers that must work or be refused.
            pub optimizer_samples: &'static [tenon_optimizer_sample],
        }

        impl Unit {
            pub const EMPTY: Unit = Unit {
                ops: &[],
                vjps: &[],
                kernels: &[],
                samples: &[],
                $($plural: &[],)*
                backend: None,
                tolerances: &[],
                optimizer_samples: &[],
            };
        }

        fn tables_of(units: &'static [&'static Unit]) -> Vec<Table> {
            vec![
                Table::gather(b"tenon.ops/1", units.iter().map(|unit| unit.ops)),
                Table::gather(b"tenon.vjps/1", units.iter().map(|unit| unit.vjps)),
                Table::gather(b"tenon.kernels/1", units.iter().map(|unit| unit.kernels)),
                $(Table::gather($id, units.iter().map(|unit| unit.$plural)),)*
                Table::gather(
                    b"tenon.selftest.tolerances/1",
                    units.iter().map(|unit| unit.tolerances),
                ),
                Table::gather(
                    b"tenon.selftest.optimizers/1",
                    units.iter().map(|unit| unit.optimizer_samples),
                ),
            ]
        }
    };
}
for_each_kind!(define_unit);

/// What a plugin says of itself.
pub struct About {
    /// "vendor.name"
    pub id: &'static str,
    pub version: &'static str,
    /// An SPDX expression.
    pub license: &'static str,
    pub units: &'static [&'static Unit],
    pub init: fn() -> std::result::Result<(), String>,
}

/// Implemented by [`export_plugin!`](crate::export_plugin).
pub trait Plugin {
    const ABOUT: About;
}

pub fn fingerprint() -> tenon_fingerprint {
    tenon_fingerprint {
        pointer_bits: usize::BITS,
        byte_order: u32::from_ne_bytes([1, 2, 3, 4]),
        sanitizer: TENON_SANITIZER_NONE,
        draft: TENON_ABI_DRAFT,
    }
}

/// The tables of one runtime, gathered from the units.
struct State {
    tables: Vec<Table>,
    _samples: Vec<tenon_sample>,
    samples_table: tenon_selftest_table,
    backend: *const c_void,
}

/// Pointers to descriptors. Every such table has this layout; which it is, only its id says.
struct Table {
    id: &'static [u8],
    table: tenon_entries_table,
    _descs: Vec<*const tenon_entry_desc>,
}

impl Table {
    fn gather<T: 'static>(id: &'static [u8], lists: impl Iterator<Item = &'static [T]>) -> Table {
        let descs: Vec<*const tenon_entry_desc> = lists
            .flatten()
            .map(|desc| (desc as *const T).cast())
            .collect();
        let table = tenon_entries_table {
            struct_size: size_of::<tenon_entries_table>() as u32,
            count: descs.len() as u32,
            descs: descs.as_ptr(),
        };
        Table {
            id,
            table,
            _descs: descs,
        }
    }
}

impl State {
    fn gather(units: &'static [&'static Unit]) -> State {
        let samples: Vec<tenon_sample> = units
            .iter()
            .flat_map(|unit| unit.samples)
            .copied()
            .collect();
        let backend = units.iter().find_map(|unit| unit.backend);
        State {
            tables: tables_of(units),
            samples_table: tenon_selftest_table {
                struct_size: size_of::<tenon_selftest_table>() as u32,
                count: samples.len() as u32,
                samples: samples.as_ptr(),
            },
            _samples: samples,
            backend: backend.map_or(std::ptr::null(), |table| {
                (table as *const tenon_backend_table).cast()
            }),
        }
    }
    /// NULL if the plugin has nothing for it.
    fn find(&self, id: &[u8]) -> *const c_void {
        if id == b"tenon.backend/1" {
            return self.backend;
        }
        if id == b"tenon.selftest/1" && self.samples_table.count > 0 {
            return (&self.samples_table as *const tenon_selftest_table).cast();
        }
        let found = self
            .tables
            .iter()
            .find(|each| each.id == id && each.table.count > 0);
        found.map_or(std::ptr::null(), |each| {
            (&each.table as *const tenon_entries_table).cast()
        })
    }
}

unsafe extern "C" fn init<P: Plugin>(
    _host: *const tenon_host,
    out_self: *mut *mut c_void,
    diag: *mut tenon_diag,
) -> tenon_status {
    let made = caught(|| {
        (P::ABOUT.init)()?;
        Ok(Box::new(State::gather(P::ABOUT.units)))
    });
    match made {
        Ok(Ok(state)) => {
            *out_self = Box::into_raw(state).cast();
            TENON_OK
        }
        Ok(Err(words)) | Err(words) => diagnose(diag, TENON_E_PLUGIN, &words),
    }
}

unsafe extern "C" fn release(state: *mut c_void) {
    let _ = caught(|| drop(Box::from_raw(state.cast::<State>())));
}

unsafe extern "C" fn get_interface(
    state: *mut c_void,
    id: *const c_char,
    length: u64,
) -> *const c_void {
    let id = std::slice::from_raw_parts(id.cast::<u8>(), length as usize);
    (*state.cast::<State>()).find(id)
}

/// The body of `tenon_plugin_query_v0`.
///
/// # Safety
/// `out` and `diag` are the host's.
pub unsafe fn query<P: Plugin>(out: *mut tenon_plugin_, diag: *mut tenon_diag) -> tenon_status {
    let found = (*out).struct_size as usize;
    if found < size_of::<tenon_plugin_>() {
        let words = format!(
            "the host reads {found} bytes of tenon_plugin, {} are needed",
            size_of::<tenon_plugin_>()
        );
        return diagnose(diag, TENON_E_PLUGIN, &words);
    }
    silence_panics();
    *out = tenon_plugin_ {
        struct_size: size_of::<tenon_plugin_>() as u32,
        flags: 0,
        built_major: TENON_ABI_MAJOR,
        built_minor: TENON_ABI_MINOR,
        required_minor: TENON_ABI_MINOR,
        reserved: 0,
        fingerprint: fingerprint(),
        id: crate::text(P::ABOUT.id),
        version: crate::text(P::ABOUT.version),
        license: crate::text(P::ABOUT.license),
        init: Some(init::<P>),
        release: Some(release),
        get_interface: Some(get_interface),
    };
    TENON_OK
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{optimizer_refused, optimizer_sample, tolerance, ToleranceParts};

    const ONE: Unit = Unit {
        tolerances: &[tolerance(ToleranceParts {
            op: "test.sum",
            dtype: TENON_DTYPE_F64,
            relative: 1e-12,
            reason: "the order of a sum",
            revision: 2,
            ..ToleranceParts::NEW
        })],
        optimizer_samples: &[optimizer_sample("test.descent", "f32[3] | lr=0.1", 4)],
        ..Unit::EMPTY
    };
    const TWO: Unit = Unit {
        tolerances: &[tolerance(ToleranceParts {
            op: "test.exp",
            ulp: 2.0,
            reason: "a library's exp",
            ..ToleranceParts::NEW
        })],
        optimizer_samples: &[optimizer_refused(
            "test.descent",
            "f32[3] | lr=-1.0",
            TENON_E_ATTRIBUTE,
            "lr",
        )],
        ..Unit::EMPTY
    };

    fn words(text: tenon_string) -> &'static str {
        let bytes = unsafe { std::slice::from_raw_parts(text.data.cast(), text.length as usize) };
        std::str::from_utf8(bytes).unwrap()
    }

    /// What a host reads for the interface `id`: a table of pointers to `T`.
    fn read<T: Copy>(state: &State, id: &str) -> Vec<T> {
        let table = state.find(id.as_bytes()).cast::<tenon_entries_table>();
        assert!(!table.is_null(), "no {id}");
        let head = unsafe { &*table };
        assert_eq!(head.struct_size as usize, size_of::<tenon_entries_table>());
        let descs = head.descs.cast::<*const T>();
        (0..head.count as usize)
            .map(|i| unsafe { **descs.add(i) })
            .collect()
    }

    #[test]
    fn tolerances_of_all_units_are_found() {
        let state = State::gather(&[&ONE, &TWO]);
        let found: Vec<tenon_tolerance> = read(&state, "tenon.selftest.tolerances/1");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].struct_size as usize, size_of::<tenon_tolerance>());
        assert_eq!(words(found[0].op), "test.sum");
        assert_eq!(words(found[0].reason), "the order of a sum");
        assert_eq!((found[0].dtype, found[0].revision), (TENON_DTYPE_F64, 2));
        assert_eq!((found[0].ulp, found[0].relative), (0.0, 1e-12));
        assert_eq!(words(found[1].op), "test.exp");
        assert_eq!((found[1].dtype, found[1].revision), (TENON_DTYPE_F32, 1));
        assert_eq!((found[1].ulp, found[1].relative), (2.0, 0.0));
    }

    #[test]
    fn optimizer_samples_of_all_units_are_found() {
        let state = State::gather(&[&ONE, &TWO]);
        let found: Vec<tenon_optimizer_sample> = read(&state, "tenon.selftest.optimizers/1");
        assert_eq!(found.len(), 2);
        for each in &found {
            let size = size_of::<tenon_optimizer_sample>();
            assert_eq!((each.struct_size as usize, each.flags), (size, 0));
            assert_eq!(words(each.optimizer), "test.descent");
        }
        assert_eq!(words(found[0].text), "f32[3] | lr=0.1");
        assert_eq!(words(found[0].fragment), "");
        assert_eq!((found[0].expect, found[0].steps), (TENON_OK, 4));
        assert_eq!(words(found[1].text), "f32[3] | lr=-1.0");
        assert_eq!(words(found[1].fragment), "lr");
        assert_eq!((found[1].expect, found[1].steps), (TENON_E_ATTRIBUTE, 0));
    }

    #[test]
    fn what_no_unit_has_is_not_offered() {
        let state = State::gather(&[&Unit::EMPTY]);
        for id in [
            "tenon.ops/1",
            TENON_INTERFACE_SCHEDULES,
            TENON_INTERFACE_FORMATS,
            TENON_INTERFACE_LAYERS,
            "tenon.selftest/1",
            "tenon.selftest.tolerances/1",
            "tenon.selftest.optimizers/1",
        ] {
            assert!(state.find(id.as_bytes()).is_null(), "{id}");
        }
    }
}
