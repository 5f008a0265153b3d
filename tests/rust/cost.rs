// SPDX-License-Identifier: Apache-2.0
// tests/rust/cost.rs: what add of 64 numbers costs through the crate, beside the same calls of C.

use std::time::Instant;
use tenon::{sys, Result, Tensor};

const CALLS: u32 = 2000;
const ROUNDS: u32 = 200;

/// Nanoseconds of a call: the least of many rounds, which take turns.
fn least(mut calls: Vec<Box<dyn FnMut() + '_>>) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; calls.len()];
    for _ in 0..ROUNDS {
        for (run, best) in calls.iter_mut().zip(&mut best) {
            let start = Instant::now();
            run();
            *best = best.min(start.elapsed().as_nanos() as f64 / f64::from(CALLS));
        }
    }
    best
}

fn repeat<'a>(mut call: impl FnMut() + 'a) -> Box<dyn FnMut() + 'a> {
    Box::new(move || (0..CALLS).for_each(|_| call()))
}

/// As a program in C calls it.
struct InC {
    context: *mut sys::tenon_context,
    add: *const sys::tenon_op,
    inputs: [sys::tenon_value; 2],
    out: *mut sys::tenon_tensor,
}

impl InC {
    fn new(context: &tenon::Context, operands: [&Tensor; 2], out: &Tensor) -> InC {
        let (context, mut add) = (context.handle(), std::ptr::null());
        let name = "tenon.add".as_ptr().cast();
        let found = unsafe { sys::tenon_op_find(context, name, 9, 0, &mut add) };
        assert_eq!(found, sys::TENON_OK);
        let inputs = operands.map(|each| {
            let as_ = sys::tenon_value_as {
                tensor: each.handle(),
            };
            sys::tenon_value {
                tag: sys::TENON_VALUE_TENSOR,
                count: 0,
                as_,
            }
        });
        InC {
            context,
            add,
            inputs,
            out: out.handle(),
        }
    }
    fn written(&self) {
        let (inputs, none) = (self.inputs.as_ptr(), std::ptr::null());
        let status = unsafe {
            sys::tenon_op_call_into(self.context, self.add, inputs, 2, none, 0, &self.out, 1)
        };
        assert_eq!(status, sys::TENON_OK);
    }
    fn returned(&self) {
        let (inputs, none) = (self.inputs.as_ptr(), std::ptr::null());
        let mut made = std::ptr::null_mut();
        let status =
            unsafe { sys::tenon_op_call(self.context, self.add, inputs, 2, none, 0, &mut made, 1) };
        assert_eq!(status, sys::TENON_OK);
        unsafe { sys::tenon_tensor_release(made) }
    }
}

fn main() -> Result<()> {
    let context = tenon::Context::new(&tenon::Runtime::shared()?)?;
    context.enter(|| {
        let numbers: Vec<f32> = (0..64).map(|i| 0.25 * i as f32 - 3.0).collect();
        let operand = || Tensor::from_slice(&numbers, 64);
        let (a, b, out, leaf) = (operand()?, operand()?, operand()?, operand()?.with_grad()?);
        let (plain, recorded) = (InC::new(&context, [&a, &b], &out), [&leaf, &b]);
        let recorded = InC::new(&context, recorded, &out);
        let found = least(vec![
            repeat(|| plain.written()),
            repeat(|| tenon::add_into(&a, &b, &out).unwrap()),
            repeat(|| plain.returned()),
            repeat(|| drop((&a + &b).unwrap())),
            repeat(|| recorded.returned()),
            repeat(|| drop((&leaf + &b).unwrap())),
        ]);
        for (name, pair) in ["out", "returned", "recorded"].iter().zip(found.chunks(2)) {
            println!("add_64_{name}: C {:.1} ns, Rust {:.1} ns", pair[0], pair[1]);
        }
        Ok(())
    })
}
