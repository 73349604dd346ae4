#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { isatty, WriteStream } from 'node:tty'
import picocolors from 'picocolors'
import { plainText } from '../local/files.js'
import type { CliContext } from './context.js'
import { runCli } from './main.js'

/** npm forwards a signal that the terminal has already sent to all processes, so signals this close count as one. */
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
        // Signals have no default action for PID 1 of a container, so the second signal exits here.
        if (now - asked > SAME_REQUEST_MS) process.exit(128 + constants.signals[signal])
        // A closed terminal counts as SIGTERM.
        resolve(signal === 'SIGHUP' ? 'SIGTERM' : signal)
      }
      process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop)
    }),
}

// No top-level await: a chunk that is loaded later and imports this file would wait for it forever.
void runCli(process.argv.slice(2), context).then(end)

/** Exits once all output is flushed: process.exit() drops what a pipe hasn't taken yet. */
function end(code: number): void {
  // A stream emits errors after the callbacks of its writes.
  process.stdout.write('', () => process.stderr.write('', () => setImmediate(() => process.exit(code))))
}

/** Lets only text, line ends and colours through to the terminal. */
function visible(text: string): string {
  return text
    .split(/(\u001b\[\d+m|\n)/)
    .map((part, i) => (i % 2 === 1 ? part : plainText(part, Infinity)))
    .join('')
}

/** Decides as Node does for its own output: by FORCE_COLOR, then NO_COLOR and TERM, then by whether it is a terminal. */
function useColors(): boolean {
  if (process.env['FORCE_COLOR'] !== undefined) return WriteStream.prototype.hasColors()
  return [process.stdout, process.stderr].every((stream) => stream.isTTY && stream.hasColors())
}

/**
 * Ends this process by SIGHUP when its terminal is closed. Node restores the terminal's mode at exit, and aborts where the
 * terminal is gone.
 */
function endWithTerminal(): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd))
  const isClosed = (): boolean => terminals.length > 0 && !terminals.some((fd) => isatty(fd))
  process.on('exit', function end(code) {
    if (process.platform === 'win32' || !isClosed()) return
    // The kill below prevents later listeners, which end child processes, so they run here.
    for (const other of process.listeners('exit')) if (other !== end) other(code)
    process.removeAllListeners('SIGHUP')
    process.kill(process.pid, 'SIGHUP')
  })
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader of a pipe may end early (`| head`).
      if (error.code === 'EPIPE') process.exit(0)
      // SIGHUP follows the end of the terminal, unless the shell disowned this job.
      if (process.listenerCount('SIGHUP') > 0 && isClosed()) return
      // On a full disk, for example, nobody must take the file for the whole output.
      if (stream === process.stdout) process.stderr.write(`The output can't be written: ${plainText(error.message)}.\n`)
      process.exit(1)
    })
  }
}
