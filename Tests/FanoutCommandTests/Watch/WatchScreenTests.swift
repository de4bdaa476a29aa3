import TestSupport
import Testing

@testable import FanoutCommand

@Suite(.ownThread) struct WatchScreenTests {
  /// As much of a terminal as it takes to see what is left on it.
  private struct Screen {
    var lines: [[Character]]
    var row = 0
    var column = 0

    mutating func take(_ text: String) {
      var rest = text.unicodeScalars.map(Character.init)[...]
      while let character = rest.popFirst() {
        switch character {
        case "\r": column = 0
        case "\n":
          (row, column) = (row + 1, 0)
          if row == lines.count { lines.append([]) }
        case "\u{1B}":
          let sequence = String(rest.prefix { !$0.isLetter }.dropFirst())
          rest = rest.drop { !$0.isLetter }
          switch rest.popFirst() {
          case "A": row = max(0, row - (Int(sequence) ?? 1))
          case "K": lines[row] = Array(lines[row].prefix(column))
          case "J":
            lines[row] = Array(lines[row].prefix(column))
            lines.removeLast(lines.count - row - 1)
          default: break
          }
        default:
          lines[row] = Array(lines[row].prefix(column)) + [character] + lines[row].dropFirst(column + 1)
          column += 1
        }
      }
    }

    var text: [String] { lines.map { String($0) } }
  }

  @Test func framesAreDrawnOverEachOtherAndWhatStoodAboveStays() {
    var screen = Screen(lines: [Array("prompt"), []])
    (screen.row, screen.column) = (1, 0)
    let frames = [["first", "second line", "third"], ["a", "b"], ["x", "y", "z", "w"], ["only"]]
    var drawn = 0
    for frame in frames {
      screen.take(WatchScreen.toTop(of: drawn) + WatchScreen.over(frame))
      drawn = frame.count
      #expect(screen.text == ["prompt"] + frame)
    }
    screen.take(WatchScreen.toTop(of: drawn) + "\u{1B}[J")
    #expect(screen.text == ["prompt", ""])
  }

  @Test func noLineIsEverEmptyOnItsWay() {
    // Nothing is erased before something stands there: only what is behind a line that has been written.
    let text = WatchScreen.toTop(of: 3) + WatchScreen.over(["a", "b", "c"])
    #expect(text == "\r\u{1B}[2Aa\u{1B}[K\nb\u{1B}[K\nc\u{1B}[K\u{1B}[J")
  }
}
