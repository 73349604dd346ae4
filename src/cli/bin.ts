#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { isatty, WriteStream } from 'node:tty'
import picocolors from 'picocolors'
import { plainText } from '../node/plain-text.js'
import type { CliContext } from './context.js'
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

// Without a top-level await: a part that is loaded later and imports this file again would wait for it for ever.
void runCli(process.argv.slice(2), context).then(end)

/** Ends when everything is written: process.exit() drops output that a pipe hasn't taken yet. */
function end(code: number): void {
  // Errors of a stream are told after the callbacks of its writes.
  process.stdout.write('', () => process.stderr.write('', () => setImmediate(() => process.exit(code))))
}

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

/**
 * Makes this process end well when its terminal is closed. At its end Node puts the terminal back as it was, and aborts
 * where there is none any more. So it then ends by SIGHUP, which shells tell as 129, after everything else was ended.
 */
function endWithTerminal(): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd))
  const isClosed = (): boolean => terminals.length > 0 && !terminals.some((fd) => isatty(fd))
  process.on('exit', function end(code) {
    if (process.platform === 'win32' || !isClosed()) return
    // The others come later, and there is no later: they end what this process has started.
    for (const other of process.listeners('exit')) if (other !== end) other(code)
    process.removeAllListeners('SIGHUP')
    process.kill(process.pid, 'SIGHUP')
  })
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader of a pipe may end early (`| head`). That is no failure.
      if (error.code === 'EPIPE') process.exit(0)
      // SIGHUP comes with the end of the terminal, unless the shell was told that this job goes on without (`disown`).
      if (process.listenerCount('SIGHUP') > 0 && isClosed()) return
      // Such as a full disk: whoever reads the file must not take it for the whole.
      if (stream === process.stdout) process.stderr.write(`The output can't be written: ${plainText(error.message)}.\n`)
      process.exit(1)
    })
  }
}
