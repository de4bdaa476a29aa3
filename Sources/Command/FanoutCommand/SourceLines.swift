import Foundation
import UploadScenario

/// Counts the lines of code that a contender needs for a pattern: the pattern's file, and every declaration in the contender's target that
/// the file uses directly or indirectly. Blank lines, comments and conditional compilation directives do not count.
enum SourceLines {
  /// The number of lines by contender and pattern. Empty if the sources are not where this executable was built from them.
  static func count(of contenders: [any Contender], patterns: [String]) -> [String: [String: Int]] {
    var counts: [String: [String: Int]] = [:]
    var targets: [URL: SourceTarget] = [:]
    for contender in contenders {
      guard let own = files["\(type(of: contender)).swift"] else { continue }
      let folder = folder(of: own)
      let target = targets[folder] ?? SourceTarget(texts(in: folder))
      targets[folder] = target
      for pattern in patterns where contender.patterns.contains(where: { $0.rawValue == pattern }) {
        counts[contender.name, default: [:]][pattern] = target.lines(
          reachedFrom: file(of: contender, pattern, own).path)
      }
    }
    return counts
  }

  static func lines(in text: String) -> Int { SourceTarget.code(of: text).count(where: SourceTarget.isCode) }

  /// The lines of code of this package's libraries that a contender imports, directly or indirectly. `nil` if it imports none.
  static func ofLibraries(below contender: any Contender) -> Int? {
    guard let own = files["\(type(of: contender)).swift"] else { return nil }
    let folder = folder(of: own)
    let importing = contender.name.contains("/") ? [own] : swiftFiles(below: folder)
    var open = importing.flatMap(imports)
    var reached: Set<String> = []
    while let name = open.popLast() {
      guard let library = libraries[name], reached.insert(name).inserted else { continue }
      open += library.imports
    }
    return reached.isEmpty ? nil : reached.reduce(0) { $0 + libraries[$1]!.lines }
  }

  /// The lines of code and the imports of each library in the folders `Runtimes` and `Threads`.
  private static let libraries: [String: (lines: Int, imports: [String])] = {
    let folders = ["Runtimes", "Threads"].flatMap { group in
      let path = sources.appending(path: group)
      return (try? FileManager.default.contentsOfDirectory(at: path, includingPropertiesForKeys: nil)) ?? []
    }
    return Dictionary(
      folders.map { folder in
        let found = swiftFiles(below: folder)
        let code = found.compactMap { try? String(contentsOf: $0, encoding: .utf8) }
        return (folder.lastPathComponent, (code.map(lines).reduce(0, +), found.flatMap(imports)))
      }
    ) { first, _ in first }
  }()

  private static func imports(_ file: URL) -> [String] {
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      line.wholeMatch(of: /(?:[@a-z]+ )*import (\w+)/).map { String($0.1) }
    }
  }

  private static func texts(in folder: URL) -> [String: String] {
    swiftFiles(below: folder).reduce(into: [:]) { $0[$1.path] = try? String(contentsOf: $1, encoding: .utf8) }
  }

  private static func swiftFiles(below folder: URL) -> [URL] {
    let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap {
      $0 as? URL
    }
    return (found ?? []).filter { $0.pathExtension == "swift" }
  }

  /// What the column `source_lines` counts, in words for environment.json.
  static let rule = "the pattern's file and every declaration of the contender's target that it reaches"

  /// The file of a contender's pattern, such as `ZipSerial.swift` for `zip-serial`. A variant has only one file.
  private static func file(of contender: any Contender, _ pattern: String, _ own: URL) -> URL {
    if contender.name.contains("/") { return own }
    let name = pattern.split(separator: "-").map(\.capitalized).joined()
    return own.deletingLastPathComponent().appendingPathComponent("\(name).swift")
  }

  private static func folder(of own: URL) -> URL {
    let folder = own.deletingLastPathComponent()
    return folder.lastPathComponent == "Variants" ? folder.deletingLastPathComponent() : folder
  }

  /// The package's folder `Sources`, at the time of the build.
  static let sources = URL(filePath: #filePath).appending(path: "../../..").standardized

  /// The contenders' source files by file name, such as `Callbacks.swift`, which is the name of the contender's type.
  private static let files: [String: URL] = {
    let found = swiftFiles(below: sources.appending(path: "Contenders"))
    return Dictionary(found.map { ($0.lastPathComponent, $0) }) { first, _ in first }
  }()
}

/// Finds the declarations of a target that a file uses, by name. A type counts as a whole, but members of an extension without conformances
/// count one by one. Requires that each declaration begins a line, and that there are no block comments.
struct SourceTarget {
  private struct Declaration {
    let file: String
    /// The declaration's name. For an operator, the name of the enclosing type.
    let name: Substring
    /// For a member of an extension, the name of the extended type.
    let owner: Substring?
    let isPrivate: Bool
    let lines: Set<Int>
    let mentions: Set<Substring>
  }

  private let files: [String: [Substring]]
  private let declarations: [Declaration]

  /// - Parameter texts: the texts of the target's files by path.
  init(_ texts: [String: String]) {
    files = texts.mapValues(Self.code)
    declarations = files.flatMap { Self.declarations(in: $0, $1) }
  }

