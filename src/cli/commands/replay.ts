import { defineCommand, UsageError } from '../context.js'
import { findSidecar, url } from '../find-sidecar.js'
import { port } from '../flag-values.js'
import { oneOf, option, text, toggle, withDefault } from '../flags.js'
import { ADDRESS_NAMES, PORT_NAMES } from '../local-flags.js'

export const command = defineCommand({
  args: '<file>',
  flags: {
    as: oneOf(
      'role',
      'serve its events, or repeat its calls and compare the answers',
      ['sidecar', 'client'],
      'sidecar',
    ),
    speed: withDefault(option('times', 'factor of the recorded speed', speed), 1),
    step: toggle('as a sidecar: show the next event with each Enter'),
    now: toggle('as a sidecar: begin at once, not with the first call'),
    exit: toggle('as a sidecar: end after the last event'),
    httpPort: withDefault(
      option('port', 'as a sidecar: port for HTTP and WebSocket; 0 for any', port, PORT_NAMES),
      9358,
    ),
    address: withDefault(text('address', 'as a sidecar: address to listen on', ADDRESS_NAMES), 'localhost'),
    url,
  },
  examples: `The file is a recording, an export or the lines of watch --json; - is the standard input.

Examples:
  gameserver-sidecar replay match.ndjson --speed 10
  gameserver-sidecar replay match.ndjson --as client
  gameserver-sidecar watch --json | gameserver-sidecar replay -`,
  async run({ args: [path = ''], flags, context }) {
    if (flags.as === 'client') {
      const unused = (['step', 'now', 'exit'] as const).find((name) => flags[name])
      if (unused !== undefined)
        throw new UsageError(`--${unused} is for a replay as a sidecar; leave it out, or leave out --as client.`)
    } else if (flags.url !== undefined) {
      throw new UsageError('--url names the sidecar to call; add --as client.')
    }
    if (flags.step && path === '-') {
      throw new UsageError('--step reads Enter from the standard input, but that holds the recording; give a file.')
    }
    const { openRecording, readRecording } = await import('../replay/read-recording.js')
    const stream = await openRecording(path)
    const lines = readRecording(stream, path)
    try {
      if (flags.as === 'client') {
        const { replayAsClient } = await import('../replay/as-client.js')
        const address = await findSidecar(flags.url, process.env)
        return await replayAsClient(lines, address, flags.speed, context)
      }
      const { replayAsSidecar } = await import('../replay/as-sidecar.js')
      return await replayAsSidecar(lines, path === '-', flags, context)
    } finally {
      stream.destroy()
    }
  },
})

function speed(given: string): number {
  const value = Number(given)
  if (!/^\d+(\.\d+)?$/.test(given) || value < 0.001 || value > 1_000_000) {
    throw new Error('It must be a number from 0.001 to 1000000.')
  }
  return value
}
