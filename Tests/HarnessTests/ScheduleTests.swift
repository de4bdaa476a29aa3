@testable import Harness
import TestSupport
import Testing

@Suite(.ownThread) struct ScheduleTests {
  @Test(arguments: 1...9) func `every contender takes every position equally often`(count: Int) {
    let rows = Schedule(contenderCount: count, seed: 7).rows
    for position in 0..<count {
      let seen = Dictionary(grouping: rows.map { $0[position] }, by: \.self).mapValues(\.count)
      #expect(Set(seen.values) == [rows.count / count])
      #expect(seen.count == count)
    }
  }

  @Test(arguments: 2...9) func `every contender follows each other equally often`(count: Int) {
    let rows = Schedule(contenderCount: count, seed: 7).rows
    var followers: [[Int]: Int] = [:]
    for row in rows {
      for (first, second) in zip(row, row.dropFirst()) { followers[[first, second], default: 0] += 1 }
    }
    #expect(followers.count == count * (count - 1))
    #expect(Set(followers.values).count == 1)
  }

  @Test func `the same seed gives the same order`() {
    #expect(Schedule(contenderCount: 8, seed: 3).rows == Schedule(contenderCount: 8, seed: 3).rows)
    #expect(Schedule(contenderCount: 8, seed: 3).rows != Schedule(contenderCount: 8, seed: 4).rows)
  }
}
