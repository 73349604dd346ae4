import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { port } from '../arguments.js'
import { UsageError } from '../context.js'
import type { CliContext, CommandModule } from '../context.js'
import { findSidecar, urlOption } from '../find-sidecar.js'
import type { SidecarReplay } from '../replay/as-sidecar.js'

interface ReplayOptions extends SidecarReplay {
  readonly as: 'sidecar' | 'client'
  readonly url?: string
}

export const replayCommand: CommandModule = {
  define,
  run: (options, args, context) => runReplay(options as unknown as ReplayOptions, args, context),
}

function define(command: Command): void {
  command
    .argument('<file>', 'a recording, an export or the lines of watch --json; - for the standard input')
    .addOption(
      new Option('--as <role>', 'serve its events, or make its calls again and compare the answers')
        .choices(['sidecar', 'client'])
        .default('sidecar'),
    )
    .option('--speed <times>', 'so many times as fast as it was recorded', speed, 1)
    .option('--step', 'as a sidecar: show the next event with each Enter', false)
    .option('--now', 'as a sidecar: begin at once, not with the first call', false)
    .option('--exit', 'as a sidecar: end after the last event', false)
    .option('--http-port <port>', 'as a sidecar: port for HTTP and WebSocket; 0 for any', port, 9358)
    .option('--address <address>', 'as a sidecar: address to listen on', 'localhost')
    .addOption(urlOption())
    .addHelpText(
      'after',
      `
Examples:
  gameserver-sidecar replay match.ndjson --speed 10
  gameserver-sidecar replay match.ndjson --as client
  kubectl exec my-pod -- npx gameserver-sidecar watch --json | gameserver-sidecar replay -`,
    )
}

function speed(text: string): number {
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value < 0.001 || value > 1_000_000) {
    throw new InvalidArgumentError('It must be a number from 0.001 to 1000000.')
  }
  return value
}

async function runReplay(options: ReplayOptions, [path = '']: readonly string[], context: CliContext): Promise<number> {
  if (options.as === 'client') {
    const unused = (['step', 'now', 'exit'] as const).find((name) => options[name])
    if (unused !== undefined) throw new UsageError(`--${unused} is for a replay as a sidecar, not as a client.`)
  } else if (options.url !== undefined) {
    throw new UsageError('--url says which sidecar is called; add --as client.')
  }
  if (options.step && path === '-') {
    throw new UsageError('--step takes Enter from the standard input, which holds the recording; give a file.')
  }
  const url = findSidecar(options.url, process.env)
  const { openRecording, readRecording } = await import('../replay/read-recording.js')
  const stream = await openRecording(path)
  const lines = readRecording(stream, path)
  try {
    if (options.as === 'client') {
      const { replayAsClient } = await import('../replay/as-client.js')
      return await replayAsClient(lines, url, options.speed, context)
    }
    const { replayAsSidecar } = await import('../replay/as-sidecar.js')
    return await replayAsSidecar(lines, path === '-', options, context)
  } finally {
    stream.destroy()
  }
}
