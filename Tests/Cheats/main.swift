import FanoutCommand

Bench.main(
  contenders: [Cheat("honest", nil), Cheat("other", nil)],
  variants: Cheat.Deed.allCases.map { Cheat($0.rawValue, $0) } + [
    SaysWhatItBreaks(name: "saysAll", ignoresTheLimit: true),
    SaysWhatItBreaks(name: "saysTooMuch", ignoresTheLimit: false),
  ])
