import Results

extension CostModel {
  /// The account of one cell, as it is printed.
  ///
  /// - Parameter environment: of the run.
  public func document(of account: CostAccount, _ environment: EnvironmentRecord) -> Document {
    Document(
      title: "\(account.summary.contender) on \(account.summary.scenario)",
      [
        .warnings(ReportNotes.warnings(ReportContext(environment: environment))),
        .paragraphs([account.headline]), .table(account.table), .table(priceTable),
        .paragraphs(sentences(about: account)),
      ])
  }

  private var priceTable: Table {
    typealias Field = Table.Field<Price>
    let fields = [
      Field("price of a", 17, isLeft: true) { Table.Cell($0.work.one) },
      Field("measured", 10) { .number($0.nanoseconds) { NumberText.time($0) } },
      Field("[generations]", 22, isLeft: true) {
        Table.Cell("[\(NumberText.span($0.range.lowerBound, $0.range.upperBound))]")
      },
    ]
    return Table(title: "What accounts are made of", fields, prices)
  }

  /// In how many cells it explains how much, as a sentence.
  public var coverage: String {
    let least = NumberText.wholePercent(Self.leastExplained)
    let (well, all) = explained(by: \.explainedShare)
    let foretold = explained(by: \.foretoldShare).well
    let priced = explained(by: \.pricedShare).well
    let borneOut = judged.count(where: \.isBorneOut)
    return
      "Of \(Plural.counted(all, "cell")) of \(Self.judgedPatterns.joined(separator: ", ")) it explains at least \(least) in \(well), or all that is known of the overhead in \(borneOut); without having seen the cell in \(foretold); by prices alone in \(priced)."
  }

  private func sentences(about account: CostAccount) -> [String] {
    let known = account.interval.map {
      " The overhead itself is \(NumberText.span($0.lowerBound, $0.upperBound)) (95 %)."
    }
    return [
      "The account explains \(NumberText.wholePercent(account.explainedShare)) of this cell"
        + (account.foretoldShare.map {
          ", and \(NumberText.wholePercent($0)) if own work is fitted to the contender's other cells alone (\(NumberText.time(account.foretoldNanoseconds ?? 0)): the difference is its error)"
        } ?? ": it has too few others for its own work to be told from what is left") + "."
        + (known ?? ""),
      coverage,
      account.wallSentence,
    ]
  }

  public func json(of account: CostAccount) throws -> String {
    let (well, all) = explained(by: \.explainedShare)
    return try JSONText.of(
      [
        "contender": account.summary.contender, "scenario": account.summary.scenario,
        "above": account.base, "overhead_cpu_ns_per_upload": account.overheadNanoseconds,
        "parts": account.parts.map { part -> JSONObject in
          [
            "name": part.name, "count_per_upload": part.count, "price_ns": part.price,
            "ns_per_upload": part.nanoseconds,
          ]
        },
        "explained_share": account.explainedShare, "foretold_share": account.foretoldShare,
        "overhead_low_ns": (account.interval?.lowerBound).orNull,
        "overhead_high_ns": (account.interval?.upperBound).orNull,
        "prices": prices.keyed { price -> (String, JSONObject) in
          (
            price.work.rawValue,
            [
              "ns": price.nanoseconds, "low_ns": price.range.lowerBound, "high_ns": price.range.upperBound,
            ]
          )
        },
        "judged": [
          "cells": all, "explained": well, "foretold": explained(by: \.foretoldShare).well,
          "priced": explained(by: \.pricedShare).well, "borne_out": judged.count(where: \.isBorneOut),
        ],
      ] as JSONObject)
  }
}

extension CostAccount {
  fileprivate var headline: String {
    let all = summary.cpuNanosecondsPerUpload.map { NumberText.time($0) } ?? "?"
    let above = NumberText.time(overheadNanoseconds)
    let each = summary.fanOut == 0 ? "A post" : "Each of \(Plural.counted(summary.fanOut, "upload"))"
    return
      "\(each) takes \(all) of processor time with \(summary.contender), \(above) above \(base == ExternalBaseline.service ? "the service" : base)."
  }

  fileprivate var wallSentence: String {
    let wall = summary.nanosecondsPerUpload.map { NumberText.time($0) } ?? "?"
    let isService = base == ExternalBaseline.service
    let above =
      (isService ? summary.aboveServiceNanosecondsPerUpload : summary.overheadNanosecondsPerUpload)
      .map {
        ", \($0 < 0 ? "no more than" : NumberText.time($0) + " above") \(isService ? "the service" : base)"
      }
    return
      "On the clock it takes \(wall)\(above ?? ""). That has no account: what runs on two processors at once adds up to more than the time it takes."
  }

  /// What it is made of, and what is left.
  public var parts: [(name: String, count: Double?, price: Double?, nanoseconds: Double)] {
    let priced = counted.map { part in
      (
        name: part.work.rawValue, count: Double?.some(part.count), price: Double?.some(part.price),
        nanoseconds: part.count * part.price
      )
    }
    let own = ownWorkNanoseconds.map {
      [(name: "own work", count: Double?.none, price: Double?.none, nanoseconds: $0)]
    }
    let rest = ownWorkNanoseconds == nil ? "own work, and what is not explained" : "not explained"
    return priced + (own ?? [])
      + [(name: rest, count: nil, price: nil, nanoseconds: restNanoseconds)]
  }

  fileprivate var table: Table {
    typealias Field = Table.Field<(name: String, count: Double?, price: Double?, nanoseconds: Double)>
    let fields = [
      Field("processor time", 17, isLeft: true) { Table.Cell($0.name) },
      Field("per upload", 11) { .number($0.count, NumberText.count) },
      Field("price", 10) { .number($0.price) { NumberText.time($0) } },
      Field("takes", 12) { .duration($0.nanoseconds, isSigned: true) },
      Field("share", 7) {
        .number(overheadNanoseconds == 0 ? nil : $0.nanoseconds / overheadNanoseconds) {
          $0 < 0 ? "-" + NumberText.wholePercent(-$0) : NumberText.wholePercent($0)
        }
      },
    ]
    return Table(fields, parts)
  }
}
