import Foundation
import Results

/// What the rows of growth.csv say that nobody should have to look for, in sentences.
struct GrowthWords {
  let records: [GrowthRecord]
  /// Parts of names that say in what order uploads end.
  let orders: [String]

  /// Who grows too fast, and in which orders; then who was stopped.
  var sentences: [String] {
    let families = records.map(family).unique()
    return families.flatMap { family in
      let members = records.filter { self.family($0) == family }
      return members.map(\.contender).unique().compactMap { contender in
        sentence(members.filter { $0.contender == contender })
      }
    } + records.compactMap(stopped)
  }

  /// A series without the order: members differ in nothing else.
  private func family(_ record: GrowthRecord) -> String {
    record.place.split(separator: "-").filter { !orders.contains(String($0)) }.joined(separator: "-")
  }

  /// Of one contender in the orders of one series.
  private func sentence(_ records: [GrowthRecord]) -> String? {
    let fast = records.filter(\.isSuperlinear)
    guard let first = fast.first else { return nil }
    let name = first.contender
    let slow = records.filter { !$0.isSuperlinear }
    // What is unresolved in another order may be the same there.
    guard slow.contains(where: { $0.verdict == .linear || $0.verdict == .sublinear }),
      records.allSatisfy({ order($0) != nil })
    else {
      return fast.map { "\(name) \(Self.growth($0)) in \($0.place)." }.joined(separator: " ")
    }
    let others = slow.grouped { $0.verdict ?? .unresolved }.ordered {
      SortKey(first: $0.key.rawValue)
    }
    return "\(name) in \(family(first)) is a matter of the order in which uploads end: it "
      + fast.map { "\(Self.growth($0)) in \(order($0) ?? "")" }.joined(separator: ", ") + "; "
      + others.map { verdict, members in
        let orders = members.compactMap(order).joined(separator: " and ")
        return verdict == .unresolved ? "unresolved in \(orders)" : "\(verdict.rawValue) in \(orders)"
      }.joined(separator: ", ") + "."
  }

  private func order(_ record: GrowthRecord) -> String? {
    record.series.split(separator: "-").map(String.init).first(where: orders.contains)
  }

  /// Such as `grows superlinearly from 10 000 uploads on (N^1.9)`.
  private static func growth(_ record: GrowthRecord) -> String {
    guard let from = record.superlinearFromFanOut else {
      return "grows superlinearly (\(power(record.exponent)))"
    }
    // Where it bends in between, the slope at the end is what goes on.
    let exponent = from == record.exponentFromFanOut ? record.exponent : record.widestExponent
    return "grows superlinearly from \(NumberText.thousands(from)) uploads on (\(power(exponent)))"
  }

  private static func power(_ exponent: Double?) -> String {
    exponent.map { "N^" + NumberText.ratio($0) } ?? "N^?"
  }

  private func stopped(_ record: GrowthRecord) -> String? {
    guard let fanOut = record.stoppedAtFanOut, let reason = record.stoppedBy else { return nil }
    return
      "\(record.contender) was stopped at \(NumberText.thousands(fanOut)) uploads in \(record.place): \(reason)."
  }
}

extension GrowthRecord {
  /// Such as `publish-instant-N`, or `publish-instant-N @ node-7`.
  var place: String { ScenarioKey(scenario: series, machine: machine).description }

  /// Whether anything of it is proved to grow faster than its fan-out, be it only at the end.
  var isSuperlinear: Bool { verdict == .superlinear || superlinearFromFanOut != nil }
}
