// SPDX-License-Identifier: Apache-2.0
// bindings/rust/tenon-plugin/src/layer.rs: layers as a trait: parameters, and a forward in ops.
use crate::describe::{text, NO_VALUE};
use crate::guard::{check, guard, slot, Failure, Result};
use crate::launch::{slice, Attrs};
use crate::raw::*;
use crate::rule::{call_op, Value, NO_META};
use std::mem::size_of;

/// A layer: a description. The host makes the tensors and owns them.
pub trait Layer {
    /// "vendor.name"
    const NAME: &'static str;
    const DOC: &'static str;
    const OPTIONS: &'static [tenon_layer_option] = &[];
    /// Calls that work or are refused; `tenon verify` runs them.
    const SAMPLES: &'static [tenon_layer_sample];
    /// The fewest and the most inputs of a call.
    const INPUTS: (u32, u32) = (1, 1);
    const OUTPUTS: u32 = 1;
    /// `TENON_LAYER_CONTAINER`
    const FLAGS: u32 = 0;
    /// Names tensors and children, and refuses options that do not fit. Calls no op.
    fn describe(d: &Describe) -> Result;
    /// Calls ops and children, and sets each output.
    fn forward(f: &Forward) -> Result;
}

/// What `describe` sees.
pub struct Describe<'a> {
    call: *mut tenon_call,
    pub options: Attrs<'a>,
}

/// What `forward` sees. Tensors live until it returns.
pub struct Forward<'a> {
    call: *mut tenon_call,
    pub options: Attrs<'a>,
    inputs: &'a [tenon_value],
    /// Training, not evaluation.
    pub training: bool,
}

/// Attributes or options by name, in two lists as the host takes them.
fn apart(named: &[(&str, Value)]) -> (Vec<tenon_string>, Vec<tenon_value>) {
    named
        .iter()
        .map(|(name, value)| (borrowed(name), *value.raw()))
        .unzip()
}

fn borrowed(text: &str) -> tenon_string {
    tenon_string {
        data: text.as_ptr().cast(),
        length: text.len() as u64,
    }
}

unsafe fn host_of<'a>(call: *mut tenon_call) -> Result<&'a tenon_host_layers> {
    let host = (*call).host;
    let id = text(TENON_HOST_LAYERS);
    let table = slot((*host).get_interface)(host, id.data, id.length);
    table
        .cast::<tenon_host_layers>()
        .as_ref()
        .ok_or_else(|| Failure::new(TENON_E_UNSUPPORTED, "the host has no layers").into())
}

impl Describe<'_> {
    fn tensor(
        &self,
        flags: u32,
        name: &str,
        shape: &[i64],
        dtype: tenon_dtype,
        (op, attrs): (&str, &[(&str, Value)]),
    ) -> Result {
        let (names, values) = apart(attrs);
        let mut dims = [0; TENON_MAX_RANK as usize];
        if shape.len() > dims.len() {
            let words = format!("{name} has {} dimensions", shape.len());
            let failure = Failure::new(TENON_E_SHAPE, words).expected("at most 8");
            return Err(failure.into());
        }
        dims[..shape.len()].copy_from_slice(shape);
        let spec = tenon_layer_tensor_spec {
            struct_size: size_of::<tenon_layer_tensor_spec>() as u32,
            flags,
            name: borrowed(name),
            op: borrowed(op),
            attr_names: names.as_ptr(),
            attr_values: values.as_ptr(),
            n_attrs: names.len() as u32,
            rank: shape.len() as i32,
            shape: dims,
            dtype,
            reserved: 0,
        };
        check(unsafe { slot(host_of(self.call)?.add_tensor)(self.call, &spec) })
    }
    /// A parameter, made by an op without inputs: `("tenon.full", &[("value", 1.0.into())])`.
    pub fn parameter(
        &self,
        name: &str,
        shape: &[i64],
        dtype: tenon_dtype,
        made_by: (&str, &[(&str, Value)]),
    ) -> Result {
        self.tensor(0, name, shape, dtype, made_by)
    }
    /// The same, but never trained.
    pub fn buffer(
        &self,
        name: &str,
        shape: &[i64],
        dtype: tenon_dtype,
        made_by: (&str, &[(&str, Value)]),
    ) -> Result {
        self.tensor(TENON_LAYER_BUFFER, name, shape, dtype, made_by)
    }
    /// A layer of any plugin as a child.
    pub fn child(&self, name: &str, layer: &str, options: &[(&str, Value)]) -> Result {
        let (names, values) = apart(options);
        check(unsafe {
            slot(host_of(self.call)?.add_child)(
                self.call,
                &borrowed(name),
                &borrowed(layer),
                names.as_ptr(),
                values.as_ptr(),
                names.len() as u32,
            )
        })
    }
}

