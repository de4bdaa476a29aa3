import Foundation

/// System calls whose errors state the path and the system's reason, which FileManager's errors may lack.
enum POSIXFile {
  static var lastErrorText: String { String(cString: strerror(errno)) }

  /// Creates a file for appending; throws if the file exists.
  static func createForAppending(_ path: String) throws(ResultsError) -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o644)
    if descriptor < 0, errno == EEXIST { throw .exists(path: path, option: "--output") }
    if descriptor < 0 { throw .cannotWrite(path: path, reason: lastErrorText) }
    return descriptor
  }

  static func openForReading(_ path: String) throws(ResultsError) -> Int32 {
    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { throw .cannotRead(path: path, reason: lastErrorText) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return descriptor }
    _ = close(descriptor)
    throw .cannotRead(
      path: path, reason: status.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : "it is no regular file")
  }

  /// Writes all bytes, with one `write(2)` unless the system takes fewer.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(ResultsError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw .cannotWrite(path: path, reason: lastErrorText)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads at most `capacity` bytes; none at the end of the file.
  static func readSome(_ capacity: Int, from descriptor: Int32, path: String) throws(ResultsError) -> [UInt8]
  {
    var buffer = [UInt8](repeating: 0, count: capacity)
    while true {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 { return Array(buffer.prefix(count)) }
      if errno != EINTR { throw .cannotRead(path: path, reason: lastErrorText) }
    }
  }

  /// All bytes of a file; `nil` if there are more than `most`.
  static func readAll(_ path: String, most: Int = .max) throws(ResultsError) -> [UInt8]? {
    let descriptor = try openForReading(path)
    defer { _ = close(descriptor) }
    var bytes: [UInt8] = []
    while bytes.count <= most {
      let more = try readSome(64 * 1024, from: descriptor, path: path)
      if more.isEmpty { return bytes }
      bytes += more
    }
    return nil
  }

  /// Replaces a file atomically: a reader sees either the old content or the new.
  static func replace(_ path: String, with bytes: [UInt8]) throws(ResultsError) {
    // If the path is a symbolic link, the link's target is replaced.
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let temporary = path + ".\(getpid()).partial"
    unlink(temporary)
    let descriptor = try createForAppending(temporary)
    do throws(ResultsError) {
      defer { _ = close(descriptor) }
      try writeAll(bytes, to: descriptor, path: path)
    } catch {
      unlink(temporary)
      throw error
    }
    try move(temporary, over: path)
  }

  /// Points a symbolic link at `target`; the link exists at every moment.
  static func replaceLink(_ path: String, target: String) throws(ResultsError) {
    let temporary = path + ".\(getpid()).partial"
    unlink(temporary)
    if symlink(target, temporary) != 0 { throw .cannotWrite(path: path, reason: lastErrorText) }
    try move(temporary, over: path)
  }

  static func move(_ temporary: String, over path: String) throws(ResultsError) {
    if rename(temporary, path) != 0 {
      let reason = lastErrorText
      unlink(temporary)
      throw .cannotWrite(path: path, reason: reason)
    }
  }
}

public enum TextFile {
  /// Creates a file; throws if it exists. If writing fails, the incomplete file is removed.
  public static func create(_ path: String, _ text: String) throws(ResultsError) {
    let descriptor = try POSIXFile.createForAppending(path)
    do throws(ResultsError) {
      try POSIXFile.writeAll(Array(text.utf8), to: descriptor, path: path)
    } catch {
      _ = close(descriptor)
      unlink(path)
      throw error
    }
    // Some file systems report a failed write only on close.
    guard close(descriptor) == 0 else {
      let reason = POSIXFile.lastErrorText
      unlink(path)
      throw .cannotWrite(path: path, reason: reason)
    }
  }
}

/// The system's reason for a failure. The text of a Foundation error repeats the path and may lack the reason.
public enum SystemReason {
  /// A reason such as `Permission denied`, without a full stop.
  public static func of(_ error: any Error) -> String {
    let error = error as NSError
    if let code = code(of: error) { return String(cString: strerror(code)) }
    // Foundation's message already ends in a full stop.
    return String(error.localizedDescription.reversed().drop { $0 == "." }.reversed())
  }

  /// Why a path cannot be inspected; `nil` if it can be, or if nothing is there.
  public static func ofHiding(_ path: String) -> String? {
    var information = stat()
    guard stat(path, &information) != 0, errno != ENOENT, errno != ENOTDIR else { return nil }
    return String(cString: strerror(errno))
  }

  private static func code(of error: NSError) -> Int32? {
    if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
    // `as? NSError` would fail: on some platforms Foundation's own errors are no NSError.
    if let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error {
      return code(of: underlying as NSError)
    }
    guard error.domain == NSCocoaErrorDomain else { return nil }
    switch CocoaError.Code(rawValue: error.code) {
    case .fileReadNoPermission, .fileWriteNoPermission: return EACCES
    case .fileNoSuchFile, .fileReadNoSuchFile: return ENOENT
    case .fileWriteFileExists: return EEXIST
    case .fileWriteOutOfSpace: return ENOSPC
    case .fileWriteVolumeReadOnly: return EROFS
    default: return nil
    }
  }
}

/// Makes free text harmless for spreadsheets and terminals.
public enum SafeText {
  /// The text on one line: control characters and separators of lines become spaces. An apostrophe in front keeps spreadsheets from
  /// running a text as a formula that begins, after spaces, with `=`, `+`, `-`, `@` or a full-width form of these.
  public static func neutralised(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { scalars.append(isControl(scalar) ? " " : scalar) }
    if let first = scalars.first(where: { $0 != " " }), formulaStarts.contains(first) {
      scalars.insert("'", at: scalars.startIndex)
    }
    return String(scalars)
  }

  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
    default: false
    }
  }

  /// The start of a text of unknown origin, for an error message.
  public static func excerpt(_ text: some StringProtocol, _ length: Int = 40) -> String {
    let safe = String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
    return safe.count > length ? safe.prefix(length) + "…" : safe
  }

  /// The text on one line. Characters that control a terminal or change the direction of text are escaped, such as `\u{1B}`.
  public static func visible(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { visible, scalar in
      if isControl(scalar) || isTurn(scalar) {
        visible += scalar.escaped(asASCII: true)
      } else {
        visible.unicodeScalars.append(scalar)
      }
    }
  }

  private static func isTurn(_ scalar: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
  }

  private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
}
