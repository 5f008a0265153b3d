// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/client/progress.h: a progress line, the history of a training run, and its picture, for
// C and C++ programs.
//
//   tenon_sdk_progress progress;
//   tenon_sdk_progress_begin(&progress, stderr, "epoch 1/5", samples);
//   ... tenon_sdk_progress_run(&progress, done, loss);            // as often as you like
//   tenon_sdk_progress_end(&progress);
//
//   tenon_sdk_history history = {0};
//   ... tenon_sdk_history_set(&history, "loss", step, loss);      // "validation loss", ...
//   tenon_sdk_history_run(&history, "Digits", "step", "loss.svg");
//   tenon_sdk_history_release(&history);
//
// The line overwrites itself and says how far the run is, the loss, the rate and how long it will
// take; it appears only where the stream is a terminal, at most ten times a second.
//
// Header-only, nothing to link but libm; strict C11 is enough.
//
// threads  one at a time for each object
// errors   TENON_E_ARGUMENT, TENON_E_MEMORY, TENON_E_IO (errno says why); on error nothing changes,
//          and a file that was there before stays as it was
#ifndef TENON_SDK_PROGRESS_H
#define TENON_SDK_PROGRESS_H

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/types.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(__cplusplus) && !defined(_POSIX_C_SOURCE)
int fileno(FILE* stream);  // of POSIX, which strict C hides
#endif

