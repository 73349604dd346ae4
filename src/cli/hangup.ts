import { isatty } from 'node:tty'
import { plainText } from '../node/plain-text.js'

/**
 * Makes this process end well when its terminal is closed. At its end Node puts the terminal back as it was, and aborts
 * where there is none any more. So it then ends by SIGHUP, which shells tell as 129, after everything else was ended.
 */
export function endWithTerminal(): void {
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
