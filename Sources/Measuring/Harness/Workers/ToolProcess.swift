import Foundation

/// A program such as git or swift that runs to its end in its own session. It writes to an unlinked file, since a pipe stays
/// open while any descendant has it. Not thread-safe; call `wait` once.
package final class ToolProcess {
  package enum Failure: Error, Equatable, CustomStringConvertible {
    case cannotStart(String)
    case silent(timeout: Duration)
    case tooMuchOutput(limitBytes: Int)
    case interrupted

    package var description: String {
      switch self {
      case .cannotStart(let reason): reason
      case .silent(let timeout): "did not end within \(timeout.components.seconds) s"
      case .tooMuchOutput(let limit): "printed more than \(limit >> 20) MiB"
      case .interrupted: "was interrupted"
      }
    }
  }

  let identifier: pid_t
  let output: FileHandle

  /// - Parameters:
  ///   - command: the program's name, looked up in `PATH`, or its path.
  ///   - lock: a descriptor that the program and its descendants inherit, so that its `flock` lasts until all have ended.
  ///   - keepsErrors: whether the output includes standard error.
  package init(
    _ command: String, _ arguments: [String], in folder: URL? = nil, holding lock: Int32? = nil,
    keepsErrors: Bool = true
  ) throws(Failure) {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID().uuidString)")
      .path
    let descriptor = open(file, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw .cannotStart("cannot write \(file): \(String(cString: strerror(errno))).") }
    output = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    defer { unlink(file) }
    // The shell changes the folder, and exits with 127 if the program does not exist. It unsets the variables of a git hook,
    // with which git would use the user's repository instead of the folder's.
    let script =
      #"unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_PREFIX; cd "$0" && exec "$@""#
    let shell = ["/bin/sh", "-c", script, folder?.path ?? ".", command] + arguments
    let (identifier, error) = Self.spawn(shell, output: file, holding: lock, keepsErrors: keepsErrors)
    if error != 0 { throw .cannotStart("cannot start \(command): \(String(cString: strerror(error))).") }
    self.identifier = identifier
  }

  /// Waits for the end, then kills the remaining processes of the program's group.
  ///
  /// - Parameters:
  ///   - limitBytes: the approximate limit of the output.
  ///   - grace: the time between the interrupt signal and the kill signal.
  ///   - isInterrupted: called many times a second. Returns whether to end the program.
  package func wait(
    timeout: Duration? = nil, limitBytes: Int = 64 << 20, grace: Duration = .seconds(5),
    isInterrupted: () -> Bool
  ) throws(Failure) -> (status: Int32, output: String) {
    do throws(Failure) {
      let start = ContinuousClock.now
      while !hasEnded {
        if isInterrupted() { throw .interrupted }
        if outputBytes > limitBytes { throw .tooMuchOutput(limitBytes: limitBytes) }
        if let timeout, start.duration(to: .now) >= timeout { throw .silent(timeout: timeout) }
        Self.pause()
      }
      if outputBytes > limitBytes { throw .tooMuchOutput(limitBytes: limitBytes) }
    } catch {
      interrupt(grace)
      _ = reap()
      throw error
    }
    let status = reap()
    try? output.seek(toOffset: 0)
    let data = (try? output.read(upToCount: max(outputBytes, 1))) ?? Data()
    return (status, String(decoding: data, as: UTF8.self))
  }

  /// The standard output of a program; `nil` if it is missing, fails, or takes longer than `seconds`.
  package static func output(of command: String, _ arguments: [String], seconds: Int = 10) -> String? {
    let tool = try? ToolProcess(command, arguments, keepsErrors: false)
    guard let ended = try? tool?.wait(timeout: .seconds(seconds), grace: .zero, isInterrupted: { false })
    else { return nil }
    return ended.status == 0 ? ended.output : nil
  }

  private static func pause() { usleep(20_000) }

  private var outputBytes: Int {
    var information = stat()
    return fstat(output.fileDescriptor, &information) == 0 ? Int(information.st_size) : 0
  }

  /// The ended process is not reaped, so that no other process can get its identifier.
  private var hasEnded: Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT) != 0
      || information.si_signo != 0
  }

  /// Sends SIGINT. `swift build` then ends its compilers, which are in process groups of their own.
  private func interrupt(_ grace: Duration) {
    kill(-identifier, SIGINT)
    let start = ContinuousClock.now
    while !hasEnded, start.duration(to: .now) < grace { Self.pause() }
  }

  private func reap() -> Int32 {
    kill(-identifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    // Waits until the system's first process has reaped orphans. Where it does not, they remain as zombies.
    for _ in 0..<100 where kill(-identifier, 0) == 0 { Self.pause() }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}

#if canImport(Darwin)
  private typealias FileActions = posix_spawn_file_actions_t?
  private typealias Attributes = posix_spawnattr_t?
#else
  private typealias FileActions = posix_spawn_file_actions_t
  private typealias Attributes = posix_spawnattr_t

  /// glibc and Musl define this constant under a condition that Swift's importer does not set.
  private let POSIX_SPAWN_SETSID: Int32 = 0x80
#endif

extension ToolProcess {
  static let lockDescriptor: Int32 = 3

  /// Starts a program in a session without a terminal. It inherits only standard descriptors and the lock.
  static func spawn(_ arguments: [String], output: String, holding lock: Int32?, keepsErrors: Bool) -> (
    pid_t, error: Int32
  ) {
    #if canImport(Darwin)
      var (actions, attributes): (FileActions, Attributes) = (nil, nil)
    #else
      var (actions, attributes) = (FileActions(), Attributes())
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    // The lock's descriptor is duplicated first: it may be 0, 1 or 2, which the next actions replace.
    if let lock { posix_spawn_file_actions_adddup2(&actions, lock, lockDescriptor) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_APPEND, 0)
    if keepsErrors {
      posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    }

    var flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    #if canImport(Darwin)
      flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
      let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      let first = lock == nil ? lockDescriptor : lockDescriptor + 1
      for descriptor in open.compactMap(Int32.init) where descriptor >= first {
        posix_spawn_file_actions_addclose(&actions, descriptor)
      }
    #endif
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGPIPE, SIGQUIT, SIGHUP] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var texts = arguments.map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    var identifier: pid_t = 0
    let error = posix_spawn(&identifier, arguments[0], &actions, &attributes, &texts, environ)
    return (identifier, error)
  }
}
