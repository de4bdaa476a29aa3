import FanoutCommand
import CallbackUploads

// Ratios are taken against the first.
Bench.main(contenders: [CallbackUploads(), YourContender()])
