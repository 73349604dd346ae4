import { createInterface } from 'node:readline'
import type { LocalSidecar } from '../../local/sidecar.js'
import type { GameServer } from '../../protocol/game-server.js'
import type { RecordingLine } from '../../platform/sidecar.js'
import { CommandError, warningsOf } from '../context.js'
import type { CliContext } from '../context.js'
import { createEventLines } from '../event-lines.js'
import { EXIT, exitOfSignal } from '../exit-codes.js'
import { failStart } from '../start-failure.js'
import { sleep } from './read-recording.js'
import type { NumberedLine } from './read-recording.js'

type SidecarReplay = Readonly<Record<'httpPort' | 'speed', number> & Record<'step' | 'now' | 'exit', boolean>> & {
  readonly address: string
}

/** One thing that watchers see. */
interface Scene {
  readonly at: number
  /** Undefined where every watch breaks. */
  readonly gameServer: GameServer | undefined
  /** Whether another session begins, so that the time since the last scene has no meaning. */
  readonly isFirst: boolean
}

/**
 * Serves a recording as a sidecar. Watchers see the recorded GameServers at the recorded times, and their watches break
 * where they broke. Calls are answered and change nothing.
 */
export async function replayAsSidecar(
  lines: AsyncIterable<NumberedLine>,
  isLive: boolean,
  options: SidecarReplay,
  context: CliContext,
): Promise<number> {
  const stopped = context.untilStopped()
  const scenes = scenesOf(lines)
  const first = await Promise.race([scenes.next(), stopped])
  if (typeof first === 'string') return exitOfSignal(first)
  if (first.done === true || first.value.gameServer === undefined) {
    throw new CommandError(
      EXIT.FAILED,
      'The recording holds no GameServer to show; add --as client to repeat its calls.',
    )
  }
  const local = await start(options, context)
  try {
    local.sidecar.show(first.value.gameServer)
    const eventLines = createEventLines(context.colors, false)
    local.sidecar.log.subscribe((entry) => eventLines(entry).forEach(context.print))
    context.print(`The recording is at ${context.colors.cyan(local.url)} as a sidecar; calls change nothing there.`)
    const played = play(scenes, first.value.at, isLive, local, options, context)
    const signal = await Promise.race([stopped, played.then(() => (options.exit ? undefined : stopped))])
    return signal === undefined ? EXIT.DONE : exitOfSignal(signal)
  } finally {
    await local.close()
  }
}

async function play(
  scenes: AsyncIterator<Scene, void>,
  firstAt: number,
  isLive: boolean,
  local: LocalSidecar,
  { speed, step, now }: SidecarReplay,
  { print }: CliContext,
): Promise<void> {
  const enter = step ? createInterface({ input: process.stdin })[Symbol.asyncIterator]() : undefined
  if (enter) print('Press Enter for each next event.')
  else if (!now && !isLive) {
    print('It begins with the first call or watch.')
    await firstCall(local)
  }
  let shown = 1
  let begun = { at: firstAt, clock: performance.now() }
  for (let next = await scenes.next(); next.done !== true; next = await scenes.next()) {
    const { at, gameServer, isFirst } = next.value
    if (isFirst) begun = { at, clock: performance.now() }
    if (enter) await enter.next()
    else await sleep(begun.clock + (at - begun.at) / speed - performance.now())
    shown += 1
    if (gameServer === undefined) local.control({ type: 'dropWatchers' })
    else local.sidecar.show(gameServer)
  }
  print(`The recording is over after ${shown} events; its last GameServer stays.`)
}

/** The scenes of a recording, from its first GameServer on. */
async function* scenesOf(lines: AsyncIterable<NumberedLine>): AsyncGenerator<Scene, void> {
  let isStarted = false
  let isFirst = false
  for await (const { line } of lines) {
    if (line.type === 'recording') isFirst = isStarted
    const scene = sceneOf(line)
    if (scene === undefined || !(isStarted || scene.gameServer)) continue
    isStarted = true
    yield { ...scene, isFirst }
    isFirst = false
  }
}

function sceneOf(line: RecordingLine): Pick<Scene, 'at' | 'gameServer'> | undefined {
  if (line.type === 'gameserver') return { at: line.at, gameServer: line.gameServer }
  if (line.type === 'connection') {
    return line.state === 'reconnecting' || line.state === 'failed' ? { at: line.at, gameServer: undefined } : undefined
  }
  if (line.type !== 'entry') return undefined
  const { event, at, problem } = line.entry
  const breaks =
    event.type === 'control' &&
    problem === undefined &&
    (event.command.type === 'restart' || event.command.type === 'dropWatchers')
  return breaks ? { at, gameServer: undefined } : undefined
}

async function start({ httpPort, address }: SidecarReplay, context: CliContext): Promise<LocalSidecar> {
  const { startLocalSidecar } = await import('../../local/sidecar.js')
  return startLocalSidecar(
    { port: httpPort, address, onWarning: warningsOf(context), onLog: context.warn },
    { frozen: true },
  ).catch(failStart({ port: httpPort, portFlag: '--http-port', address, addressFlag: '--address' }))
}

/** Resolves with the first call or watch. */
function firstCall(local: LocalSidecar): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = local.sidecar.log.subscribe(({ event }) => {
      if (event.type !== 'call' && event.type !== 'watch-opened') return
      unsubscribe()
      resolve()
    })
  })
}
