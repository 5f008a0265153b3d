// SPDX-License-Identifier: Apache-2.0
// examples/common/images.h: images with labels, in the files of MNIST.
//
// Needs _POSIX_C_SOURCE 200809L before the first #include of the program.
#ifndef EXAMPLES_COMMON_IMAGES_H
#define EXAMPLES_COMMON_IMAGES_H

#include <tenon/client.h>

#include "paths.h"

// part: "train" or "t10k"
static inline tenon_dataset* open_images(tn_client* c, const char* folder, const char* part) {
  char images[EXAMPLE_PATH_BYTES], labels[EXAMPLE_PATH_BYTES], name[64];
  snprintf(name, sizeof name, "%s-images-idx3-ubyte", part);
  join_path(images, folder, name);
  snprintf(name, sizeof name, "%s-labels-idx1-ubyte", part);
  join_path(labels, folder, name);
  return tn_dataset(c, "tenon.idx",
                    TN_NAMED({"images", tn_text(images)}, {"labels", tn_text(labels)}));
}

static inline int64_t pixels_of(tn_client* c, tenon_dataset* images) {
  tenon_meta image;
  tn_check(c, tenon_dataset_get_field(c->context, images, 0, &image, NULL));
  int64_t pixels = 1;
  for (int32_t d = 0; d < image.rank; ++d) pixels *= image.shape[d];
  return pixels;
}

#endif  // EXAMPLES_COMMON_IMAGES_H