impl<'a> Forward<'a> {
    /// An input; `none` if it is absent.
    pub fn input(&self, index: usize) -> Value<'a> {
        self.inputs
            .get(index)
            .map_or(Value::none(), |raw| Value::of(*raw))
    }
    /// The layer's own tensor of that name.
    pub fn tensor(&self, name: &str) -> Result<Value<'a>> {
        let mut found = std::ptr::null_mut();
        let name = borrowed(name);
        check(unsafe {
            let get = slot(host_of(self.call)?.get_tensor);
            get(self.call, name.data, name.length, &mut found)
        })?;
        Ok(Value::tensor(found))
    }
    /// A buffer takes the values of a tensor; not recorded for backward.
    pub fn set_buffer(&self, name: &str, tensor: Value) -> Result {
        let name = borrowed(name);
        check(unsafe {
            let set = slot(host_of(self.call)?.set_buffer);
            set(self.call, name.data, name.length, tensor.as_tensor())
        })
    }
    /// The first output of an op.
    pub fn call(&self, op: &str, inputs: &[Value], attrs: &[Value]) -> Result<Value<'a>> {
        unsafe { call_op(self.call, op, inputs, attrs) }
    }
    /// Shape, dtype and device of a tensor.
    pub fn meta(&self, tensor: Value) -> Result<tenon_meta> {
        let mut meta = NO_META;
        check(unsafe {
            let get = slot((*(*self.call).dispatch).meta);
            get(self.call, tensor.as_tensor(), &mut meta)
        })?;
        Ok(meta)
    }
    /// The one output of a child, in order of addition.
    pub fn child(&self, index: u32, inputs: &[Value]) -> Result<Value<'a>> {
        let mut output = std::ptr::null_mut();
        check(unsafe {
            slot(host_of(self.call)?.call_child)(
                self.call,
                index,
                inputs.as_ptr().cast(),
                inputs.len() as u32,
                &mut output,
                1,
            )
        })?;
        Ok(Value::tensor(output))
    }
    pub fn set(&self, output: u32, tensor: Value) -> Result {
        check(unsafe {
            let set = slot((*(*self.call).dispatch).set_output);
            set(self.call, output, tensor.as_tensor())
        })
    }
}

unsafe extern "C" fn describe<L: Layer>(
    call: *mut tenon_call,
    values: *const tenon_value,
) -> tenon_status {
    guard(call, || {
        L::describe(&Describe {
            call,
            options: Attrs::new(values, L::OPTIONS.len() as u32),
        })
    })
}

unsafe extern "C" fn forward<L: Layer>(
    call: *mut tenon_call,
    values: *const tenon_value,
    inputs: *const tenon_value,
    n_inputs: u32,
    flags: u32,
) -> tenon_status {
    guard(call, || {
        L::forward(&Forward {
            call,
            options: Attrs::new(values, L::OPTIONS.len() as u32),
            inputs: slice(inputs, n_inputs as usize),
            training: flags & TENON_LAYER_TRAINING != 0,
        })
    })
}

pub const fn layer<L: Layer>() -> tenon_layer_desc {
    tenon_layer_desc {
        struct_size: size_of::<tenon_layer_desc>() as u32,
        flags: L::FLAGS,
        name: text(L::NAME),
        doc: text(L::DOC),
        options: L::OPTIONS.as_ptr(),
        samples: L::SAMPLES.as_ptr(),
        n_options: L::OPTIONS.len() as u32,
        n_samples: L::SAMPLES.len() as u32,
        min_inputs: L::INPUTS.0,
        max_inputs: L::INPUTS.1,
        n_outputs: L::OUTPUTS,
        reserved: 0,
        describe: Some(describe::<L>),
        forward: Some(forward::<L>),
    }
}

/// An option that has a value if it is not given.
pub const fn layer_option(
    name: &'static str,
    doc: &'static str,
    initial: tenon_value,
) -> tenon_layer_option {
    tenon_layer_option {
        name: text(name),
        doc: text(doc),
        tag: initial.tag,
        required: 0,
        initial,
    }
}

/// An option that must be given, of type `tag`.
pub const fn required_layer_option(
    name: &'static str,
    doc: &'static str,
    tag: u32,
) -> tenon_layer_option {
    tenon_layer_option {
        name: text(name),
        doc: text(doc),
        tag,
        required: 1,
        initial: NO_VALUE,
    }
}

/// A call that works.
pub const fn layer_sample(call: &'static str) -> tenon_layer_sample {
    layer_refused(call, TENON_OK, "")
}

/// One that is refused with `status` and a message that contains `fragment`.
pub const fn layer_refused(
    call: &'static str,
    status: tenon_status,
    fragment: &'static str,
) -> tenon_layer_sample {
    tenon_layer_sample {
        text: text(call),
        fragment: text(fragment),
        expect: status,
        flags: 0,
    }
}
