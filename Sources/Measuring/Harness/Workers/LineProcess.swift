import Foundation
import RawThreads
import Results

/// A child process that exchanges lines of text with this process through two pipes. Not thread-safe.
package class LineProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  /// An unlinked file, which disappears however this process ends.
  private let standardError: FileHandle
  /// The process's own copy of the executable; `nil` once the process runs.
  private var copy: URL?
  /// A group that becomes empty when the process has ended.
  private let exit = DispatchGroup()
  private let isInterrupted: @Sendable () -> Bool
  private let outOfMemoryKills = OutOfMemory.kills()
  private var buffer: [UInt8] = []
  /// The number of bytes at the start of `buffer` that are known to contain no line feed.
  private var searched = 0
  private var isStopped = false
  private var conduct: WorkerConduct
  /// An environment variable of the process and its descendants, by which they are found.
  private let mark = "\(LineProcess.markName)=\(UUID().uuidString)"
  static let markName = "FANOUT_WORKER"
  /// The limit of a line in bytes. A line with a sample has a few hundred.
  private static let longestLine = 16 << 20

  /// - Parameters:
  ///   - isCopied: whether to run a copy of the executable, since the file's place in the page cache can slow a process by 2 %.
  ///   - isInterrupted: called several times a second while waiting, and when a signal arrives. Returns whether to stop.
  package init(
    executable: URL, arguments: [String], placement: Placement = .anywhere, isCopied: Bool = false,
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws(WorkerFailure) {
    self.isInterrupted = isInterrupted
    conduct = WorkerConduct(of: 0, isPlaced: true)
    standardError = try Self.namelessFile()
    copy = isCopied ? try Self.copy(of: executable.resolvingSymlinksInPath()) : nil
    let executable = copy ?? executable
    do {
      let prefix = placement.prefix
      process.executableURL = prefix.isEmpty ? executable : URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = prefix.isEmpty ? arguments : prefix + [executable.path] + arguments
      process.standardInput = input
      process.standardOutput = output
      process.standardError = standardError
      // Backtraces are switched off: they take seconds, and a crash is reported in one line anyway.
      var environment = ProcessInfo.processInfo.environment
      environment["SWIFT_BACKTRACE"] = "enable=no"
      environment[Self.markName] = String(mark.dropFirst(Self.markName.count + 1))
      process.environment = environment
      // `waitUntilExit` is not used: it waits an hour if the system's clock is set back by an hour.
      process.terminationHandler = { [exit] _ in exit.leave() }
      exit.enter()
      try process.run()
    } catch {
      exit.leave()
      removeCopy()
      throw .cannotStart(reason: SystemReason.of(error))
    }
    conduct = WorkerConduct(of: process.processIdentifier, isPlaced: placement != .anywhere)
  }

  deinit { stop() }

  /// The CPU time of the process so far; `nil` if it has ended or the kernel does not report it.
  package var processorNanoseconds: UInt64? { ProcessClock.nanoseconds(of: process.processIdentifier) }

  package func send(_ line: Data) throws(WorkerFailure) {
    do {
      try input.fileHandleForWriting.write(contentsOf: line + Data("\n".utf8))
    } catch {
      throw .died(how: ending())
    }
  }

  /// The next line. Throws `silent` if no line comes within `seconds`, and `died` if the process has ended.
  package func readLine(seconds: Int) throws(WorkerFailure) -> [UInt8] {
    let deadline = DispatchTime.now().uptimeNanoseconds + UInt64(seconds) * 1_000_000_000
    var start: ReadyTime?
    while true {
      if let newline = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer {
          buffer.removeSubrange(...newline)
          searched = 0
        }
        removeCopy()
        return Array(buffer[..<newline])
      }
      searched = buffer.count
      if isInterrupted() { throw .interrupted }
      if DispatchTime.now().uptimeNanoseconds > deadline {
        throw start?.isStarvedSince == true ? .starved(seconds: seconds) : .silent(seconds: seconds)
      }
      if buffer.count > Self.longestLine {
        throw .garbled(line: String(decoding: buffer.prefix(100), as: UTF8.self))
      }
      if try !readMore(), start == nil {
        start = ReadyTime(ofProcess: String(process.processIdentifier))
      }
    }
  }

  /// How the scheduling of one of the process's threads breaks the rules for contenders; `nil` if none does.
  func misconduct() -> String? { conduct.unusualScheduling() }

  /// Whether a signal has stopped or continued the process since the last call.
  package func wasStopped() -> Bool { !isStopped && conduct.wasStopped() }

  /// Whether processes that this process started are still running, in any process group or session.
  package func hasDescendants() -> Bool {
    !WorkerConduct.processes(withVariable: mark, but: process.processIdentifier).isEmpty
  }

  /// Decodes the next line as JSON. Throws `garbled` if that fails: the line may come from another build, or from a contender
  /// that wrote to the pipe.
  package func readValue<Value: Decodable>(
    as _: Value.Type = Value.self, seconds: Int, isPlausible: (Value) -> Bool = { _ in true }
  ) throws(WorkerFailure) -> Value {
    let line = try readLine(seconds: seconds)
    guard let value = try? JSONDecoder().decode(Value.self, from: Data(line)), isPlausible(value) else {
      throw .garbled(line: String(decoding: line, as: UTF8.self))
    }
    return value
  }

  /// Kills the process and its children: those in its process group, and on Linux all that have `mark` in their environment.
  /// Waits at most two seconds, because Foundation considers the process running while one of its children runs.
  package func stop() {
    if isStopped { return }
    isStopped = true
    removeCopy()
    let identifier = process.processIdentifier
    guard identifier > 1 else { return }
    // Without a process group, only the process is killed, and only if it still runs: another may have its identifier by now.
    if kill(-identifier, SIGKILL) != 0, process.isRunning { kill(identifier, SIGKILL) }
    for other in WorkerConduct.processes(withVariable: mark, but: identifier) { kill(other, SIGKILL) }
    try? input.fileHandleForWriting.close()
    _ = exit.wait(timeout: .now() + .seconds(2))
  }

  /// Copies an executable into its own folder, where it finds its libraries, or elsewhere if that folder is read-only.
  private static func copy(of executable: URL) throws(WorkerFailure) -> URL {
    let own = executable.deletingLastPathComponent()
    let folder = access(own.path, W_OK) == 0 ? own : FileManager.default.temporaryDirectory
    // The length of its path affects a process's heap addresses, so all copies have paths of one length.
    let name = "\(executable.lastPathComponent)-\(UUID().uuidString)"
    let length = max(name.count, 200 - folder.path.utf8.count)
    let copy = folder.appendingPathComponent(name.padding(toLength: length, withPad: "-", startingAt: 0))
    // `cp` makes the copy: a child could inherit a file that this process writes, and a file open for writing cannot run.
    let result = Result { () throws(ToolProcess.Failure) in
      try ToolProcess("cp", [executable.path, copy.path]).wait { false }
    }
    let reason: String? =
      switch result {
      case .success(let ended): ended.status == 0 ? nil : ended.output
      case .failure(let failure): "\(failure)"
      }
    if let reason {
      unlink(copy.path)
      throw .cannotStart(reason: "cannot copy \(executable.path): \(reason)")
    }
    return copy
  }

  private func removeCopy() {
    if let copy { unlink(copy.path) }
    copy = nil
  }

  private static func namelessFile() throws(WorkerFailure) -> FileHandle {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("worker-\(UUID().uuidString)")
      .path
    // O_APPEND: the process and its children, which share the file, must not overwrite each other's lines.
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .cannotStart(reason: "cannot write \(path): \(String(cString: strerror(errno)))")
    }
    unlink(path)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Waits for more bytes, for a signal, or for 0.2 s. Returns true if more bytes have come.
  private func readMore() throws(WorkerFailure) -> Bool {
    let descriptor = output.fileHandleForReading.fileDescriptor
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&event, 1, 200) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &bytes, bytes.count)
    if count == 0 || (count < 0 && errno != EINTR) { throw .died(how: ending()) }
    if count > 0 { buffer += bytes.prefix(count) }
    return count > 0
  }

  private func ending() -> String {
    // The process has closed its pipe, so it is ending; after two seconds it is killed.
    for _ in 0..<200 where process.isRunning { usleep(10_000) }
    let endedByItself = !process.isRunning
    stop()
    if process.isRunning { return "it ended, but processes that it started still run" }
    try? standardError.seek(toOffset: 0)
    let printed = (try? standardError.readToEnd()) ?? Data()
    let excerpt = StderrExcerpt.quote(String(decoding: printed, as: UTF8.self))
    guard process.terminationReason == .uncaughtSignal else {
      return "exit status \(process.terminationStatus)\(excerpt)"
    }
    let why =
      endedByItself && process.terminationStatus == SIGKILL
      ? OutOfMemory.reason(killsBefore: outOfMemoryKills, killsAfter: OutOfMemory.kills()) : ""
    return "signal \(process.terminationStatus)\(why)\(excerpt)"
  }
}
