import Foundation

/// A program such as git or swift that is run to its end in a session of its own, with nothing to read and its output in a
/// file.
///
/// A pipe would stay open for as long as anything that the program has started holds it; a file keeps nobody waiting.
/// The file's name is removed before the program runs, so nothing is left of it, however this process ends.
///
/// For one thread at a time; to be waited for once.
package final class ToolProcess {
  /// The program could not be started, or was ended before its time.
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

  /// Starts it.
  ///
  /// - Parameters:
  ///   - command: the program's name, looked up in `PATH`, or its path.
  ///   - lock: an open descriptor that it and all that it starts hold, too: a `flock` then lasts until they have ended.
  ///   - keepsErrors: whether what it prints on standard error is part of its output; else it is thrown away.
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
    // The shell changes the folder, finds the program and ends with 127 if there is none.
    let shell = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder?.path ?? ".", command] + arguments
    let (identifier, error) = Self.spawn(shell, output: file, holding: lock, keepsErrors: keepsErrors)
    if error != 0 { throw .cannotStart("cannot start \(command): \(String(cString: strerror(error))).") }
    self.identifier = identifier
  }

  /// How it ended and what it printed.
  ///
  /// Whatever it has started and left behind is ended, too, unless that has moved to a session or group of its own.
  /// - Parameters:
  ///   - limitBytes: how much it may print. It can print more before that is noticed.
  ///   - grace: how long it has for ending when it is asked to, before it is killed.
  ///   - isInterrupted: asked many times a second.
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
      askToEnd(grace)
      _ = reap()
      throw error
    }
    let status = reap()
    try? output.seek(toOffset: 0)
    let data = (try? output.read(upToCount: max(outputBytes, 1))) ?? Data()
    return (status, String(decoding: data, as: UTF8.self))
  }

  /// What a program prints on standard output; nil if it is not installed, fails, or has not ended after `seconds`.
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

  /// Found out without reaping it: until it is reaped, no other process can get its identifier.
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
    // Its orphans are reaped by the system's first process. Where that one does not do it, they stay as zombies.
    for _ in 0..<100 where kill(-identifier, 0) == 0 { Self.pause() }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}
