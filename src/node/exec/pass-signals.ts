import type { RunningCommand } from './start-command.js'

/** npm repeats a signal that the terminal has already sent to all processes: signals this close count as one. */
const SAME_REQUEST_MS = 200

/**
 * Passes signals on to a command, each once. The command is in a group of its own, so a terminal's keys and the change of
 * its size reach only this process.
 *
 * @returns the function that ends it
 */
export function passSignals(running: () => RunningCommand | undefined, onSignal: (name: string) => void): () => void {
  const listeners: (readonly [NodeJS.Signals, () => void])[] = []
  const on = (name: NodeJS.Signals, listener: () => void): void => {
    listeners.push([name, listener])
    process.on(name, listener)
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    let last = -Infinity
    on(name, () => {
      const now = performance.now()
      if (now - last > SAME_REQUEST_MS) {
        onSignal(name)
        // A terminal sends these two to all processes, and a shell between this process and the game waits for the game.
        if (name === 'SIGTERM') running()?.signal(name)
        else running()?.signalAll(name)
      }
      last = now
    })
  }
  if (process.platform !== 'win32') {
    on('SIGWINCH', () => running()?.signalAll('SIGWINCH'))
    // Ctrl-Z stops both, `fg` continues both.
    on('SIGTSTP', () => {
      running()?.signalAll('SIGSTOP')
      process.kill(process.pid, 'SIGSTOP')
    })
    on('SIGCONT', () => running()?.signalAll('SIGCONT'))
  }
  return () => {
    for (const [name, listener] of listeners) process.off(name, listener)
  }
}
