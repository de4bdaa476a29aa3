import Foundation

/// What a machine is called that nobody has named.
public enum MachineName {
  /// Such as `amd-epyc-2-3f9a`: the processor, how many cores, and four digits that tell it from others of its kind
  /// without giving away what it is called elsewhere.
  public static func make(processor: String, coreCount: Int, hostName: String) -> String {
    let words = processor.lowercased().split { !("a"..."z").contains($0) && !("0"..."9").contains($0) }
    let kind = words.filter { !["r", "tm", "cpu", "processor", "core"].contains($0) }.prefix(4)
    let name = kind.isEmpty ? "machine" : kind.joined(separator: "-")
    return "\(name.prefix(40))-\(coreCount)-\(digits(hostName))"
  }

  static func here(processor: String?) -> String {
    var bytes = [CChar](repeating: 0, count: 256)
    gethostname(&bytes, bytes.count - 1)
    let host = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return make(
      processor: processor ?? Environment.architecture,
      coreCount: ProcessInfo.processInfo.activeProcessorCount, hostName: host)
  }

  /// FNV-1a, folded.
  private static func digits(_ text: String) -> String {
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let folded = (hash ^ (hash >> 32) ^ (hash >> 16)) & 0xFFFF
    return String(String(folded + 0x1_0000, radix: 16).dropFirst())
  }
}
