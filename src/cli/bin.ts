#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import picocolors from 'picocolors'
import type { CliContext } from './context.js'
import { runCli } from './main.js'

/** npm passes on what a terminal has sent already: two signals this close together are one request. */
const SAME_REQUEST_MS = 200

// The reader of a pipe may leave whenever it wants (`| head`): nothing is left to be said then.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}

const context: CliContext = {
  colors: picocolors.createColors(useColors()),
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
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
        // The first process of a container, unlike others, has no other way to end.
        if (now - asked > SAME_REQUEST_MS) process.exit(128 + constants.signals[signal])
        resolve(signal)
      }
      process.on('SIGINT', stop).on('SIGTERM', stop)
    }),
}

const code = await runCli(process.argv.slice(2), context)
// What was written to a pipe may not have left yet, and exiting would lose it.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))

function useColors(): boolean {
  const { NO_COLOR, TERM } = process.env
  return (
    process.stdout.isTTY === true &&
    process.stderr.isTTY === true &&
    (NO_COLOR === undefined || NO_COLOR === '') &&
    TERM !== 'dumb'
  )
}
