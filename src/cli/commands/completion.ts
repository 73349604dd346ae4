import { Argument } from 'commander'
import type { Command } from 'commander'
import type { CommandModule } from '../context.js'
import { EXIT } from '../exit-codes.js'

let self: Command

export const completionCommand: CommandModule = {
  define(command) {
    self = command
    command.addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish'])).addHelpText(
      'after',
      `
In the shell's startup file:
  bash  eval "$(gameserver-sidecar completion bash)"
  zsh   eval "$(gameserver-sidecar completion zsh)", after compinit
  fish  gameserver-sidecar completion fish | source`,
    )
  },
  async run(_options, [shell], context) {
    const { completionScript } = await import('../completion-script.js')
    context.print(completionScript(shell as 'bash' | 'zsh' | 'fish', self.parent!))
    return EXIT.DONE
  },
}
