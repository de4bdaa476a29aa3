/// ANSI colours, or none.
struct Ink {
  let isOn: Bool

  func bold(_ text: String) -> String { paint(text, "1") }
  func dim(_ text: String) -> String { paint(text, "2") }
  func red(_ text: String) -> String { paint(text, "31") }
  func green(_ text: String) -> String { paint(text, "32") }

  func painted(_ state: CheckRow.State) -> String {
    switch state {
    case .regressed, .failed: red(state.rawValue)
    case .improved: green(state.rawValue)
    case .inconclusive: bold(state.rawValue)
    case .unchanged: dim(state.rawValue)
    }
  }

  private func paint(_ text: String, _ code: String) -> String {
    isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