// Seconds since some moment that stays the same for the process; in strict C that of the calendar,
// so that a clock that is set meanwhile shows in rate and time left.
static inline double tenon_sdk_clock(void) {
  struct timespec now;
#ifdef CLOCK_MONOTONIC
  clock_gettime(CLOCK_MONOTONIC, &now);
#else
  timespec_get(&now, TIME_UTC);
#endif
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// ---- The line -----------------------------------------------------------------------------------

// All members may be read; `visible` may be set to 1 for a stream that is not a terminal.
typedef struct tenon_sdk_progress {
  FILE* stream;       // borrowed
  const char* label;  // borrowed
  int64_t total;      // units of the whole run; 0: not known
  double started;     // by tenon_sdk_clock
  double shown;       // when the line was written last
  int32_t visible;    // 0: nothing is ever written
  uint32_t reserved;  // 0
} tenon_sdk_progress;

static inline void tenon_sdk_progress_begin(tenon_sdk_progress* progress, FILE* stream,
                                            const char* label, int64_t total) {
  progress->stream = stream;
  progress->label = label;
  progress->total = total;
  progress->started = tenon_sdk_clock();
  progress->shown = 0;
  progress->visible = isatty(fileno(stream));
  progress->reserved = 0;
}

// "1:02:03", "2:03" or "0:03"; "-" for what is no time.
static inline void tenon_sdk_duration_get(double seconds, char out[32]) {
  if (!(seconds >= 0 && seconds < 1e9)) {
    memcpy(out, "-", 2);
    return;
  }
  const long whole = (long)(seconds + 0.5);
  if (whole >= 3600) {
    snprintf(out, 32, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  } else {
    snprintf(out, 32, "%ld:%02ld", whole / 60, whole % 60);
  }
}

// `done` of `total` units are done; `loss` is shown as it is. The rate is that of the whole run.
static inline void tenon_sdk_progress_run(tenon_sdk_progress* progress, int64_t done, double loss) {
  if (!progress->visible) return;
  const double now = tenon_sdk_clock();
  if (now - progress->shown < 0.1) return;
  progress->shown = now;
  const double taken = now - progress->started;
  const double rate = taken > 0 ? (double)done / taken : 0;
  char left[32];
  tenon_sdk_duration_get(rate > 0 ? (double)(progress->total - done) / rate : -1, left);
  if (progress->total > 0) {
    fprintf(progress->stream, "\r%s  %3.0f %%  loss %.4f  %.0f/s  %s left\033[K", progress->label,
            100 * (double)done / (double)progress->total, loss, rate, left);
  } else {
    fprintf(progress->stream, "\r%s  %lld  loss %.4f  %.0f/s\033[K", progress->label,
            (long long)done, loss, rate);
  }
  fflush(progress->stream);
}

// Takes the line away.
static inline void tenon_sdk_progress_end(tenon_sdk_progress* progress) {
  if (!progress->visible || progress->shown == 0) return;
  fputs("\r\033[K", progress->stream);
  fflush(progress->stream);
}

// ---- The history --------------------------------------------------------------------------------

#define TENON_SDK_HISTORY_SERIES 8
#define TENON_SDK_HISTORY_NAME 64

typedef struct tenon_sdk_series {
  char name[TENON_SDK_HISTORY_NAME];
  int64_t* steps;  // [count], as they were given
  double* values;  // [count]
  int64_t count;
  int64_t capacity;
} tenon_sdk_series;

// Starts as zeros. All members may be read.
typedef struct tenon_sdk_history {
  tenon_sdk_series series[TENON_SDK_HISTORY_SERIES];
  uint32_t n_series;
  uint32_t reserved;  // 0
} tenon_sdk_history;

static inline void tenon_sdk_history_release(tenon_sdk_history* history) {
  for (uint32_t i = 0; i < history->n_series; ++i) {
    free(history->series[i].steps);
    free(history->series[i].values);
  }
  memset(history, 0, sizeof *history);
}

// The series `name`, which is made if there is none; NULL if no more fit.
static inline tenon_sdk_series* tenon_sdk_history_find(tenon_sdk_history* history,
                                                       const char* name) {
  for (uint32_t i = 0; i < history->n_series; ++i) {
    if (strcmp(history->series[i].name, name) == 0) return &history->series[i];
  }
  if (history->n_series == TENON_SDK_HISTORY_SERIES || strlen(name) >= TENON_SDK_HISTORY_NAME) {
    return NULL;
  }
  tenon_sdk_series* made = &history->series[history->n_series++];
  memcpy(made->name, name, strlen(name) + 1);
  return made;
}

// Adds a value to the series `name`: at most 8 series, names of at most 63 bytes.
static inline tenon_status tenon_sdk_history_set(tenon_sdk_history* history, const char* name,
                                                 int64_t step, double value) {
  tenon_sdk_series* series = tenon_sdk_history_find(history, name);
  if (!series) return TENON_E_ARGUMENT;
  if (series->count == series->capacity) {
    const int64_t wanted = series->capacity ? 2 * series->capacity : 256;
    int64_t* steps = (int64_t*)realloc(series->steps, (size_t)wanted * sizeof *steps);
    if (!steps) return TENON_E_MEMORY;
    series->steps = steps;
    double* values = (double*)realloc(series->values, (size_t)wanted * sizeof *values);
    if (!values) return TENON_E_MEMORY;
    series->values = values;
    series->capacity = wanted;
  }
  series->steps[series->count] = step;
  series->values[series->count] = value;
  series->count++;
  return TENON_OK;
}

// ---- The picture --------------------------------------------------------------------------------

// What lies where in a picture of 720 by 400 units.
typedef struct tenon_sdk_plot {
  double left, top, width, height;
  double x_least, x_most, y_least, y_most;
} tenon_sdk_plot;

static inline double tenon_sdk_plot_x(const tenon_sdk_plot* plot, double step) {
  return plot->left + plot->width * (step - plot->x_least) / (plot->x_most - plot->x_least);
}
static inline double tenon_sdk_plot_y(const tenon_sdk_plot* plot, double value) {
  return plot->top + plot->height * (plot->y_most - value) / (plot->y_most - plot->y_least);
}

// The room that all finite values take; a range of one value is widened around it.
static inline tenon_sdk_plot tenon_sdk_plot_of(const tenon_sdk_history* history) {
  tenon_sdk_plot plot = {64, 40, 632, 300, INFINITY, -INFINITY, INFINITY, -INFINITY};
  for (uint32_t s = 0; s < history->n_series; ++s) {
    const tenon_sdk_series* series = &history->series[s];
    for (int64_t i = 0; i < series->count; ++i) {
      if (!isfinite(series->values[i])) continue;
      plot.x_least = fmin(plot.x_least, (double)series->steps[i]);
      plot.x_most = fmax(plot.x_most, (double)series->steps[i]);
      plot.y_least = fmin(plot.y_least, series->values[i]);
      plot.y_most = fmax(plot.y_most, series->values[i]);
    }
  }
  if (!(plot.x_least <= plot.x_most)) plot.x_least = plot.x_most = plot.y_least = plot.y_most = 0;
  if (plot.x_least == plot.x_most) plot.x_most += 1;
  if (plot.y_least == plot.y_most) {
    plot.y_least -= 0.5;
    plot.y_most += 0.5;
  }
  return plot;
}

static inline void tenon_sdk_svg_text(FILE* file, double x, double y, const char* anchor,
                                      const char* text) {
  fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  for (; *text; ++text) {
    switch (*text) {
      case '<':
        fputs("&lt;", file);
        break;
      case '&':
        fputs("&amp;", file);
        break;
      default:
        fputc((unsigned char)*text < 32 ? ' ' : *text, file);
    }
  }
  fputs("</text>\n", file);
}

// Lines at 1, 2 or 5 times a power of ten, some five of them, with their numbers.
static inline void tenon_sdk_svg_grid(FILE* file, const tenon_sdk_plot* plot, int along_x) {
  const double least = along_x ? plot->x_least : plot->y_least;
  const double most = along_x ? plot->x_most : plot->y_most;
  const double power = pow(10, floor(log10((most - least) / 5)));
  const double share = (most - least) / 5 / power;
  const double apart = power * (share > 5 ? 10 : share > 2 ? 5 : share > 1 ? 2 : 1);
  const double bottom = plot->top + plot->height;
  for (int i = 0; i < 12; ++i) {
    const double at = (ceil(least / apart) + i) * apart;
    if (!(at <= most)) break;
    char number[32];
    snprintf(number, sizeof number, "%.6g", at);
    if (along_x) {
      tenon_sdk_svg_text(file, tenon_sdk_plot_x(plot, at), bottom + 18, "middle", number);
      continue;
    }
    const double y = tenon_sdk_plot_y(plot, at);
    fprintf(file, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", plot->left, y,
            plot->left + plot->width);
    tenon_sdk_svg_text(file, plot->left - 6, y + 4, "end", number);
  }
}

// A series as one line, broken if a value is not a number, and its name. Many points on one
// column of the picture look like their least and greatest, so that no more than these are written.
static inline void tenon_sdk_svg_series(FILE* file, const tenon_sdk_plot* plot,
                                        const tenon_sdk_series* series, uint32_t number) {
  static const char* const colours[TENON_SDK_HISTORY_SERIES] = {
      "#1f5fa8", "#c0392b", "#2e8b57", "#b8860b", "#6a3d9a", "#008b8b", "#8b4513", "#555555"};
  fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"", colours[number]);
  int drawing = 0;
  for (int64_t i = 0; i < series->count;) {
    const double x = tenon_sdk_plot_x(plot, (double)series->steps[i]);
    double least = INFINITY, most = -INFINITY;
    int whole = 1;
    for (; i < series->count && tenon_sdk_plot_x(plot, (double)series->steps[i]) - x < 0.5; ++i) {
      if (!isfinite(series->values[i])) whole = 0;
      if (!isfinite(series->values[i])) continue;
      least = fmin(least, series->values[i]);
      most = fmax(most, series->values[i]);
    }
    if (least <= most) {
      fprintf(file, "%s%.1f %.1f", drawing ? "L" : "M", x, tenon_sdk_plot_y(plot, most));
      if (least < most) fprintf(file, "L%.1f %.1f", x, tenon_sdk_plot_y(plot, least));
      // A line of one point is a dot.
      if (!drawing) fputs("h0.01", file);
    }
    drawing = whole;
  }
  fputs("\"/>\n", file);
  fprintf(file, "<g fill=\"%s\">", colours[number]);
  tenon_sdk_svg_text(file, plot->left + plot->width - 4, plot->top + 14 + 16 * (double)number,
                     "end", series->name);
  fputs("</g>\n", file);
}

static inline void tenon_sdk_svg_run(FILE* file, const tenon_sdk_history* history,
                                     const char* title, const char* axis) {
  const tenon_sdk_plot plot = tenon_sdk_plot_of(history);
  fputs(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 400\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"720\" height=\"400\" fill=\"white\"/>\n",
      file);
  tenon_sdk_svg_text(file, plot.left, 24, "start", title);
  tenon_sdk_svg_text(file, plot.left + plot.width / 2, 388, "middle", axis);
  tenon_sdk_svg_grid(file, &plot, 0);
  tenon_sdk_svg_grid(file, &plot, 1);
  for (uint32_t i = 0; i < history->n_series; ++i) {
    tenon_sdk_svg_series(file, &plot, &history->series[i], i);
  }
  fputs("</svg>\n", file);
}

// Writes all series as lines of one picture (SVG), with a title and the name of the x axis. The
// file is written aside, flushed to the disk and then renamed.
static inline tenon_status tenon_sdk_history_run(const tenon_sdk_history* history,
                                                 const char* title, const char* axis,
                                                 const char* path) {
  const size_t length = strlen(path);
  char* aside = (char*)malloc(length + 5);
  if (!aside) return TENON_E_MEMORY;
  memcpy(aside, path, length);
  memcpy(aside + length, ".new", 5);
  FILE* file = fopen(aside, "w");
  if (!file) {
    free(aside);
    return TENON_E_IO;
  }
  tenon_sdk_svg_run(file, history, title, axis);
  int good = fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
  int reason = errno;
  if (fclose(file) != 0 && good) {
    good = 0;
    reason = errno;
  }
  if (good && rename(aside, path) != 0) {
    good = 0;
    reason = errno;
  }
  if (!good) remove(aside);
  free(aside);
  errno = good ? errno : reason;
  return good ? TENON_OK : TENON_E_IO;
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_PROGRESS_H
