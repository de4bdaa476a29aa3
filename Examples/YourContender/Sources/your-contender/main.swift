import FanoutCommand
import CallbackUploads

// The first is what ratios are taken against.
Bench.main(contenders: [CallbackUploads(), YourContender()])
