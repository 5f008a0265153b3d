// SPDX-License-Identifier: Apache-2.0
// tests/templates/rust/panics.rs: the plugin test.rust_panics, whose callbacks panic when asked to.
//
// The op copies its input. Its attribute names the callback that panics; init panics where the
// environment says so, because `tenon manifest` has to get past it.
use ::tenon_plugin as sdk;
use sdk::raw::*;
use sdk::{Access, Failure, Infer, Kernel, Launch, Rule, Unit, Vjp};

const NAME: &str = "test.rust_panics";

struct Panics;

impl Infer for Panics {
    fn infer(args: &sdk::Args, outputs: &mut [tenon_meta]) -> sdk::Result {
        let shape = args.input(0).shape();
        outputs[0].shape[..shape.len()].copy_from_slice(shape);
        outputs[0].rank = shape.len() as i32;
        match args.attrs.text(0).as_str() {
            "infer" => panic!("boom in infer"),
            _ => Ok(()),
        }
    }
}

impl Kernel for Panics {
    fn launch(l: &Launch) -> sdk::Result {
        match l.attrs.text(0).as_str() {
            "launch" => panic!("boom in launch"),
            "payload" => std::panic::panic_any(vec![1, 2, 3]),
            "view" => {
                let _: f64 = l.input(0).get(&[0, 0]);
            }
            "after" => {
                let _: f64 = l.input(0).get(&[1]);
            }
            "before" => l.output(0).set(&[-1], 1.0_f64),
            "dtype" => l.output(0).set(&[0], 1_i32),
            "piece" => l.parallel_for(100, 1, |begin, _| match begin {
                50 => panic!("boom in piece"),
                _ => (),
            })?,
            "failure" => {
                let words = "no panic, a \0 failure";
                return Err(Failure::new(TENON_E_DATA, words).found("found this").into());
            }
            _ => (),
        }
        let operands = [(l.output(0), Access::Write), (l.input(0), Access::Read)];
        l.for_each(operands, |[y, x]: &mut [f64; 2]| *y = *x)
    }
}

impl Rule for Panics {
    fn vjp(v: &Vjp) -> sdk::Result {
        match v.attr(0)?.as_attr().text(0).as_str() {
            "vjp" => panic!("boom in {}", "vjp"),
            _ => v.grad(0, v.dy(0)?),
        }
    }
}

struct Data;

impl sdk::Dataset for Data {
    const NAME: &'static str = NAME;
    const DOC: &'static str = "Sample 3 panics.";
    const OPTIONS: &'static [tenon_dataset_option] = &[];
    fn create(_: sdk::Attrs) -> sdk::Result<Data> {
        Ok(Data)
    }
    fn length(&self) -> i64 {
        4
    }
    fn fields(&self) -> Vec<sdk::Field> {
        vec![sdk::Field {
            name: "number",
            dtype: TENON_DTYPE_I64,
            shape: vec![],
        }]
    }
    fn get(&self, indices: &[i64], target: &sdk::Target) -> sdk::Result {
        for (row, index) in indices.iter().enumerate() {
            assert_ne!(*index, 3, "boom in get");
            target.write(0, row, &[*index]);
        }
        Ok(())
    }
}

fn init() -> Result<(), String> {
    match std::env::var("TENON_TEST_INIT").as_deref() {
        Ok("panics") => panic!("boom in init"),
        Ok("fails") => Err("no panic in init, a \0 failure".to_string()),
        _ => Ok(()),
    }
}

const UNIT: Unit = Unit {
    ops: &[sdk::op(sdk::Op {
        name: NAME,
        schema: "rust_panics(x: T[...], *, at: str=\"nowhere\") -> T[...] where T: float",
        doc: "Copies; panics in the callback that `at` names.",
        infer: sdk::infer_fn::<Panics>(),
        ..sdk::Op::NEW
    })],
    vjps: &[sdk::vjp(sdk::VjpParts {
        op: NAME,
        needs: &[sdk::NEEDS_NOTHING],
        vjp: sdk::vjp_fn::<Panics>(),
        n_attrs: 1,
        ..sdk::VjpParts::NEW
    })],
    kernels: &[sdk::kernel(sdk::KernelParts {
        op: NAME,
        slots: &[sdk::STRIDED_IN, sdk::STRIDED_OUT],
        rows: &[TENON_DTYPE_F64],
        n_attrs: 1,
        flags: TENON_KERNEL_CANONICAL,
        launch: sdk::launch_fn::<Panics>(),
        ..sdk::KernelParts::NEW
    })],
    datasets: &[sdk::dataset::<Data>()],
    tolerances: &[sdk::tolerance(sdk::ToleranceParts {
        op: NAME,
        dtype: TENON_DTYPE_F64,
        ulp: 1.0,
        reason: "None is needed; a host reads one that was written in Rust.",
        ..sdk::ToleranceParts::NEW
    })],
    ..Unit::EMPTY
};

sdk::export_plugin!(
    id: "test.rust_panics",
    version: "1.0.0",
    license: "Apache-2.0",
    units: &[&UNIT],
    init: init,
);
