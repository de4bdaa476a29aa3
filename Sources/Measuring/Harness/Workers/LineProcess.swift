import Foundation
import RawThreads
import Results

/// A process at the other end of two pipes, spoken with in lines. For one thread at a time.
package class LineProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  /// A file that has no name any more: nothing is left of it, however this process ends.
  private let standardError: FileHandle
  /// The copy that it is started from; nil once it runs.
  private var copy: URL?
  /// Empty once the process has ended.
  private let exit = DispatchGroup()
  private let isInterrupted: @Sendable () -> Bool
  private let outOfMemoryKills = OutOfMemory.kills()
  private var buffer: [UInt8] = []
  /// How much of the buffer is known to have no line feed.
  private var searched = 0
  private var isStopped = false
  private var conduct: WorkerConduct
  /// What the environment of the process and of all that it starts says.
  private let mark = "\(LineProcess.markName)=\(UUID().uuidString)"
  static let markName = "FANOUT_WORKER"
  /// In bytes; a sample has some hundred.
  private static let longestLine = 16 << 20

  /// - Parameters:
  ///   - isCopied: whether it is started from a copy of its own. A file keeps its pages for as long as it is in the cache, and
  ///     where they lie can make all that is run from it 2 % slower.
  ///   - isInterrupted: asked while waiting, several times a second and when a signal arrives.
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
      // A crash is reported in one line; the backtrace would take seconds and nobody reads it here.
      var environment = ProcessInfo.processInfo.environment
      environment["SWIFT_BACKTRACE"] = "enable=no"
      environment[Self.markName] = String(mark.dropFirst(Self.markName.count + 1))
      process.environment = environment
      // Not `waitUntilExit`: that goes by the calendar's clock, and waits for an hour if it is set back by one meanwhile.
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

  /// What its threads have used of the processors so far; nil where the kernel does not say, and once it has ended.
  package var processorNanoseconds: UInt64? { ProcessClock.nanoseconds(of: process.processIdentifier) }

  /// Sends a line, which has no line feed yet.
  package func send(_ line: Data) throws(WorkerFailure) {
    do {
      try input.fileHandleForWriting.write(contentsOf: line + Data("\n".utf8))
    } catch {
      throw .died(how: ending())
    }
  }

  /// The next line; `silent` if none comes within `seconds`, `died` if none will.
  package func readLine(seconds: Int) throws(WorkerFailure) -> [UInt8] {
    let line = try readRawLine(seconds: seconds)
    removeCopy()
    return line
  }

  /// What the system says of it that is no contender's to do; nil if there is nothing.
  func misconduct() -> String? { conduct.unusualScheduling() }

  /// Whether a signal has stopped it or let it go on since it was asked last.
  package func wasStopped() -> Bool { !isStopped && conduct.wasStopped() }

  /// Whether it has started processes that are there, in whatever group or session.
  package func hasDescendants() -> Bool {
    !WorkerConduct.processes(withVariable: mark, but: process.processIdentifier).isEmpty
  }

  private func readRawLine(seconds: Int) throws(WorkerFailure) -> [UInt8] {
    let deadline = DispatchTime.now().uptimeNanoseconds + UInt64(seconds) * 1_000_000_000
    var start: ReadyTime?
    while true {
      if let newline = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer {
          buffer.removeSubrange(...newline)
          searched = 0
        }
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

  /// The next line, as JSON; `garbled` if it is none of these.
  package func readValue<Value: Decodable>(
    as _: Value.Type = Value.self, seconds: Int
  ) throws(WorkerFailure) -> Value {
    let line = try readLine(seconds: seconds)
    guard let value = try? JSONDecoder().decode(Value.self, from: Data(line)) else {
      throw .garbled(line: String(decoding: line, as: UTF8.self))
    }
    return value
  }

  /// Ends the process and its children: those in the group that Foundation makes, and on Linux all that have its environment.
  ///
  /// Waits two seconds at most: Foundation calls the process running for as long as one of its children is left.
  package func stop() {
    if isStopped { return }
    isStopped = true
    removeCopy()
    // One that could not be started has no identifier.
    let identifier = process.processIdentifier
    guard identifier > 1 else { return }
    // Only if there is no group any more is the process killed alone, and only while it runs: later its number may be another's.
    if kill(-identifier, SIGKILL) != 0, process.isRunning { kill(identifier, SIGKILL) }
    for other in WorkerConduct.processes(withVariable: mark, but: identifier) { kill(other, SIGKILL) }
    try? input.fileHandleForWriting.close()
    _ = exit.wait(timeout: .now() + .seconds(2))
  }

  /// Beside it, where it finds its libraries; elsewhere if nothing can be written there.
  private static func copy(of executable: URL) throws(WorkerFailure) -> URL {
    let own = executable.deletingLastPathComponent()
    let folder = access(own.path, W_OK) == 0 ? own : FileManager.default.temporaryDirectory
    // A longer path moves what comes after it on the heap: paths of two builds are equally long.
    let name = "\(executable.lastPathComponent)-\(UUID().uuidString)"
    let length = max(name.count, 200 - folder.path.utf8.count)
    let copy = folder.appendingPathComponent(name.padding(toLength: length, withPad: "-", startingAt: 0))
    // By a process of its own: while this one had the copy open for writing, a child that another thread starts would have it open,
    // too, and what is open for writing cannot be run.
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
    // O_APPEND: the process and its children share the file, and must not overwrite each other's lines.
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .cannotStart(reason: "cannot write \(path): \(String(cString: strerror(errno)))")
    }
    unlink(path)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Waits for more bytes, a signal, or a fifth of a second; whether there are more.
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
    // It has closed its pipe, so it is about to end by itself; if it has not within two seconds, it is killed.
    for _ in 0..<200 where process.isRunning { usleep(10_000) }
    let endedByItself = !process.isRunning
    stop()
    if process.isRunning { return "it left processes behind, which hold its place" }
    try? standardError.seek(toOffset: 0)
    let printed = (try? standardError.readToEnd()) ?? Data()
    let said = StderrExcerpt.quote(String(decoding: printed, as: UTF8.self))
    guard process.terminationReason == .uncaughtSignal else {
      return "exit status \(process.terminationStatus)\(said)"
    }
    let why =
      endedByItself && process.terminationStatus == SIGKILL
      ? OutOfMemory.reason(killsBefore: outOfMemoryKills, killsAfter: OutOfMemory.kills()) : ""
    return "signal \(process.terminationStatus)\(why)\(said)"
  }
}