  /// The number of lines of code of a file and of the declarations in other files that it uses.
  func lines(reachedFrom file: String) -> Int? {
    guard let code = files[file] else { return nil }
    let types = Set(declarations.filter { $0.owner == nil }.map(\.name))
    var reachedTypes = Set(declarations.filter { $0.owner == nil && $0.file == file }.map(\.name))
    var mentions = [file: Self.names(in: code)]
    var lines = [file: Set(code.indices.filter { Self.isCode(code[$0]) })]
    var others = declarations.filter { $0.file != file }
    while true {
      let mentioned = mentions.values.reduce(into: Set()) { $0.formUnion($1) }
      let isReached = { (found: Declaration) in
        if let owner = found.owner, types.contains(owner), !reachedTypes.contains(owner) { return false }
        return (found.isPrivate ? mentions[found.file] ?? [] : mentioned).contains(found.name)
      }
      let reached = others.filter(isReached)
      if reached.isEmpty { return lines.values.reduce(0) { $0 + $1.count } }
      others.removeAll(where: isReached)
      for found in reached {
        lines[found.file, default: []].formUnion(found.lines)
        mentions[found.file, default: []].formUnion(found.mentions)
        if found.owner == nil { reachedTypes.insert(found.name) }
      }
    }
  }

  /// The lines without comments and without the text of string literals.
  static func code(of text: String) -> [Substring] {
    let (newline, quote, escape) = (UInt8(ascii: "\n"), UInt8(ascii: "\""), UInt8(ascii: "\\"))
    let marks = [("//", "\n"), ("\"\"\"", "\"\"\""), ("\"", "\"")].map { (Array($0.utf8), Array($1.utf8)) }
    var (code, end, rest): ([UInt8], [UInt8], ArraySlice<UInt8>) = ([], [], Array(text.utf8)[...])
    while let byte = rest.first {
      var length = 1
      if end.isEmpty {
        if let (start, its) = marks.first(where: { rest.starts(with: $0.0) }) {
          (end, length) = (its, start.count)
        }
      } else if rest.starts(with: end) {
        (end, length) = ([], end.count)
      } else if byte == escape, end.first == quote, rest.dropFirst().first != newline {
        length = 2
      }
      if byte == newline || end.isEmpty {
        code.append(byte)
      } else if end.first == quote {
        code.append(quote)
      }
      rest = rest.dropFirst(length)
    }
    return String(decoding: code, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
  }

  static func isCode(_ line: Substring) -> Bool { line.first { $0 != " " }.map { $0 != "#" } ?? false }

  private static func names(in lines: [Substring]) -> Set<Substring> {
    Set(lines.flatMap { $0.split { !isPartOfName($0) } })
  }

  private static func declarations(in file: String, _ code: [Substring]) -> [Declaration] {
    var depth = 0
    // The nesting depth of brackets at the start of each line.
    let depths = code.map { line in
      defer { depth += line.reduce(0) { $0 + ("{([".contains($1) ? 1 : "})]".contains($1) ? -1 : 0) } }
      return depth
    }
    func parts(of range: Range<Int>, at depth: Int) -> [(heading: Heading, lines: [Int])] {
      let starts = range.compactMap { line in
        depths[line] == depth ? heading(of: code[line]).map { (line, $0) } : nil
      }
      return zip(starts, starts.dropFirst().map(\.0) + [range.upperBound]).map { start, end in
        (start.1, (start.0..<end).filter { isCode(code[$0]) })
      }
    }
    func declaration(_ heading: Heading, _ lines: [Int], owner: Substring? = nil) -> Declaration {
      Declaration(
        file: file, name: heading.name ?? owner ?? "", owner: owner, isPrivate: heading.isPrivate,
        lines: Set(lines), mentions: names(in: lines.map { code[$0] }))
    }
    return parts(of: code.indices, at: 0).flatMap { heading, lines -> [Declaration] in
      guard heading.hasMembers else { return [declaration(heading, lines)] }
      let members = parts(of: lines[0] + 1..<lines.last!, at: 1)
      let frame = Set(lines).subtracting(members.flatMap(\.lines))
      return members.map { declaration($0, $1 + frame, owner: heading.name) }
    }
  }

  /// What the first line of a declaration says. `hasMembers` marks an extension without conformances.
  private typealias Heading = (name: Substring?, isPrivate: Bool, hasMembers: Bool)

  private static func heading(of line: Substring) -> Heading? {
    let words = line.split(separator: " ")
    guard words.first != "import", let index = words.firstIndex(where: { kinds.contains(name(at: $0)) })
    else { return nil }
    // An initialiser is known by its first argument label.
    let named = words[index].split(separator: "(").dropFirst().first ?? words.dropFirst(index + 1).first ?? ""
    let own = name(at: named)
    return (
      own.isEmpty || own == "_" ? nil : own,
      words[..<index].contains { $0 == "private" || $0 == "fileprivate" },
      words[index] == "extension" && named.last != ":" && line.last == "{"
    )
  }

  private static let kinds: Set<Substring> = [
    "struct", "class", "enum", "actor", "protocol", "typealias", "extension", "func", "var", "let", "init",
    "subscript",
  ]

  private static func name(at word: Substring) -> Substring { word.prefix { isPartOfName($0) } }

  private static func isPartOfName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}
