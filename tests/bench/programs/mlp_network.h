// SPDX-License-Identifier: Apache-2.0
// tests/bench/programs/mlp_network.h: the network 784-128-32-10 (relu, softmax cross-entropy) and
// one training step of it, eager or replayed from a plan, on the context's device.
//
// Inputs are random and another batch is taken in each step, so that nothing is timed on zeros or
// on numbers that have become subnormal.
#pragma once

#include <math.h>

#include "random_tensor.h"

#define MLP_BATCHES 8
#define MLP_LAYERS 3

typedef struct mlp_network {
  const tenon_op *matmul, *add, *relu, *loss;
  tenon_tensor* params[2 * MLP_LAYERS];
  tenon_tensor* images[MLP_BATCHES];
  tenon_tensor* labels[MLP_BATCHES];
  tenon_optimizer* optimizer;
} mlp_network;

static const int64_t mlp_sizes[] = {784, 128, 32, 10};

static inline const tenon_op* mlp_find(tn_client* s, const char* name) {
  const tenon_op* op = NULL;
  tn_check(s, tenon_op_find(s->context, name, TENON_NUL, 0, &op));
  return op;
}

static inline mlp_network mlp_create(tn_client* s, int64_t batch, const char* optimizer) {
  mlp_network net = {.matmul = mlp_find(s, "tenon.matmul"),
                     .add = mlp_find(s, "tenon.add"),
                     .relu = mlp_find(s, "tenon.relu"),
                     .loss = mlp_find(s, "tenon.softmax_cross_entropy")};
  uint32_t state = 20261121;
  for (int i = 0; i < 2 * MLP_LAYERS; ++i) {
    const int64_t* shape = mlp_sizes + i / 2 + i % 2;  // [in, out], then [out]
    const int64_t inputs = mlp_sizes[i / 2];
    const double bound = 1 / sqrt((double)inputs);
    net.params[i] = random_tensor(s, TENON_DTYPE_F32, shape, 2 - (uint32_t)i % 2, bound, &state);
    tn_check(s, tenon_tensor_set_requires_grad(s->context, net.params[i], 1));
  }
  const int64_t shape[] = {batch, mlp_sizes[0]};
  for (int i = 0; i < MLP_BATCHES; ++i) {
    net.images[i] = random_tensor(s, TENON_DTYPE_F32, shape, 2, 1, &state);
    net.labels[i] = random_labels(s, batch, 10, &state);
  }
  const tenon_string names[] = {{"lr", 2}};
  const tenon_value values[] = {tn_float(1e-3)};
  tn_check(s, tenon_optimizer_create(s->context, optimizer, TENON_NUL, net.params, 2 * MLP_LAYERS,
                                     names, values, 1, &net.optimizer));
  return net;
}

static inline void mlp_release(mlp_network* net) {
  tenon_optimizer_release(net->optimizer);
  for (int i = 0; i < 2 * MLP_LAYERS; ++i) tenon_tensor_release(net->params[i]);
  for (int i = 0; i < MLP_BATCHES; ++i) {
    tenon_tensor_release(net->images[i]);
    tenon_tensor_release(net->labels[i]);
  }
}

static inline tenon_tensor* mlp_apply(tn_client* s, const tenon_op* op, tenon_tensor* a,
                                      tenon_tensor* b) {
  const tenon_value inputs[] = {tn_value(a), tn_value(b)};
  tenon_tensor* out = NULL;
  tn_check(s, tenon_op_call(s->context, op, inputs, b ? 2 : 1, NULL, 0, &out, 1));
  return tn_keep(s, out);
}

// The loss is the client's, for the caller to end.
static inline tenon_tensor* mlp_step(tn_client* s, const mlp_network* net, tenon_tensor* images,
                                     tenon_tensor* labels) {
  tenon_tensor* x = images;
  for (int i = 0; i < MLP_LAYERS; ++i) {
    if (i > 0) x = mlp_apply(s, net->relu, x, NULL);
    x = mlp_apply(s, net->matmul, x, net->params[2 * i]);
    x = mlp_apply(s, net->add, x, net->params[2 * i + 1]);
  }
  tenon_tensor* loss = mlp_apply(s, net->loss, x, labels);
  tn_check(s, tenon_backward_run(s->context, &loss, NULL, 1, 0));
  tn_check(s, tenon_optimizer_run(s->context, net->optimizer, TENON_OPTIMIZER_CLEAR_GRAD));
  return loss;
}

// Steps `first` to `first + steps - 1`; `plan` NULL: eager.
static inline void mlp_run(tn_client* s, const mlp_network* net, tenon_plan* plan, int64_t first,
                           int64_t steps) {
  for (int64_t i = first; i < first + steps; ++i) {
    tenon_tensor* images = net->images[i % MLP_BATCHES];
    tenon_tensor* labels = net->labels[i % MLP_BATCHES];
    if (plan) {
      tn_check(s, tenon_plan_set(s->context, plan, 0, images));
      tn_check(s, tenon_plan_set(s->context, plan, 1, labels));
      tn_check(s, tenon_plan_run(s->context, plan));
    } else {
      mlp_step(s, net, images, labels);
      tn_end(s, 0);
    }
  }
}

// A step as a plan, after eager ones have made the optimizer's state. The loss stays in the
// client.
static inline tenon_plan* mlp_capture(tn_client* s, const mlp_network* net,
                                      tenon_tensor** out_loss) {
  tenon_plan* plan = NULL;
  tenon_tensor* inputs[] = {net->images[0], net->labels[0]};
  mlp_run(s, net, NULL, 0, 2);
  tn_check(s, tenon_capture_begin(s->context, inputs, 2));
  *out_loss = mlp_step(s, net, inputs[0], inputs[1]);
  tn_check(s, tenon_capture_end(s->context, &plan));
  return plan;
}
