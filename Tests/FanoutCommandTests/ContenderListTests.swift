import Harness
import Registry
import Results
import RuntimeOperations
import TestSupport
import Testing
import UploadScenario
import UploadServices
import Verdicts

@testable import FanoutCommand

@Suite(.ownThread) struct ContenderListTests {
  @Test(arguments: [
    ("a/b", "a/b", true), ("a/b", "a/bc", false), ("a/*", "a/b", true), ("a/*", "a/", true),
    ("a/*", "b/a/b", false), ("*/b", "a/b", true), ("*/b", "a/bc", false), ("*", "", true),
    ("*b*", "abc", true),
    ("a*c*e", "abcde", true), ("a*c*e", "abcd", false), ("", "", true), ("", "a", false),
    ("*ab", "aab", true), ("a*bc*c", "abc", false), ("a*bc*c", "abcbc", true), ("a**", "a", true),
    // Linear in time, and without recursion.
    (String(repeating: "*", count: 100_000), "swift-concurrency/discarding", true),
    (String(repeating: "*", count: 100_000) + "x", "swift-concurrency/discarding", false),
    (String(repeating: "*a", count: 50) + "x", String(repeating: "a", count: 100), false),
  ])
  func `a star stands for any text, in linear time`(glob: String, name: String, matches: Bool) {
    #expect(Glob(glob).matches(name) == matches)
  }

  @Test(arguments: ["gcd-groups@inline", "callbacks,futures@queue"])
  func `a contender with a context is refused, with the option that replaced it`(text: String) throws {
    let known = ContenderList(contenders, variants: variants, idioms: idioms)
    let context = try #require(text.split(separator: "@").last)
    let error = try #require(throws: UsageError.self) {
      try RunOptions(["--contenders", text], known: known)
    }
    #expect(error.description.contains("--on \(context)"))
  }

  @Test func `a build without runtimes has no runtimes command`() {
    let without = ContenderList([Named("a")])
    #expect(!Subcommand.visible(without).contains(.runtimes))
    #expect(ListCommand.listing(of: without).operations.isEmpty)
    #expect(Bench.run(["runtimes"], among: without) == .usage)
    let some = ContenderList(
      [Named("a")], runtimes: [RuntimeContender(name: "r", summary: "", implementations: [:])])
    #expect(Subcommand.visible(some).contains(.runtimes))
  }

  @Test(arguments: [
    ("coroutine", "coroutines"), ("gcd", "gcd-groups" as String?), ("swift-concurency", "swift-concurrency"),
    ("FUTURES", "futures"), ("zebra-crossing", nil),
  ])
  func `the nearest name is offered if it is near`(typed: String, offered: String?) {
    // The beginning of a name stands for the name, not for its variants.
    let names = ["coroutines", "gcd-groups/a", "gcd-groups", "gcd-groups/b", "swift-concurrency", "futures"]
    #expect(NearestName.of(typed, among: names) == offered)
  }

  @Test func `an option with the same meaning is offered, or all are listed`() {
    let names = (1...40).map { "--option-\($0)" } + ["--duration"]
    func said(_ name: String) -> String { UsageError.unknown("option", name, among: names).description }
    #expect(said("--budget") == "unknown option “--budget”. Did you mean --duration?")
    #expect(said("--zebra-crossing").hasSuffix("--option-40, --duration."))
  }

  @Test(
    arguments: [
      ("gcd-grups/*", ["gcd-groups/a", "gcd-groups/b"]), ("*/c-d", ["futures/cd"]), ("zebra*", []),
      (String(repeating: "*", count: 100_000) + "x", []),
    ] as [(String, [String])])
  func `names that a glob nearly matches are offered`(glob: String, offered: [String]) {
    #expect(NearestName.like(glob, among: ["gcd-groups/a", "futures/cd", "gcd-groups/b"]) == offered)
  }
}

@Suite(.ownThread) struct AliasTableTests {
  private let known = ContenderList(contenders, variants: variants, aliases: contenderAliases)

  private func chosen(_ text: String) throws -> [String] {
    try RunOptions(["--contenders", text], known: known).contenders.map(\.name)
  }

  @Test(arguments: [
    ("async-await", "swift-concurrency"), ("TaskGroup", "swift-concurrency"), ("gcd", "gcd-groups"),
    ("OperationQueue", "operations"), ("completion-handler", "callbacks"),
    ("asyncawait", "swift-concurrency"),
  ])
  func `common names lead to the contender`(typed: String, contender: String) throws {
    #expect(try chosen(typed) == [contender])
    #expect(try chosen("\(typed),\(contender)") == [contender], "named twice, measured once")
    #expect(try RunOptions(["--reference", typed], known: known).reference == contender)
  }

