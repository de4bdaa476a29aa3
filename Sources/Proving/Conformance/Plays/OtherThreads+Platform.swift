#if canImport(Glibc)
  import Glibc

  /// What the other threads of the process are at.
  enum OtherThreads {
    /// Whether each of them sleeps until something happens.
    static var allSleep: Bool {
      guard let folder = opendir("/proc/self/task") else { return false }
      defer { closedir(folder) }
      var link = [CChar](repeating: 0, count: 64)
      let length = readlink("/proc/thread-self", &link, 64)
      guard length > 0 else { return false }
      let target = String(decoding: link[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
      let mine = target.split(separator: "/").last.map(String.init)
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard Int32(name) != nil, name != mine else { continue }
        if state(ofThread: name) != UInt8(ascii: "S") { return false }
      }
      return true
    }

    /// The letter behind the name in parentheses, which may itself have some.
    private static func state(ofThread id: String) -> UInt8? {
      let file = open("/proc/self/task/\(id)/stat", O_RDONLY)
      guard file >= 0 else { return UInt8(ascii: "S") }
      defer { close(file) }
      return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
        let count = Glibc.read(file, buffer.baseAddress, 256)
        guard count > 0, let end = buffer[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else {
          return nil
        }
        return buffer[end + 2]
      }
    }
  }
#else
  /// What the other threads of the process are at: unknown here.
  enum OtherThreads {
    static var allSleep: Bool { false }
  }
#endif
