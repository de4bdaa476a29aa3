import Harness
import RuntimeOperations

/// Work that has a name, and who does it: operations of the runtimes, or anybody's benchmarks.
package struct BenchmarkTable: Sendable {
  /// One who does some of the work.
  package struct Implementer: Sendable {
    package let name: String
    package let summary: String
    /// How each case is done, by its name; made in the worker, where it is set up.
    package let bodies: [String: @Sendable () throws -> BenchmarkBody]

    package init(
      name: String, summary: String = "", bodies: [String: @Sendable () throws -> BenchmarkBody]
    ) {
      self.name = name
      self.summary = summary
      self.bodies = bodies
    }
  }

  /// What users call a piece of it, such as `operation`.
  package let noun: String
  package let cases: [BenchmarkCase]
  /// The names of those that are measured only if they are named.
  package let onlyIfNamed: Set<String>
  /// The first is what the others are compared with.
  package let implementers: [Implementer]
  /// What the first does, by case; for people.
  let references: [String: String]
  /// What whoever measures must know; nil if that is nothing.
  package let remark: String?

  package init(
    noun: String, cases: [BenchmarkCase], onlyIfNamed: Set<String> = [], implementers: [Implementer],
    references: [String: String] = [:], remark: String? = nil
  ) {
    self.noun = noun
    self.cases = cases
    self.onlyIfNamed = onlyIfNamed
    self.implementers = implementers
    self.references = references
    self.remark = remark
  }

  /// The operations of the runtimes.
  init(_ contenders: [RuntimeContender]) {
    let operations = RuntimeOperation.all + RuntimeOperation.large
    self.init(
      noun: "operation",
      cases: operations.map {
        BenchmarkCase(
          name: $0.name, group: $0.family.rawValue, summary: $0.summary, unit: $0.unit, units: $0.count,
          showsMemory: $0.showsMemory, ownsProcess: false)
      },
      onlyIfNamed: Set(RuntimeOperation.large.map(\.name)),
      implementers: contenders.map { contender in
        let bodies = contender.implementations.map { operation, perform in
          (
            operation.name,
            { BenchmarkBody(answer: operation.answer) { try perform(operation.count) } }
              as @Sendable () throws -> BenchmarkBody
          )
        }
        return Implementer(
          name: contender.name, summary: contender.summary,
          bodies: Dictionary(uniqueKeysWithValues: bodies))
      },
      references: Dictionary(uniqueKeysWithValues: operations.map { ($0.name, $0.reference) }))
  }

  var isEmpty: Bool { implementers.isEmpty }
  /// The option that names pieces of it.
  var option: String { "--\(noun)s" }
  /// Who does what nobody in particular does.
  package static let usualImplementer = "suite"
  /// What a worker is told that is to do the work.
  static let workerOption = "--benchmarks-of"

  /// On standard error, in one line.
  func sayRemark() {
    if let remark { Terminal.note("\(CommandName.current): \(remark)") }
  }

  func implements(_ name: String, _ work: BenchmarkCase) -> Bool {
    implementers.first { $0.name == name }?.bodies[work.name] != nil
  }

  /// Those that are measured unless others are named.
  var usualCases: [BenchmarkCase] { cases.filter { !onlyIfNamed.contains($0.name) } }

  /// Those that globs stand for; nil: those that are measured unless others are named.
  func cases(_ texts: [String]?) throws -> [BenchmarkCase] {
    guard let texts else { return usualCases }
    let names = Set(try Glob.names(texts, noun, among: cases.map(\.name)))
    return cases.filter { names.contains($0.name) }
  }

  /// How a case is done by an implementer; an error that says which there are.
  func body(of work: BenchmarkCase, by name: String) throws -> BenchmarkBody {
    guard let implementer = implementers.first(where: { $0.name == name }) else {
      throw UsageError.unknown("contender", name, among: implementers.map(\.name))
    }
    guard let make = implementer.bodies[work.name] else {
      throw UsageError("\(name) does not perform \(work.name).")
    }
    return try make()
  }
}
