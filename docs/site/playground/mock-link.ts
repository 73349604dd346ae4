import type { SidecarLink, FrameReader } from '../../../src/dashboard/store/api.js'
import { createMock, type GameServerAllocation, type GameServerManifest, type Mock } from '../../../src/mock/index.js'
import { explainEntry, faultPresets, type ControlCommand } from '../../../src/sidecar/index.js'
import { startRunner, type Runner } from './runner.js'
import type { Level } from './messages.js'

const API = '/_/api'
/** Milliseconds from an entry of the log to the state after it. */
const STATE_DELAY = 100
/** The steps in which time is skipped: the code does what is due in each before the sidecar misses it. */
const STEP = 1000

const gameServer: GameServerManifest = {
  metadata: { name: 'playground' },
  spec: { health: { periodSeconds: 5, failureThreshold: 3, initialDelaySeconds: 5 } },
  status: {
    counters: { rooms: { count: 0, capacity: 4 } },
    lists: { players: { capacity: 4, values: [] } },
  },
}

export interface Session {
  readonly link: SidecarLink
  /** Runs code against a fresh GameServer, in place of the code before. */
  run(code: string): void
}

interface Events {
  tell(level: Level, text: string): void
  /** Another GameServer is there. */
  onFresh(): void
  onStop(): void
}

/** A mock, the code that runs against it, and the dashboard's way to it. */
export function createSession({ tell, onFresh, onStop }: Events): Session {
  let mock = startMock()
  let speed = 1
  let runner: Runner | undefined
  let reader: FrameReader | undefined
  let unfollow = (): void => undefined

  function follow(): void {
    unfollow()
    if (reader !== undefined) unfollow = readLog(mock, () => speed, reader)
  }

  async function control(command: ControlCommand): Promise<string> {
    if (command.type === 'advanceClock') {
      for (let left = command.ms; left > 0; left -= STEP) {
        await runner?.advance(Math.min(left, STEP))
        await mock.advance(Math.min(left, STEP))
      }
      // The mock would skip the time again; its sidecar writes it down.
      mock.sidecar.control(command)
    } else mock.control(command)
    if (command.type === 'setClock') {
      speed = command.speed
      runner?.setSpeed(speed)
    }
    return '{"ok":true}'
  }

  async function answer(method: string, path: string, body: unknown): Promise<string> {
    const [route = '', query] = path.slice(API.length).split('?')
    const since = Number(new URLSearchParams(query).get('since') ?? 0)
    if (route === '/presets') return JSON.stringify({ presets: faultPresets })
    if (route === '/commands') return control(commandOf(body as ControlCommand))
    if (route === '/allocations') return JSON.stringify(mock.allocate(body as GameServerAllocation))
    if (route === '/log') return JSON.stringify({ entries: mock.sidecar.log.entries(since) })
    if (route === '/export' && query === undefined) {
      return Array.from(mock.sidecar.recording(), (line) => `${JSON.stringify(line)}\n`).join('')
    }
    const kept = mock.sidecar.log.find(Number(/^\/log\/(\d+)$/.exec(route)?.[1]))
    if (kept === undefined) throw new Error(`The playground has no ${method} ${path}; the local sidecar has`)
    return JSON.stringify({ entry: kept.entry, ...kept.exchange, why: explainEntry(kept, mock.sidecar.config) })
  }

  async function request(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    if (path.startsWith(API)) {
      return answer(method, path, body).then(
        (text) => ({ status: 200, text }),
        (error: unknown) => ({
          status: 400,
          text: JSON.stringify({ message: (error as Error).message.replace('mock.control(): ', '') }),
        }),
      )
    }
    const init = {
      method,
      headers: {},
      body: body && JSON.stringify(body),
      redirect: 'follow',
      cache: 'no-store',
    } as never
    try {
      const response = await mock.options.fetch(mock.options.baseUrl + path, init)
      return { status: response.status, text: await response.text() }
    } catch {
      return { status: 0, text: '' }
    }
  }

  return {
    link: {
      // What is copied from the dashboard is for a sidecar of one's own.
      origin: () => 'http://localhost:9358',
      request,
      follow(added) {
        reader = added
        follow()
      },
    },
    run(code) {
      runner?.stop()
      mock.close()
      mock = startMock()
      if (speed !== 1) mock.control({ type: 'setClock', speed })
      onFresh()
      follow()
      const started = startRunner({ mock, code, speed, tell, onStop: () => runner === started && onStop() })
      runner = started
    },
  }
}

const startMock = (): Mock => createMock({ time: 'real', unknownPaths: 'answer', gameServer })

/** An edited GameServer comes as text, whose YAML needs the local sidecar. */
function commandOf(command: ControlCommand): ControlCommand {
  if (command.type !== 'reload' || typeof command.gameServer !== 'string') return command
  try {
    return { ...command, gameServer: JSON.parse(command.gameServer) as GameServerManifest }
  } catch {
    throw new Error('The playground reads JSON only; the local sidecar reads YAML')
  }
}

/** Hands on the log as the control interface does. Returns the function that ends it. */
function readLog({ sidecar }: Mock, speed: () => number, reader: FrameReader): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tellState = (): void => {
    timer = undefined
    reader.onFrame({ type: 'state', state: { ...sidecar.snapshot(), clock: { speed: speed() } } })
  }
  reader.onOpen()
  tellState()
  for (const entry of sidecar.log.entries()) reader.onFrame({ type: 'entry', entry })
  const unsubscribe = sidecar.log.subscribe((entry) => {
    reader.onFrame({ type: 'entry', entry })
    timer ??= setTimeout(tellState, STATE_DELAY)
  })
  return () => {
    unsubscribe()
    clearTimeout(timer)
  }
}
