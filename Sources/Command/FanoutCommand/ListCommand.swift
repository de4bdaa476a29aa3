import Verdicts
import Harness
import Results
import UploadScenario

enum ListCommand {
  static let options = [ReportFormat.option(.list)]

  struct Entry: Encodable {
    let name: String
    let summary: String
    /// The name and origin of a contender's idiom. `nil` for other entries.
    var idiom: String?
    var shipsWith: String?
  }

  struct Listing: Encodable {
    let contenders: [Entry]
    let variants: [Entry]
    let aliases: [Entry]
    let patterns: [Entry]
    let scenarios: [Entry]
    let services: [Entry]
    let operations: [Entry]
    let runtimes: [Entry]
  }

  static func run(_ arguments: [String], among known: ContenderList) throws -> ExitCode {
    let options = try Options(arguments, known: options)
    let format = try ReportFormat(options, .list)
    let listing = listing(of: known)
    Terminal.print(
      try format.text(
        Report(document: document(listing, isSuite: known.isSuite), json: { try JSONText.of(listing) })))
    return .fine
  }

  static func listing(of known: ContenderList) -> Listing {
    let table = known.benchmarks
    let cases = table.cases.map { Entry(name: $0.name, summary: summary(of: $0, table)) }
    let implementers = table.implementers.map { Entry(name: $0.name, summary: $0.summary) }
    if known.isSuite {
      return Listing(
        contenders: implementers, variants: [], aliases: [], patterns: [], scenarios: cases, services: [],
        operations: [], runtimes: [])
    }
    return Listing(
      contenders: known.contenders.map { contender in
        let idiom = known.idioms.of(contender.name)
        return Entry(
          name: contender.name, summary: contender.summary, idiom: idiom?.name,
          shipsWith: idiom?.shipper.rawValue)
      },
      variants: known.variants.map { variant in
        Entry(
          name: variant.name, summary: variant.summary,
          shipsWith: known.idioms.of(variant.name)?.shipper.rawValue)
      },
      aliases: known.aliases.rows(of: known.all.map(\.name)).map {
        Entry(name: $0.contender, summary: $0.names.joined(separator: ", "))
      },
      patterns: Pattern.allCases.map { Entry(name: $0.rawValue, summary: $0.summary) },
      scenarios: Catalog.named.map { Entry(name: $0.name, summary: $0.summary) },
      services: ServiceKind.allCases.map { Entry(name: $0.rawValue, summary: $0.summary) },
      operations: table.isEmpty ? [] : cases, runtimes: implementers)
  }

  private static func summary(of work: BenchmarkCase, _ table: BenchmarkTable) -> String {
    let names = table.implementers.map(\.name).filter { table.implements($0, work) }
    // The reference implements every operation, so it is not listed.
    let others = table.references.isEmpty ? names : Array(names.dropFirst())
    return [
      work.summary,
      others.count > 1 || !table.references.isEmpty ? "(\(others.joined(separator: ", ")))" : "",
    ]
    .filter { !$0.isEmpty }.joined(separator: " ")
  }

  static func document(_ listing: Listing, isSuite: Bool = false) -> Document {
    let shapes = listing.variants.filter { $0.shipsWith == "textbook" }
    let contenders =
      isSuite
      ? [("contenders", listing.contenders.count < 2 ? [] : listing.contenders)]
      : IdiomRecord.groups.map { group in
        (
          "contenders: \(group.title)",
          (listing.contenders + shapes).filter { $0.shipsWith == group.shipsWith }
        )
      } + [("contenders: others", listing.contenders.filter { $0.shipsWith == nil })]
    let sections =
      contenders + [
        (
          "variants, measured with --contenders 'NAME/*'",
          listing.variants.filter { $0.shipsWith != "textbook" }
        ),
        ("other names that --contenders takes", listing.aliases), ("patterns", listing.patterns),
        (isSuite ? "benchmarks" : "scenarios", listing.scenarios),
        ("services", listing.services), ("operations of the runtimes", listing.operations),
      ]
    return Document(
      sections.filter { !$0.1.isEmpty }.map { title, entries in
        .table(
          Table(
            title: title,
            columns: [
              Table.Column("", (entries.map(\.name.count).max() ?? 0) + 1, isLeft: true),
              Table.Column("", isLeft: true),
            ],
            rows: entries.map { Table.Row([Table.Cell($0.name), Table.Cell($0.summary)]) }))
      })
  }
}
