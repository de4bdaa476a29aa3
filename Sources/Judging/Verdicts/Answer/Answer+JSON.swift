import Results

extension Answer: Encodable {
  /// The content of answer.json.
  public func json() throws -> String { try JSONText.of(self) }

  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: JSONKey.self)
    try object.encode(baseline, forKey: "baseline")
    try object.encode(headline, forKey: "headline")
    try object.encode(sentences, forKey: "sentences")
    try object.encode(columns, forKey: "classes")
    try object.encode(rows.map { AnswerRow(row: $0, columns: columns) }, forKey: "contenders")
  }
}

extension Answer.Column: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: JSONKey.self)
    try object.encode(workClass, forKey: "class")
    try object.encode(workClass.title, forKey: "title")
    try object.encode(workClass.meaning, forKey: "meaning")
    try object.encode(scenarios, forKey: "scenarios")
    try object.encode(names, forKey: "scenario_names")
    try object.encode(example, forKey: "example")
    try object.encode(exampleUploads, forKey: "example_uploads")
  }
}

private struct AnswerRow: Encodable {
  let row: Answer.Row
  let columns: [Answer.Column]

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: JSONKey.self)
    try object.encode(row.contender, forKey: "contender")
    try object.encode(row.idiom, forKey: "idiom")
    for (column, cost) in zip(columns, row.costs) {
      try object.encode(cost, forKey: JSONKey(column.workClass.rawValue))
    }
  }
}

extension Answer.Cost: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: JSONKey.self)
    try object.encode(time, forKey: "time")
    try object.encode(processor, forKey: "processor")
    try object.encode(handOversPerUpload.map(ColumnValue.init(rounding:)), forKey: "hand_overs_per_upload")
    try object.encode(peakThreads, forKey: "peak_threads")
    try object.encode(exampleNanoseconds.map(ColumnValue.init(rounding:)), forKey: "example_ns_per_upload")
    try object.encode(failed, forKey: "failed")
  }
}

extension Answer.Mean: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: JSONKey.self)
    try object.encode(ratio.map(ColumnValue.init(rounding:)), forKey: "mean_ratio")
    try object.encode(decided, forKey: "decided")
    try object.encode(undecided.count, forKey: "undecided")
    try object.encode(undecided, forKey: "undecided_scenarios")
    try object.encode(most.map { ColumnValue(rounding: $0.ratio) }, forKey: "most_ratio")
    try object.encode(most?.scenario, forKey: "most_scenario")
  }
}
