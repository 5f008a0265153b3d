// SPDX-License-Identifier: Apache-2.0
// tests/rust/side.rs: Rust, a shared library in C++ and a program in C in one process, with one
// runtime: tests/cpp/part.h.

use tenon::{sys, Result, Runtime, Tensor};

#[link(name = "tests_cpp_part")]
extern "C" {
    fn part_runtime() -> *mut sys::tenon_runtime;
    fn part_tensor(value: f64) -> *mut sys::tenon_tensor;
    fn program_open(out: *mut *mut sys::tenon_runtime) -> *mut sys::tenon_context;
    fn program_ones() -> *mut sys::tenon_tensor;
    fn program_add(a: *mut sys::tenon_tensor, b: *mut sys::tenon_tensor) -> *mut sys::tenon_tensor;
    fn program_backward(loss: *mut sys::tenon_tensor);
    fn program_close();
}

/// What C++ has made is shared here, so that tensors go to and fro.
#[test]
fn rust_uses_the_runtime_of_the_part_in_cpp() -> Result<()> {
    let (theirs, three) = unsafe { (Runtime::borrow(part_runtime()), part_tensor(3.0)) };
    theirs.clone().share()?;
    assert_eq!(Runtime::shared()?.handle(), theirs.handle());
    let three = unsafe { Tensor::adopt(three) };
    let four = (&three + tenon::ones([2]))?;
    assert_eq!(four.to_vec::<f32>()?, [4.0, 4.0]);
    assert!(tenon::stats()?.tensors >= 2); // theirs and ours are in one runtime

    // C has a runtime and a context of its own, which Rust goes into.
    let mut runtime = std::ptr::null_mut();
    let context = unsafe { tenon::Context::borrow(program_open(&mut runtime)) };
    context.enter(|| -> Result<()> {
        let x = unsafe { Tensor::share(program_ones()) }.with_grad()?;
        let y = tenon::sum(&(&x * 3)?).call()?;
        unsafe { program_backward(y.handle()) }; // C walks the graph that Rust recorded
        assert_eq!(x.grad()?.unwrap().to_vec::<f32>()?, [3.0, 3.0]);
        let sum = unsafe { Tensor::share(program_add(x.handle(), y.handle())) };
        assert_eq!(sum.to_vec::<f32>()?, [7.0, 7.0]);
        Ok(())
    })?;
    unsafe { program_close() };
    Ok(())
}
