import { UsageError } from './exit-codes.js'

/** Commands that earlier builds had, and what to use instead. */
const commands: Readonly<Record<string, string>> = {
  scenario: "tell the story in a test, with gameserver-sidecar/mock or createLocalSidecar(), or run the test by 'exec'",
  completion: '--help lists what each command takes',
}

/** @throws UsageError for a command that is gone */
export function refuseGone(command: string): void {
  if (Object.hasOwn(commands, command)) {
    throw new UsageError(`There is no command ${JSON.stringify(command)} any more: ${commands[command]}.`)
  }
}
