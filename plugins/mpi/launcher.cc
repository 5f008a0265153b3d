// SPDX-License-Identifier: Apache-2.0
// plugins/mpi/launcher.cc: what launchers put into the environment, and which MPI understands it.
//
// Sources: "Open MPI: Environment variables set for MPI applications"; MPICH, src/util/mpir_pmi.c;
// "srun", section "OUTPUT ENVIRONMENT VARIABLES"; "flux-environment", section "JOB ENVIRONMENT";
// "torchrun (Elastic Launch)", section "Environment Variables".
#include "launcher.h"

#include <mpi.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

// Absent where a library of MPI 3 stands in for the one that this was built with.
#if MPI_VERSION >= 4
#pragma weak MPI_Session_init
#pragma weak MPI_Session_finalize
#endif

namespace tenon::mpi {

namespace {

struct Launcher {
  const char* size;  // none: it tells ranks alone
  const char* rank;
  const char* who;
  bool both = true;  // where one is, the other is, too
};
// The innermost first: mpirun starts its processes by srun, or by helpers that srun has started.
// SLURM_NTASKS is no sign: a batch script, which is one process, has it, too.
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's mpirun"},
    {"PMI_SIZE", "PMI_RANK", "the mpirun of MPICH or Intel MPI, or srun --mpi=pmi2"},
    {nullptr, "PMIX_RANK", "prterun, or another launcher with PMIx"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun", false},
    {"FLUX_JOB_SIZE", "FLUX_TASK_RANK", "flux run", false},
    {"WORLD_SIZE", "RANK", "torchrun"}};

const char* variable(const char* name) {
  const char* const value = std::getenv(name);
  return value && *value ? value : nullptr;
}

// -1: it is not there, or no whole number of at least `least`.
int whole_number(const char* name, int least) {
  const char* const text = variable(name);
  if (!text) return -1;
  int number = -1;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  return error == std::errc() && stop == end && number >= least ? number : -1;
}

// "Open MPI v4.1.4", "MPICH Version: 5.0.2"; may be asked for before MPI_Init_thread.
std::string library() {
  char words[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(words, &length);
  std::string first;
  for (const char letter : std::string_view(words, std::strcspn(words, ",\n"))) {
    const bool blank = letter == ' ' || letter == '\t';
    if (!blank) first += letter;
    if (blank && !first.ends_with(' ')) first += ' ';
  }
  return first;
}

constexpr std::string_view kOpenMpi = "Open MPI v";

std::string hint() {
  const std::string own = library().starts_with(kOpenMpi)
                              ? "Open MPI, or by srun --mpi=pmix"
                              : "the MPI that tenon.mpi was built with, or by srun --mpi=pmi2 "
                                "(--mpi=pmix if that MPI was built with PMIx)";
  return "start the processes by the mpirun of " + own +
         ", or build tenon.mpi with the launcher's MPI; a process that is alone on purpose joins "
         "tenon.self";
}

#ifdef OPEN_MPI
// At the beginning of a text; 0 if there is none.
int number_of(const char* text) {
  int number = 0;
  std::from_chars(text, text + std::strlen(text), number);
  return number;
}

// Whether Open MPI was built with Slurm's own PMI, by which it needs no PMIx.
bool knows_slurm() {
  int level = 0;
  int count = 0;
  bool found = false;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS) return true;
  MPI_T_category_get_num(&count);
  for (int i = 0; i < count && !found; ++i) {
    char name[256] = "";
    int length = sizeof name;
    int of_description = 0;
    int counts[3];
    MPI_T_category_get_info(i, name, &length, nullptr, &of_description, &counts[0], &counts[1],
                            &counts[2]);
    for (const char* const each : {"opal_pmix_s1", "opal_pmix_s2", "opal_pmix_cray"}) {
      found = found || std::strcmp(name, each) == 0;
    }
  }
  MPI_T_finalize();
  return found;
}

// Versions before 5 end a process of srun's to which no server speaks.
bool ends_under_srun() {
  const std::string name = library();
  return name.starts_with(kOpenMpi) && number_of(name.c_str() + kOpenMpi.size()) < 5 &&
         variable("SLURM_STEP_ID") && variable("SLURM_NODELIST") && !variable("PMIX_NAMESPACE") &&
         !knows_slurm();
}
#elif MPI_VERSION >= 4
// MPICH ends a process whose launcher it does not understand; beginning a session returns instead.
// After a failure nothing more may be asked of the library.
int begin_session(MPI_Session* session) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "MPI_THREAD_SERIALIZED");
  const int code = MPI_Session_init(info, MPI_ERRORS_RETURN, session);
  if (code == MPI_SUCCESS) MPI_Info_free(&info);
  return code;
}
#endif

}  // namespace

Told told_by_launcher() {
  Told unclear;
  for (const auto& [size, rank, who, both] : kLaunchers) {
    const int ranks = whole_number(rank, 0);
    const int sizes = size ? whole_number(size, 1) : ranks;
    if (ranks >= 0 && sizes >= 0) {
      Told told{sizes, !size, size ? size : rank, who};
      if (!size && sizes > 0) ++told.size;  // ranks count from 0, and rank 0 may be alone
      if (told.size > 0) return told;
    }
    const bool said = variable(rank) || (size && variable(size));
    if (!said || !both || !size || sizes == 1 || unclear.half) continue;
    const bool of_rank = sizes < 0 && variable(rank);
    unclear.half = of_rank ? rank : size;
    unclear.wanted = of_rank ? size : rank;
    unclear.who = who;
  }
  return unclear;
}

Start::Start() {
#ifdef OPEN_MPI
  if (!ends_under_srun()) return;
  throw sdk::Failure{TENON_E_STATE,
                     "srun has started this process without PMIx",
                     "PMIX_NAMESPACE",
                     "PMIX_NAMESPACE in the environment, where srun --mpi=pmix puts it",
                     "none, and " + library() + " ends a process without it",
                     hint()};
#elif MPI_VERSION >= 4
  if (!variable("PMIX_NAMESPACE") || !MPI_Session_init) return;
  auto session = std::make_unique<MPI_Session>(MPI_SESSION_NULL);
  if (begin_session(session.get()) != MPI_SUCCESS) {
    throw sdk::Failure{
        TENON_E_STATE,
        "PMIX_NAMESPACE says how this process was started, and MPI does not understand it",
        "PMIX_NAMESPACE",
        "a launcher of " + library(),
        "one that speaks PMIx, as Open MPI's mpirun and srun --mpi=pmix do",
        hint()};
  }
  session_ = session.release();
#endif
}

Start::~Start() {
#if !defined(OPEN_MPI) && MPI_VERSION >= 4
  const std::unique_ptr<MPI_Session> session(static_cast<MPI_Session*>(session_));
  if (session) MPI_Session_finalize(session.get());
#endif
}

void require_alone(const Told& told) {
  if (told.half) {
    const char* const found = variable(told.wanted);
    throw sdk::Failure{
        TENON_E_STATE,
        std::string(told.half) +
            " says that this process is one of several, and MPI has found no other",
        told.wanted,
        std::string(told.wanted) + " beside it, a whole number, as " + told.who + " sets both",
        found ? found : "none",
        hint()};
  }
  if (told.size <= 1) return;
  const std::string many = (told.at_least ? "at least " : "") + std::to_string(told.size);
  throw sdk::Failure{TENON_E_STATE,
                     std::string(told.variable) + " says that this process is one of " + many +
                         ", and MPI has found no other",
                     told.variable,
                     many + " processes, started by " + told.who,
                     "1, by " + library(),
                     hint()};
}

}  // namespace tenon::mpi