  @Test func `a library that this build lacks is refused with the trait that adds it`() {
    let here = ContenderList([Named("reactive-streams")], aliases: contenderAliases)
    for (typed, library) in [("combine", "OpenCombine"), ("rx", "RxSwift"), ("rx-swift", "RxSwift")] {
      let error = #expect(throws: UsageError.self) { try RunOptions(["--contenders", typed], known: here) }
      let text = error?.description ?? ""
      #expect(text.hasPrefix("this build has no contender “\(typed)”. "), "\(text)")
      #expect(text.contains("--traits \(library) bench` (Documentation/Rivals.md)"), "\(text)")
      #expect(text.contains("reactive-streams is another library"), "\(text)")
    }
    let rivals = ContenderList([Named("rx-swift")], aliases: contenderAliases)
    #expect(throws: Never.self) { try RunOptions(["--contenders", "rx"], known: rivals) }
  }

  @Test func `aliases are unique, in lower case, and no contender's name`() {
    let names = contenderAliases.flatMap(\.names)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0 == $0.lowercased() })
    let others = (contenders + variants).map(\.name).filter { $0 != "combine" }
    #expect(Set(names).isDisjoint(with: others))
    // An alias of a contender of other builds must explain its absence.
    let absent = contenderAliases.filter { row in !contenders.contains { $0.name == row.contender } }
    #expect(absent.allSatisfy { $0.absence?.hasSuffix(".") == true })
  }
}

@Suite(.ownThread) struct WorkClassTests {
  @Test(
    arguments: [
      ("publish-instant-10000", .nothingWaits), ("race-instant-100", .nothingWaits),
      ("publish-instant-1000-limit-8", .limited), ("sequence-instant-100", .limited),
      ("stream-instant-1000", .limited), ("publish-latency-100-limit-10", .uploadsWait),
      ("zip-serial-latency-3", .uploadsWait), ("resilient-latency-100", .uploadsWait),
      ("blocking-64-limit-8", .blocking), ("failure-latency-100", .failing),
      ("cancel-latency-100", .failing), ("presigned-instant-64-prepare-20us", .computing),
      ("presigned-instant-64-behind-10000", .other),
    ] as [(String, ScenarioClass)])
  func `a scenario's data decide its class`(name: String, workClass: ScenarioClass) throws {
    #expect(try #require(Catalog.scenario(named: name)).workClass == workClass)
  }

  @Test(arguments: [ScenarioClass.uploadsWait, .nothingWaits, .limited, .computing, .blocking, .failing])
  func `a default run has two to four scenarios of each class`(workClass: ScenarioClass) {
    #expect((2...4).contains(Catalog.standard.count { $0.workClass == workClass }))
  }

  @Test(
    arguments: [
      "publish-instant-0", "publish-instant-1", "publish-instant-100", "publish-instant-1000-limit-8",
      "sequence-instant-100", "zip-instant-3", "publish-instant-10-overlap-16", "publish-instant-10-on-queue",
    ])
  func `the driver makes every request that a contender makes`(name: String) throws {
    let scenario = try #require(Catalog.scenario(named: name))
    #expect(scenario.hasServiceDriver)
    let worker = UploadWorker(
      UploadSetup(ServiceDriver()) { try makeServices(for: $0, post: $1, ledgers: $2) })
    let reply = try worker.run(SampleRequest(scenario: scenario, iterations: 3, unmeasured: 3))
    #expect(reply.outcome == .measured, "\(reply.reason ?? "")")
    #expect(reply.uploads?.posts == 3)
  }
}

@Suite(.ownThread) struct HelpTests {
  private let known = ContenderList(
    [Named("a")], runtimes: [RuntimeContender(name: "r", summary: "", implementations: [:])])

  @Test func `every option is unique and stands under a heading`() {
    for command in Subcommand.shown {
      let groups = Help.groups(of: command)
      let names = command.options.map(\.name)
      #expect(Set(names).count == names.count, "\(command)")
      #expect(Set(groups.flatMap(\.options).map(\.name)) == Set(names), "\(command)")
      #expect(Set(groups.map(\.title)).count == groups.count)
    }
  }

  @Test(
    arguments: [
      (["help"], .fine), (["help", "run"], .fine), (["help", "help"], .fine), (["run", "--help"], .fine),
      (["--help"], .fine), (["help", "--help"], .fine), (["--version"], .fine),
      (["help", "runn"], .usage), (["help", "run", "load"], .usage), (["help", "--zebra"], .usage),
    ] as [([String], ExitCode)])
  func `help is a command and an option`(arguments: [String], code: ExitCode) {
    #expect(Bench.run(arguments, among: known) == code)
  }

  @Test func `an unknown command is refused with the nearest one`() {
    let error = #expect(throws: UsageError.self) { try HelpCommand.run(["chek"], among: known) }
    #expect(error?.description == "unknown command “chek”. Did you mean check?")
  }
}
