#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { WriteStream } from 'node:tty'
import picocolors from 'picocolors'
import { plainText } from '../node/plain-text.js'
import type { CliContext } from './context.js'
import { endWithTerminal } from './hangup.js'
import { runCli } from './main.js'

/** npm repeats a signal that the terminal has already sent to all processes: signals this close count as one. */
const SAME_REQUEST_MS = 200

endWithTerminal()

const context: CliContext = {
  colors: picocolors.createColors(useColors()),
  print: (line) => void process.stdout.write(`${visible(line)}\n`),
  warn: (line) => void process.stderr.write(`${visible(line)}\n`),
  version: () => {
    const description: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    return (description as { version: string }).version
  },
  untilStopped: () =>
    new Promise((resolve) => {
      let asked: number | undefined
      const stop = (signal: NodeJS.Signals): void => {
        const now = performance.now()
        asked ??= now
        // A container's first process ignores a signal's default action, so a second signal must end it here.
        if (now - asked > SAME_REQUEST_MS) process.exit(128 + constants.signals[signal])
        // A terminal that closes asks for the same end as the one who stops a container.
        resolve(signal === 'SIGHUP' ? 'SIGTERM' : signal)
      }
      process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop)
    }),
}

const code = await runCli(process.argv.slice(2), context)
// process.exit() drops output that a pipe hasn't taken yet. Errors of a stream are told after the callbacks of its writes.
process.stdout.write('', () => process.stderr.write('', () => setImmediate(() => process.exit(code))))

/** The last guard of the terminal: nothing but text, line ends and colours passes. */
function visible(text: string): string {
  return text
    .split(/(\u001b\[\d+m|\n)/)
    .map((part, i) => (i % 2 === 1 ? part : plainText(part, Infinity)))
    .join('')
}

/** As Node decides for its own output: FORCE_COLOR comes first, then NO_COLOR and TERM, then whether it is a terminal. */
function useColors(): boolean {
  if (process.env['FORCE_COLOR'] !== undefined) return WriteStream.prototype.hasColors()
  return [process.stdout, process.stderr].every((stream) => stream.isTTY && stream.hasColors())
}
