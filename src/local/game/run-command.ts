import { isMarked } from '../../platform/sidecar.js'
import type { LocalSidecar } from '../sidecar/local-sidecar.js'
import { GameLife } from './game-life.js'
import { endGameServer } from './kubelet.js'
import { ProgramError, startCommand, type CommandEnd, type RunningCommand } from './start-command.js'

/** npm repeats a signal that the terminal has already sent to all processes: signals within this time count as one. */
const SAME_REQUEST_MS = 200

export interface RunCommandOptions {
  readonly command: readonly [string, ...string[]]
  readonly local: LocalSidecar
  /** The environment of the command, for each GameServer anew. */
  readonly env: () => NodeJS.ProcessEnv
  /** Default time from SIGTERM or SIGHUP to SIGKILL. */
  readonly graceMs: number
  /** Start the command again for a fresh GameServer if it ended after its GameServer had, as a pod is replaced. */
  readonly restarts: boolean
  /** Ends the command, as SIGTERM does, unless a signal has come before. */
  readonly orphaned?: Promise<void>
  /** Reports what happens to a person, one sentence a call. */
  readonly say: (text: string) => void
}

/**
 * Runs a command beside a local sidecar, on this process' terminal, until it has ended for good. The signals that this
 * process gets go to the command; `terminate`, a command of the control interface, ends it as a kubelet does.
 */
export async function runCommand(options: RunCommandOptions): Promise<CommandEnd> {
  const { command, local, env, graceMs, restarts, orphaned, say } = options
  let running: RunningCommand | undefined
  const announce = (reason: string, ms = graceMs): void => {
    if (running !== undefined) say(`${reason}: SIGTERM to ${command[0]}, SIGKILL in ${ms / 1000} s`)
  }
  // After Ctrl-C, a person is there who can press Ctrl-\. After other signals, maybe nobody is.
  const onSignal = (name: NodeJS.Signals): void => life.end(name, name === 'SIGINT' ? Infinity : graceMs)
  // Before the command is started: a signal that came in between would end this process alone.
  const stopPassing = passSignals(() => running, onSignal)
  const life = new GameLife<CommandEnd>({
    ...{ local, graceMs, kubelet: restarts ? 'ends game' : 'ignores it' },
    async start() {
      const started = await startCommand(command, { env: env(), stdio: 'inherit' })
      void started.exited.then(() => (running = undefined))
      return (running = started)
    },
    next({ signal, exitCode }, hasEnded) {
      if (!hasEnded) endGameServer(local, exitCode)
      const { name } = local.sidecar.snapshot().gameServer.object_meta
      say(`${command[0]} ended with ${signal ?? `exit code ${exitCode}`}; GameServer ${name} is ${stateOf(local)}`)
      return restarts && hasEnded ? 'fresh' : 'nothing'
    },
    onGameServerEnd: (state, isTerminated) => isTerminated && announce(`The GameServer is ${state}`),
    onReplaced: () => say(`${command[0]} starts again for ${local.sidecar.snapshot().gameServer.object_meta.name}`),
    onKill: (name, ms) =>
      say(`${command[0]}, or what it has started, still runs ${ms / 1000} s after ${name}: SIGKILL`),
  })
  void orphaned?.then(() => {
    if (life.isEnding) return
    announce('npm has ended')
    life.end()
  })
  const unsubscribe = local.sidecar.log.subscribe(({ event, problem }) => {
    if (event.type !== 'control' || event.command.type !== 'terminate' || problem !== undefined) return
    const { graceMs: ms = graceMs } = event.command
    announce('The GameServer is terminated', ms)
    life.terminate('SIGTERM', ms)
  })
  try {
    return await life.ended
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error
    say(`${error.message}.`)
    return { code: error.exitCode, signal: null, exitCode: error.exitCode }
  } finally {
    unsubscribe()
    stopPassing()
  }
}

function stateOf(local: LocalSidecar): string {
  const { gameServer, gone } = local.sidecar.snapshot()
  if (gone) return 'gone'
  const { status } = gameServer
  return `${status.state}${isMarked(gameServer) ? ', and being deleted' : ''}`
}

/**
 * Passes each signal on to a command once. The command has its own process group, so the terminal's keys and resizes reach
 * only this process.
 *
 * @returns the function that stops this
 */
function passSignals(running: () => RunningCommand | undefined, onEnd: (name: NodeJS.Signals) => void): () => void {
  const listeners: (readonly [NodeJS.Signals, () => void])[] = []
  const on = (name: NodeJS.Signals, listener: () => void): void => {
    listeners.push([name, listener])
    process.on(name, listener)
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    let last = -Infinity
    on(name, () => {
      const now = performance.now()
      if (now - last > SAME_REQUEST_MS) onEnd(name)
      last = now
    })
  }
  if (process.platform !== 'win32') {
    on('SIGWINCH', () => running()?.signalAll('SIGWINCH'))
    // Ctrl-Z stops this process and the command, `fg` continues both.
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
