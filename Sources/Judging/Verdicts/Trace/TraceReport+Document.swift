import Results

extension TraceReport {
  /// The table, and what of it misses what traces are to hold.
  ///
  /// - Parameter remarks: where the file is, and what opens it.
  public func document(_ remarks: [String]) -> Document {
    Document(
      title: "One post of each contender on \(scenario)",
      [.warnings(environment.warnings), .table(table), .paragraphs(doubts, .bad), .paragraphs(remarks)])
  }

  private var table: Table {
    typealias Field = Table.Field<TracedPost>
    let fields = [
      Field("contender", 18, isLeft: true) { .name($0.contender) },
      Field("time", 8) { .duration(Double($0.trace.completed.nanoseconds)) },
      Field("idiom", 8, above: "in the") { Self.time(.inTheIdiom, of: $0) },
      Field("over", 8, above: "handed") { Self.time(.handedOver, of: $0) },
      Field("threads", 8) { .count($0.trace.threads) },
      Field("overs", 6, above: "hand-") { .count($0.path.handOvers.count) },
      Field("explained", 10) { Table.Cell(NumberText.wholePercent($0.path.explainedShare)) },
      Field("recording", 10) { Table.Cell(Self.signed($0.recordingCost)) },
    ]
    return Table(
      title:
        "\(scenario): one post of each, the one of the median time among up to \(posts.map(\.pairs).max() ?? 0)",
      columns: fields.map(\.column),
      rows: posts.map { post in Table.Row(fields.map { $0.cell(post) }) }
        + faults.map { Table.Row([.name($0.contender)], remark: $0.reason, .bad) }
    ).with {
      $0.notes = [
        "The rest of the time the post waits for the service. Recording: what it adds to the time of a post, the median of pairs."
      ]
    }
  }

  private static func time(_ kind: CriticalPath.Kind, of post: TracedPost) -> Table.Cell {
    let nanoseconds = post.path.nanoseconds(kind)
    return .duration(nanoseconds == 0 ? nil : Double(nanoseconds))
  }

  private static func signed(_ share: Double) -> String {
    let text = NumberText.percent(abs(share))
    return text == "0 %" ? text : (share < 0 ? "-" : "+") + text
  }

  /// Which posts miss what traces are to hold, and by how much.
  private var doubts: [String] {
    func listed(_ posts: [TracedPost], _ share: (TracedPost) -> Double) -> String {
      posts.map { "\($0.contender) \(NumberText.percent(share($0)))" }.joined(separator: ", ")
    }
    let unexplained = posts.filter { $0.path.explainedShare < Self.leastExplained }
    let disturbed = posts.filter { $0.recordingCost > Self.highestCost }
    return [
      unexplained.isEmpty
        ? nil
        : "No span says what this share of a post was spent on: \(listed(unexplained) { 1 - $0.path.explainedShare }).",
      disturbed.isEmpty
        ? nil
        : "Recording makes these posts longer by more than \(NumberText.percent(Self.highestCost)): \(listed(disturbed, \.recordingCost)). Their spans are those of the longer post.",
    ].compactMap(\.self)
  }
}
