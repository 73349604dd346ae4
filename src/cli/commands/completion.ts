import { UsageError, defineCommand } from '../context.js'
import { EXIT } from '../exit-codes.js'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export const completionCommand = defineCommand({
  args: '<shell>',
  choices: SHELLS,
  flags: {},
  examples: `In the shell's startup file:
  bash  eval "$(gameserver-sidecar completion bash)"
  zsh   eval "$(gameserver-sidecar completion zsh)", after compinit
  fish  gameserver-sidecar completion fish | source`,
  async run({ args: [given], context, commands }) {
    const shell = SHELLS.find((one) => one === given)
    if (shell === undefined) {
      throw new UsageError(`There is no script for ${JSON.stringify(given)}; allowed choices are ${SHELLS.join(', ')}.`)
    }
    const { completionScript } = await import('../completion-script.js')
    context.print(completionScript(shell, await commands()))
    return EXIT.DONE
  },
})
