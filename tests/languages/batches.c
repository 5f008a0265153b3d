// SPDX-License-Identifier: Apache-2.0
// tests/languages/batches.c: a hash of all batches of two shuffled epochs of the digits, in C, read
// without workers. loader.go prints the same one with them.
#include <inttypes.h>
#include <tenon/client.h>

// FNV-1a, of 64 bits.
static uint64_t add_bytes(uint64_t hash, const unsigned char* data, uint64_t n) {
  for (uint64_t i = 0; i < n; ++i) hash = (hash ^ data[i]) * 0x100000001b3;
  return hash;
}

static uint64_t add_tensor(tn_client* c, uint64_t hash, const tenon_tensor* tensor) {
  tenon_view view;
  tn_check(c, tenon_tensor_get_view(c->context, tensor, &view));
  uint64_t bytes = (view.dtype >> 8 & 255) / 8;
  for (int32_t d = 0; d < view.rank; ++d) bytes *= (uint64_t)view.shape[d];
  return add_bytes(hash, view.data, bytes);
}

int main(int argc, char** argv) {
  if (argc != 2) return fprintf(stderr, "usage: batches FOLDER\n"), 2;
  char images[4096], labels[4096];
  snprintf(images, sizeof images, "%s/train-images-idx3-ubyte", argv[1]);
  snprintf(labels, sizeof labels, "%s/train-labels-idx1-ubyte", argv[1]);
  tn_client client, *c = &client;
  tn_open(c, 1, 0);
  tenon_dataset* set = tn_dataset(
      c, "tenon.idx", TN_NAMED({"images", tn_text(images)}, {"labels", tn_text(labels)}));
  tenon_loader* loader = tn_loader(c, set, 7, 5, TENON_LOADER_SHUFFLE, 0);
  tenon_transform* list[] = {tn_transform(c, "tenon.normalise", TN_NAMED({"scale", tn_float(16)}))};
  tn_transforms(c, loader, list, 1);
  uint64_t hash = 0xcbf29ce484222325;
  int batches = 0;
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    tenon_tensor* xy[2];
    const size_t region = tn_begin(c);
    tn_check(c, tenon_loader_begin(c->context, loader, epoch, 0));
    for (; tn_next(c, loader, xy, 2) > 0; ++batches, tn_end(c, region)) {
      for (int i = 0; i < 2; ++i) hash = add_tensor(c, hash, xy[i]);
    }
  }
  printf("%d batches, %016" PRIx64 "\n", batches, hash);
  tn_close(c);
  return 0;
}
