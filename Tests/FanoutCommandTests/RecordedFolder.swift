import Foundation
import Results
import TestSupport
import Testing
import UploadScenario

@testable import FanoutCommand
@testable import Harness

/// A folder of one test's own that holds recorded runs, removed at its end.
final class RecordedFolder {
  private let scratch = Scratch()
  var path: String { scratch.folder.path }

  /// - Parameter ratio: every contender's time divided by the baseline's.
  static func samples(
    contenders: [String] = ["floor", "a", "b"],
    scenarios: [String] = ["publish-instant-1", "publish-instant-100"],
    ratio: Double = 2, changing change: (inout Sample) -> Void = { _ in }
  ) -> [Sample] {
    var samples: [Sample] = scenarios.flatMap { scenario in
      (0..<4).flatMap { generation in
        (0..<3).flatMap { round in
          contenders.enumerated().map { position, contender in
            // Varies a little by generation, equally in every run.
            let wall =
              (contender == "floor" ? 1 : ratio) * (1_000_000 + Double(generation * position * 1_000))
            return Sample {
              ($0.run, $0.generation, $0.round, $0.position) = ("r", generation, round, position)
              ($0.contender, $0.scenario, $0.pattern, $0.service) = (
                contender, scenario, "publish", "instant"
              )
              ($0.fanOut, $0.payloadBytes, $0.iterations, $0.outcome) = (1, 65_536, 10, .measured)
              $0.wallNanoseconds = Int(wall)
              $0.allocations = generation < 2 ? 120 : nil
            }
          }
        }
      }
    }
    for index in samples.indices { change(&samples[index]) }
    return samples
  }

  static func environment(_ change: (inout EnvironmentRecord) -> Void = { _ in }) -> EnvironmentRecord {
    var record = EnvironmentRecord {
      ($0.run, $0.commandLine, $0.seed, $0.reference) = ("r", ["bench", "run"], 1, "floor")
      $0.startedAt = Date(timeIntervalSince1970: 1_700_000_000)
      $0.finishedAt = Date(timeIntervalSince1970: 1_700_000_060)
      ($0.generations, $0.buildConfiguration) = (4, "release")
      ($0.commit, $0.isDirty) = ("0123456789abcdef", false)
    }
    change(&record)
    return record
  }

  @discardableResult func record(
    _ name: String, _ samples: [Sample] = RecordedFolder.samples(),
    environment: EnvironmentRecord = RecordedFolder.environment()
  ) throws -> String {
    let directory = try RunDirectory.create(name: name, in: path)
    let writer = try directory.begin(environment)
    for sample in samples { try writer.append(sample) }
    try writer.close()
    return directory.path
  }

  /// Changes the lines of a run's samples.csv.
  func edit(_ run: String, _ change: (inout [String]) -> Void) throws {
    let file = URL(fileURLWithPath: run + "/samples.csv")
    var lines = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    change(&lines)
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
  }

  func contents() throws -> [String: Data] {
    let files = try FileManager.default.subpathsOfDirectory(atPath: path)
    return Dictionary(
      uniqueKeysWithValues: files.compactMap { name in
        FileManager.default.contents(atPath: path + "/" + name).map { (name, $0) }
      })
  }
}

func fakeWorkers<Request: WorkerRequest>(
  _ answer: @escaping (_ contender: String, Request) throws(WorkerFailure) -> Request.Reply
) -> WorkerLauncher<Request> {
  { contender, _ throws(WorkerFailure) in
    FakeWorker { request throws(WorkerFailure) in try answer(contender, request) }
  }
}

private final class FakeWorker<Request: WorkerRequest>: WorkerHandle {
  let answer: (Request) throws(WorkerFailure) -> Request.Reply

  init(answer: @escaping (Request) throws(WorkerFailure) -> Request.Reply) { self.answer = answer }

  func run(_ request: Request, timeout: WorkerTimeout) throws(WorkerFailure) -> Request.Reply {
    try answer(request)
  }

  func stop() {}
}

extension SampleReply {
  /// A reply of a sample with this wall and processor time per post.
  static func measured(_ request: SampleRequest<Scenario>, nanoseconds: UInt64) -> SampleReply {
    var reply = SampleReply(outcome: .measured, iterations: request.iterations)
    reply.wallNanoseconds = nanoseconds * UInt64(request.iterations)
    reply.usage.cpuUserNanoseconds = reply.wallNanoseconds
    return reply
  }
}

struct Named: PartialContender {
  let name: String
  let summary = "a name"
  let patterns: [Pattern]

  init(_ name: String, _ patterns: [Pattern] = Pattern.allCases) {
    self.name = name
    self.patterns = patterns
  }
}

/// Arguments that a command refuses, and its message.
struct Refusal: CustomTestStringConvertible {
  let arguments: [String]
  let message: String
  var testDescription: String { arguments.joined(separator: " ") }

  /// Rows of `ARGUMENTS => MESSAGE`. In an argument, `␣` stands for a space, and `''` for an empty one.
  static func table(_ rows: String) -> [Refusal] {
    rows.split(separator: "\n").map { row in
      let sides = " \(row)".components(separatedBy: " => ")
      let words = sides[0].split(separator: " ").map {
        $0 == "''" ? "" : String($0).replacing("␣", with: " ")
      }
      return Refusal(arguments: words, message: sides[1])
    }
  }

  func expect<Failure: Error>(_ type: Failure.Type = UsageError.self, from parse: ([String]) throws -> Void) {
    let error = #expect(throws: type) { try parse(arguments) }
    #expect(error.map { "\($0)" } == message)
  }
}
