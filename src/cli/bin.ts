#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { isatty, WriteStream } from 'node:tty'
import picocolors from 'picocolors'
import { plainText } from '../local/files.js'
import type { CliContext } from './context.js'
import { runCli } from './main.js'
import { exitAfterOutput, Output } from './output.js'

/** npm forwards a signal that the terminal has already sent to all processes, so signals this close count as one. */
const SAME_REQUEST_MS = 200

/** How often a command that runs until it is stopped looks for its parent. */
const PARENT_MS = 500

const [out, err] = [new Output(process.stdout), new Output(process.stderr)]
let isService = false

endWithTerminal()

const context: CliContext = {
  colors: picocolors.createColors(useColors()),
  print: out.write,
  warn: err.write,
  version: () => {
    const description: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    return (description as { version: string }).version
  },
  untilOrphaned,
  untilStopped: () =>
    new Promise((resolve) => {
      void untilOrphaned().then(() => resolve('SIGTERM'))
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
void runCli(process.argv.slice(2), context).then((code) => exitAfterOutput(code, [out, err], !isService))

/** Decides as Node does for its own output: by FORCE_COLOR, then NO_COLOR and TERM, then by whether it is a terminal. */
function useColors(): boolean {
  if (process.env['FORCE_COLOR'] !== undefined) return WriteStream.prototype.hasColors()
  return [process.stdout, process.stderr].every((stream) => stream.isTTY && stream.hasColors())
}

/**
 * Resolves when npm or npx has ended: they pass a signal on to their shell alone. Started otherwise, a command may outlive
 * its parent on purpose, as a job that was disowned does.
 */
async function untilOrphaned(): Promise<void> {
  const { ppid } = process
  isService = true
  if (process.env['npm_config_user_agent'] === undefined) return new Promise(() => undefined)
  while (process.ppid === ppid) await sleep(PARENT_MS, undefined, { ref: false })
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
  for (const stream of new Set([process.stdout, process.stderr, out.stream, err.stream])) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader of a pipe may end early (`| head`).
      if (error.code === 'EPIPE') process.exit(0)
      // SIGHUP follows the end of the terminal, unless the shell disowned this job.
      if (process.listenerCount('SIGHUP') > 0 && isClosed()) return
      // On a full disk, for example, nobody must take the file for the whole output.
      if (stream === out.stream) process.stderr.write(`The output can't be written: ${plainText(error.message)}.\n`)
      process.exit(1)
    })
  }
}
