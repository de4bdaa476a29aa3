import Foundation

#if canImport(Darwin)
  private typealias FileActions = posix_spawn_file_actions_t?
  private typealias Attributes = posix_spawnattr_t?
#else
  private typealias FileActions = posix_spawn_file_actions_t
  private typealias Attributes = posix_spawnattr_t

  /// glibc and Musl have it under a condition that the importer does not set.
  private let POSIX_SPAWN_SETSID: Int32 = 0x80
#endif

extension ToolProcess {
  /// The descriptor under which a lock is held by a child.
  static let lockDescriptor: Int32 = 3

  /// Starts a program as the leader of a session, which has no terminal to ask on.
  ///
  /// It has the signals' usual effects, none is blocked, and it has no descriptors but the standard ones and the lock.
  /// - Parameter output: an existing file. It is opened by the child, whichever descriptors are in use here.
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
    // First, as the lock may be one of the standard descriptors if those were closed.
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
