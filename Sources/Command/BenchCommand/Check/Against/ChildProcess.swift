import Foundation

/// A program that is run to its end in a session of its own, with nothing to read and its output in a file.
///
/// A pipe would stay open for as long as anything that the program has started holds it; a file keeps nobody waiting.
/// The file has no name any more while the program runs, so nothing is left of it, however this process ends.
///
/// For one thread at a time; to be waited for once.
final class ChildProcess {
  /// The program was ended before its time.
  enum Stop: Error, Equatable, CustomStringConvertible {
    case silent(patience: Duration)
    case tooMuchOutput(limitBytes: Int)

    var description: String {
      switch self {
      case .silent(let patience): "did not end within \(patience.components.seconds) s"
      case .tooMuchOutput(let limit): "printed more than \(limit >> 20) MiB"
      }
    }
  }

  /// Its process, session and group.
  let identifier: pid_t
  let output: FileHandle

  /// - Parameters:
  ///   - folder: where it runs; nil: here.
  ///   - lock: an open descriptor that it and all that it starts hold, too: a `flock` then lasts until they have ended.
  init(_ command: String, _ arguments: [String], in folder: URL? = nil, holding lock: Int32? = nil) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID().uuidString)")
      .path
    let descriptor = open(file, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw FileProblem("cannot write \(file): \(String(cString: strerror(errno))).") }
    output = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    defer { unlink(file) }
    // The shell changes the folder, finds the program and ends with 127 if there is none.
    let shell = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder?.path ?? ".", command] + arguments
    let (identifier, error) = Self.spawn(shell, output: file, holding: lock)
    if error != 0 { throw FileProblem("cannot start \(command): \(String(cString: strerror(error))).") }
    self.identifier = identifier
  }

  /// How it ended and what it printed, on both of its outputs.
  ///
  /// Whatever it has started and left behind is ended, too, unless that has moved to a session or group of its own.
  /// - Parameters:
  ///   - patience: how long it may take; nil: for ever.
  ///   - limitBytes: how much it may print. It can print more before that is noticed.
  ///   - grace: how long it has for ending when it is asked to, before it is killed.
  ///   - isInterrupted: asked many times a second.
  /// - Throws: `Stop`, or `Interrupted`.
  func wait(
    patience: Duration? = nil, limitBytes: Int, grace: Duration = .seconds(5), isInterrupted: () -> Bool
  ) throws -> (status: Int32, output: String) {
    do {
      let start = ContinuousClock.now
      while !hasEnded {
        if isInterrupted() { throw Interrupted() }
        if outputBytes > limitBytes { throw Stop.tooMuchOutput(limitBytes: limitBytes) }
        if let patience, start.duration(to: .now) >= patience { throw Stop.silent(patience: patience) }
        Self.pause()
      }
      if outputBytes > limitBytes { throw Stop.tooMuchOutput(limitBytes: limitBytes) }
    } catch {
      askToEnd(grace)
      _ = reap()
      throw error
    }
    let status = reap()
    try output.seek(toOffset: 0)
    let data = try output.read(upToCount: max(outputBytes, 1)) ?? Data()
    return (status, String(decoding: data, as: UTF8.self))
  }

  private static func pause() { usleep(20_000) }

  private var outputBytes: Int {
    var information = stat()
    return fstat(output.fileDescriptor, &information) == 0 ? Int(information.st_size) : 0
  }

  /// It is not waited for yet: until then, nobody else gets its number.
  private var hasEnded: Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT) != 0
      || information.si_signo != 0
  }

  /// As Ctrl-C does: that is what makes `swift build` end its compilers, which have groups of their own.
  private func askToEnd(_ grace: Duration) {
    kill(-identifier, SIGINT)
    let start = ContinuousClock.now
    while !hasEnded, start.duration(to: .now) < grace { Self.pause() }
  }

  /// Ends its whole group and waits for that; the status as shells give it.
  private func reap() -> Int32 {
    kill(-identifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    // Those whom it has left are waited for by the system; where nobody does that, they stay in the group as names only.
    for _ in 0..<100 where kill(-identifier, 0) == 0 { Self.pause() }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}
