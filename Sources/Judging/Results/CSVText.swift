/// A whole CSV file as one text: header and rows.
public enum CSVText {
  public static func text<Row: CSVRecord>(_ rows: [Row]) throws(ResultsError) -> String {
    var text = CSVLine.join(Row.columns.map(\.name))
    for row in rows { text += try CSVWriter.line(row) }
    return text
  }
}
