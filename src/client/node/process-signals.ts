import { check, checkNames } from '../checks.js'
import { SidecarError } from '../errors.js'
import { globals, warn } from '../globals.js'
import type { ClientOptions, ProcessSignalOptions } from '../options.js'
import type { State } from '../state.js'
import type { SidecarClient } from '../types.js'

const names = ['SIGTERM', 'SIGINT']

/**
 * Turns the first SIGTERM or SIGINT into an orderly end: the events `signal` and `ending`, whose promises are awaited as
 * the handler's is, `shutdown()`, exit. The process ends within the time given, whatever hangs; a second signal ends it
 * at once.
 *
 * @returns the function that stops listening
 * @throws SidecarError `CONFIG` where an option can't be right
 */
export function handleProcessSignals(
  client: SidecarClient,
  { processSignals, logger }: ClientOptions,
  state: Pick<State, 'emit' | 'end'>,
): () => void {
  if (!processSignals) return () => {}
  const options: ProcessSignalOptions = processSignals === true ? {} : processSignals
  checkNames(options, ['onSignal', 'timeout'], 'processSignals option')
  const { onSignal, timeout = 10000 } = options
  check(timeout > 0, 'processSignals.timeout', timeout, 'ms above 0')
  check(!onSignal || typeof onSignal === 'function', 'processSignals.onSignal', onSignal, 'a function')
  const { process, setTimeout, console } = globals()
  if (!process?.on) return () => {}
  let isEnding = false

  async function end(signal: string): Promise<void> {
    const deadline = Date.now() + timeout
    setTimeout?.(() => process!.exit!(1), timeout)
    let code = 0
    const settle = async (what: string, result: unknown): Promise<void> => {
      try {
        await result
      } catch (error) {
        code = 1
        state.emit('error', new SidecarError('UNKNOWN', what + ' failed', { cause: error }))
        const sink = logger ?? console
        sink?.error?.(error)
      }
    }
    state.emit('signal', { signal })
    const saving = state.end('signal', deadline).map((result) => settle("A listener of 'ending'", result))
    await Promise.all([...saving, settle('onSignal', (async () => onSignal?.(signal))())])
    try {
      // A server adapter that ended the game has already called `shutdown()` and may have closed the client.
      if (client.status.connection !== 'closed' && client.gameServer?.status.state !== 'Shutdown')
        await client.shutdown({ timeout: Math.max(1, deadline - Date.now() - 100) })
    } catch (error) {
      // The sidecar may have left already: both containers of a deleted pod get SIGTERM at the same time.
      if (logger) warn(logger, (error as Error).message)
    }
    client.close()
    process!.exit!(code)
  }

  function listener(signal: string): void {
    if (isEnding) return process!.exit!(1)
    isEnding = true
    void end(signal)
  }

  names.forEach((name) => process.on!(name, listener))
  return () => names.forEach((name) => process.removeListener!(name, listener))
}
