// SPDX-License-Identifier: Apache-2.0
// examples/common/images.h: images with labels, in the files of MNIST.
#ifndef EXAMPLES_COMMON_IMAGES_H
#define EXAMPLES_COMMON_IMAGES_H

#include "paths.h"
#include "session.h"

static inline tenon_dataset* open_images(session* s, const char* folder, const char* images,
                                         const char* labels) {
  char paths[2][EXAMPLE_PATH_BYTES];
  const tenon_string names[] = {{"images", 6}, {"labels", 6}};
  const tenon_value values[] = {text_value(join_path(paths[0], folder, images)),
                                text_value(join_path(paths[1], folder, labels))};
  tenon_dataset* dataset = NULL;
  session_check(
      s, tenon_dataset_create(s->context, "tenon.idx", TENON_NUL, names, values, 2, &dataset));
  return dataset;
}

#endif  // EXAMPLES_COMMON_IMAGES_H
