import BenchCommand
import ContenderRegistry
import RuntimeRegistry

Bench.main(contenders: contenders, variants: variants, runtimes: runtimeContenders)
