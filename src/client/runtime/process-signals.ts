import { SidecarError } from './errors.js'
import { host } from './host.js'
import { check, checkNames } from './validate.js'
import type { Emit } from './emitter.js'
import type { LoggerLike, ProcessSignalOptions, SidecarClient } from '../types.js'

/** The part of Node's `process` that is used. */
interface ProcessLike {
  on(signal: string, listener: (signal: string) => void): void
  removeListener(signal: string, listener: (signal: string) => void): void
  exit(code: number): void
}

interface ProcessGlobals {
  process?: ProcessLike
  setTimeout?(run: () => void, ms: number): unknown
  console?: LoggerLike
}

const names = ['SIGTERM', 'SIGINT']

/** @throws SidecarError `CONFIG` */
export function checkSignalOptions(options: ProcessSignalOptions): void {
  checkNames(options, ['onSignal', 'timeout'], 'processSignals option')
  const { timeout = 1 } = options
  check(typeof timeout === 'number' && timeout > 0, 'processSignals.timeout', timeout, 'a number above 0')
}

/**
 * Turns the first SIGTERM or SIGINT into an orderly end: a `signal` event, the awaited handler, `shutdown()`, exit.
 * The process ends within the time given, whatever hangs; a second signal ends it at once.
 *
 * @returns the function that stops listening
 */
export function handleProcessSignals(
  client: SidecarClient,
  emit: Emit,
  tellEnd: (deadline: number) => void,
  { onSignal, timeout = 10000 }: ProcessSignalOptions,
  logger: LoggerLike | undefined,
): () => void {
  const { process, setTimeout, console } = host() as ProcessGlobals
  if (!process?.on) return () => {}
  let ending = false

  const forget = (): void => names.forEach((name) => process.removeListener(name, listener))

  async function end(signal: string): Promise<void> {
    const deadline = Date.now() + timeout
    setTimeout?.(() => process!.exit(1), timeout)
    let code = 0
    try {
      emit('signal', { signal })
      tellEnd(deadline)
      if (onSignal) await onSignal(signal)
    } catch (error) {
      code = 1
      emit('error', new SidecarError('UNKNOWN', 'onSignal failed', { cause: error }))
      const sink = logger ?? console
      sink?.error?.(error)
    }
    try {
      const { gameServer } = client
      if (gameServer?.status.state !== 'Shutdown')
        await client.shutdown({ timeout: Math.max(1, deadline - Date.now() - 100) })
    } catch (error) {
      // The sidecar may be gone already: in a pod that is deleted both are told to stop at the same time.
      logger?.warn?.((error as Error).message)
    }
    client.close()
    process!.exit(code)
  }

  function listener(signal: string): void {
    if (ending) return process!.exit(1)
    ending = true
    void end(signal)
  }

  names.forEach((name) => process.on(name, listener))
  return forget
}
