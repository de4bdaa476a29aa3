import Foundation
import TestSupport
import Testing

@testable import Results

@Suite(.ownThread) struct ColumnTests {
  /// The contract of the run directory, spelled out: scripts of other people rely on it.
  @Test func samplesAndSummaryHaveTheColumnsOfTheContract() {
    #expect(
      Sample.columns.map(\.name).joined(separator: ",")
        == "run,generation,round,position,contender,scenario,pattern,service,fan_out,in_flight_limit,payload_bytes,iterations,outcome,reason,wall_ns,cpu_user_ns,cpu_system_ns,voluntary_switches,involuntary_switches,minor_faults,allocations,allocated_bytes,retains,releases,peak_threads,peak_rss_bytes,ideal_ns,uploads_started,uploads_finished,uploads_cancelled,peak_in_flight,posts,steal_ns,pressure_ns,dropped,failure_to_completion_ns,failure_to_stop_ns,starts_after_failure,wasted_bytes,heartbeat_worst_ns,objects,machine,in_flight_bytes,posts_before"
    )
    #expect(
      CellSummary.columns.map(\.name).joined(separator: ",")
        == "run,contender,scenario,pattern,service,fan_out,in_flight_limit,payload_bytes,samples,dropped,outcome,median_ns,median_ci_low_ns,median_ci_high_ns,p90_ns,p99_ns,ns_per_upload,overhead_ns_per_upload,reference,ratio,ratio_ci_low,ratio_ci_high,rank_group,efficiency,cpu_ns_per_upload,switches_per_upload,allocations_per_upload,retains_per_upload,peak_threads,peak_rss_bytes,source_lines,failure_to_completion_ns,failure_to_stop_ns,starts_after_failure,wasted_bytes,heartbeat_worst_ns,verdict,within_margin,rounds_to_resolve,unresolved_reason,disturbed_rounds,rank_probabilities,objects_per_upload,machine,bytes_per_second,bytes_per_upload,faults_per_upload,voluntary_switches_per_upload,involuntary_switches_per_upload,allocated_bytes_per_upload,releases_per_upload,exact_counts,count_ranges,posts_before,cpu_ratio,cpu_ratio_ci_low,cpu_ratio_ci_high,cpu_verdict,above_service_ns_per_upload,cpu_above_service_ns_per_upload,ships_with,completions"
    )
  }

  @Test func whatWasAddedLaterMayBeMissingFromAFileAndSoFromARow() {
    #expect(Sample.columns[Sample.firstColumnCount - 1].name == "dropped")
    #expect(Sample.columns.dropFirst(Sample.firstColumnCount).allSatisfy { !$0.isRequired })
    #expect(CellSummary.columns[CellSummary.firstColumnCount - 1].name == "source_lines")
    #expect(CellSummary.columns.dropFirst(CellSummary.firstColumnCount).allSatisfy { !$0.isRequired })
  }

  @Test(arguments: ["reference-runtimes", "reference"])
  func theCommittedRunsAreReadable(run: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("results/\(run)").path
    #expect(try CSVReader<CellSummary>(folder + "/summary.csv").rest().count > 30)
    // What pages quote of samples is read anew by the tests of the pages.
    guard Effort.isThorough, run != "reference-rivals" else { return }
    #expect(try CSVReader<Sample>(folder + "/samples.csv").rest().count > 2_000)
  }

  @Test func theCommittedCountsAreReadable() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("results/baseline/counters.csv").path
    let file = try CountsFile(path)
    #expect(try file.keys.allSatisfy { try file.text(replacing: $0, with: file.rows(of: $0)) == file.text() })
    #expect(file.rows.count >= 80)
  }

  @Test func theColumnDictionaryOfTheResultsFolderHasEveryColumn() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try contents(root.appendingPathComponent("results/README.md").path)
    expect("samples.csv", Sample.self, in: readme)
    expect("summary.csv", CellSummary.self, in: readme)
    expect("pairs.csv", PairRecord.self, in: readme)
    expect("growth.csv", GrowthRecord.self, in: readme)
    expect("crossovers.csv", CrossoverRecord.self, in: readme)
    expect("bench check --record FILE", DuetRound.self, in: readme)
    expect("baseline/counters.csv", CountRecord.self, in: readme)
    expect("load.csv", LoadWindow.self, in: readme)
    expect("load_summary.csv", LoadSummary.self, in: readme)
    expect("latencies.csv", LatencyBucket.self, in: readme)
    expect("limits.csv", LoadLimit.self, in: readme)
  }

  /// The table of the file has columns of the file only; with the table of columns that several files have, it has all of them. Each row
  /// has the columns' unit and a meaning.
  private func expect(
    _ file: String, _ record: (some CSVRecord).Type, in readme: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let own = Self.units(below: "### `\(file)`\n", in: readme)
    let all = own.merging(Self.units(below: "### Columns of several files\n", in: readme)) { own, _ in own }
    let names = record.columns.map(\.name)
    #expect(own.keys.filter { !names.contains($0) } == [], "\(file)", sourceLocation: sourceLocation)
    for column in record.columns {
      #expect(all[column.name] == column.unit, "\(file): \(column.name)", sourceLocation: sourceLocation)
    }
  }

  /// The unit of each column that the first table below a heading names; a row may name several columns.
  private static func units(below heading: String, in readme: String) -> [String: String] {
    let section = readme.components(separatedBy: heading).dropFirst().first ?? ""
    let rows = section.components(separatedBy: "\n### ")[0].components(separatedBy: "\n")
      .filter { $0.hasPrefix("| `") && $0.hasSuffix(". |") }
    return rows.map { $0.dropFirst(2).dropLast(2).components(separatedBy: " | ") }.filter { $0.count == 3 }
      .reduce(into: [:]) { units, cells in
        for name in cells[0].components(separatedBy: ", ") {
          units[name.trimmingCharacters(in: ["`"])] = cells[1]
        }
      }
  }

  @Test func everyColumnHasItsOwnValue() throws {
    // Values are all different, so two columns that share a property would show.
    let fields = try CSVLine.split(fullSample.csvLine().dropLast().utf8)
    #expect(fields.dropFirst(14).filter { $0 != "disturbed" }.map { Int($0) } == Array(7...35))
    var copy = Sample()
    for (column, field) in zip(Sample.columns, fields) { try column.read(field, &copy) }
    #expect(copy == fullSample)
  }

  @Test func unknownIsAnEmptyCellAndNotZero() throws {
    let fields = try CSVLine.split(makeSample().csvLine().dropLast().utf8)
    for (column, field) in zip(Sample.columns, fields) where field.isEmpty { #expect(!column.isRequired) }
    #expect(fields[Sample.columns.firstIndex { $0.name == "in_flight_limit" }!] == "")
    #expect(fields[Sample.columns.firstIndex { $0.name == "steal_ns" }!] == "")
  }
}
