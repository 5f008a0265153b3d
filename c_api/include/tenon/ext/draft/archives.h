// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/archives.h: files of named tensors, for programs; draft.
//
// An archive is a list of named tensors, and of keys with texts (metadata): what a file holds, or
// will. Formats (safetensors, npy, npz, ...) are plugins'; see formats.h. The conventions of
// tenon.h hold here too. since    0.1 (draft), all of it
#ifndef TENON_EXT_DRAFT_ARCHIVES_H
#define TENON_EXT_DRAFT_ARCHIVES_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_archive tenon_archive;

// Creates an archive that holds nothing.
TENON_EXPORT tenon_status tenon_archive_create(tenon_context* context, tenon_archive** out_archive);

// Reads all of the file into memory of our own instead of mapping it.
#define TENON_ARCHIVE_IN_MEMORY 1u

// Opens a file: checks all it says of itself, and reads no tensor's data yet. The file is mapped:
// it may be replaced meanwhile (tenon_file_set does that), but truncating it in place ends
// this process; if that may happen, load with TENON_ARCHIVE_IN_MEMORY.
// format   "tenon.npy"; empty: by the ending of the file's name
// memory   the mapping lives until the archive and every tensor made from it are gone
// foreign  what Tenon cannot hold (another dtype, more than 8 dimensions, a member that is not an
//          array) is listed with the rest, and refused only when it is asked for
// errors   TENON_E_IO (cannot be read), TENON_E_DATA (is damaged), TENON_E_UNSUPPORTED (is made
//          in a way that is not read), TENON_E_NOT_FOUND (no such format, or none for this
//          ending), TENON_E_PLUGIN
TENON_EXPORT tenon_status tenon_archive_load(tenon_context* context, const char* path,
                                             uint64_t path_length, const char* format,
                                             uint64_t format_length, uint32_t flags,
                                             tenon_archive** out_archive);

// Tensors made from it live on.
TENON_EXPORT void tenon_archive_release(tenon_archive* archive);

// How many tensors and metadata texts there are; any pointer may be NULL.
TENON_EXPORT tenon_status tenon_archive_get_count(tenon_context* context, tenon_archive* archive,
                                                  uint32_t* out_tensors, uint32_t* out_metadata);

// Name (borrowed, zero-terminated), shape and dtype of tensor `index`, in the file's order, or the
// order in which they were set; any pointer may be NULL. The dtype of a foreign one is
// TENON_DTYPE_NONE, and its shape the file's, of rank 0 if it has none or more than 8 dimensions.
// errors   TENON_E_NOT_FOUND past the last
TENON_EXPORT tenon_status tenon_archive_get_entry(tenon_context* context, tenon_archive* archive,
                                                  uint32_t index, const char** out_name,
                                                  uint64_t* out_name_length, tenon_meta* out_meta);

// What tensor `index` is if it is foreign, in the file's own words ("F8_E4M3"), borrowed,
// zero-terminated; else empty. Any pointer may be NULL.
// errors   TENON_E_NOT_FOUND past the last
TENON_EXPORT tenon_status tenon_archive_get_foreign(tenon_context* context, tenon_archive* archive,
                                                    uint32_t index, const char** out_text,
                                                    uint64_t* out_text_length);

// The index of the tensor of this name.
// errors   TENON_E_NOT_FOUND (names some that there are)
TENON_EXPORT tenon_status tenon_archive_find(tenon_context* context, tenon_archive* archive,
                                             const char* name, uint64_t name_length,
                                             uint32_t* out_index);

// A tensor with memory of its own, which may be written.
#define TENON_ARCHIVE_COPY 1u
// The entry's bytes as u8[n], whatever they are: as they lie in the file, or unpacked.
#define TENON_ARCHIVE_BYTES 2u

// Makes a tensor of entry `index`. Of one that a file holds: in host memory, a read-only window on
// the mapped file, without a copy, wherever the bytes lie there as they are and aligned for the
// dtype; else a copy. Of one that was set: that tensor, detached; with COPY, a copy on its device.
// memory   owned by the caller; outlives archive and file
// errors   TENON_E_NOT_FOUND, TENON_E_DATA (damaged; a bool that is neither 0 nor 1),
//          TENON_E_UNSUPPORTED (foreign, without BYTES; packed in a way that is not read),
//          TENON_E_ARGUMENT (BYTES of one that was set)
TENON_EXPORT tenon_status tenon_tensor_create_loaded(tenon_context* context, tenon_archive* archive,
                                                     uint32_t index, uint32_t flags,
                                                     tenon_tensor** out_tensor);

// Key and value of metadata `index`; borrowed until the archive changes, zero-terminated; any
// pointer may be NULL.
// errors   TENON_E_NOT_FOUND past the last
TENON_EXPORT tenon_status tenon_archive_get_metadata(tenon_context* context, tenon_archive* archive,
                                                     uint32_t index, const char** out_key,
                                                     uint64_t* out_key_length,
                                                     const char** out_value,
                                                     uint64_t* out_value_length);

// The value of a key, borrowed until the archive changes, zero-terminated.
// errors   TENON_E_NOT_FOUND (names some keys that there are)
TENON_EXPORT tenon_status tenon_archive_find_metadata(tenon_context* context,
                                                      tenon_archive* archive, const char* key,
                                                      uint64_t key_length, const char** out_value,
                                                      uint64_t* out_value_length);

// Adds a tensor, of any device and strides, or replaces the one of that name. The archive keeps the
// tensor, not its values: a file gets the values of the moment it is written.
// errors   TENON_E_ARGUMENT (the name is empty or not UTF-8)
TENON_EXPORT tenon_status tenon_archive_set_tensor(tenon_context* context, tenon_archive* archive,
                                                   const char* name, uint64_t name_length,
                                                   tenon_tensor* tensor);

// Adds a key with its text, or replaces the text.
// errors   TENON_E_ARGUMENT (empty key, or not UTF-8)
TENON_EXPORT tenon_status tenon_archive_set_metadata(tenon_context* context, tenon_archive* archive,
                                                     const char* key, uint64_t key_length,
                                                     const char* value, uint64_t value_length);

// Makes the file `path` hold what `archive` holds: all of it or, on any failure, even of the
// machine, what it held before. Written beside it as `.<name>.partial`, flushed to the disk, then
// renamed; a link is followed, and an existing file's permissions are kept. A partial file that a
// killed process has left is overwritten by the next call.
// format   "tenon.safetensors"; empty: by the ending of the file's name
// errors   TENON_E_IO (the disk is full, the folder cannot be written, another one writes it),
//          TENON_E_NOT_FOUND (format), TENON_E_UNSUPPORTED (what the format cannot hold, by name),
//          TENON_E_CAPTURE
TENON_EXPORT tenon_status tenon_file_set(tenon_context* context, const char* path,
                                         uint64_t path_length, const char* format,
                                         uint64_t format_length, tenon_archive* archive);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_ARCHIVES_H
