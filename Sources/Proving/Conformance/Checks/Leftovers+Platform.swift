import CLeftovers
import RawThreads

struct Leftovers {
  let bytes: Int
  let threads: Int
  let files: Int

  static var current: Leftovers {
    Leftovers(
      bytes: leftover_bytes(), threads: ProcFolder.numbers(in: "/proc/self/task").count,
      files: ProcFolder.numbers(in: "/proc/self/fd").count)
  }
}
