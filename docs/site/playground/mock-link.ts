import type { ServerLink, FrameReader } from '../../../src/dashboard/store/api.js'
import {
  createMock,
  type GameServerAllocation,
  type GameServerManifest,
  type Mock,
} from '../../../src/platform/mock.js'
import { explainEntry, type ControlCommand } from '../../../src/platform/sidecar.js'
import { startRunner, type Level, type Runner } from './runner.js'

const API = '/_/api'
/** Milliseconds from an entry of the log to the state after it. */
const STATE_DELAY = 100
/** The clock skips time in these steps. In each the code acts first, so that the sidecar misses no beat. */
const STEP = 1000

const gameServer: GameServerManifest = {
  metadata: { name: 'playground' },
  spec: { health: { periodSeconds: 5, failureThreshold: 3, initialDelaySeconds: 5 } },
  status: {
    counters: { rooms: { count: 0, capacity: 4 } },
    lists: { players: { capacity: 4, values: [] } },
  },
}

const startMock = (): Mock => createMock({ time: 'real', unknownPaths: 'answer', gameServer })

export interface Session {
  /** The dashboard's way to the mock. */
  readonly link: ServerLink
  /** Runs code against a fresh GameServer and stops the code before. */
  run(code: string): void
}

/** Starts a mock. Each run replaces it with another one. */
export function createSession(tell: (level: Level, text: string) => void, onFresh: () => void): Session {
  let mock = startMock()
  let speed = 1
  let runner: Runner | undefined
  let reader: FrameReader | undefined
  let unfollow = (): void => undefined

  function follow(): void {
    unfollow()
    if (reader !== undefined) unfollow = readLog(mock, () => speed, reader)
  }

  async function control(command: ControlCommand): Promise<object> {
    if (command.type === 'setClock') {
      speed = command.speed
      runner?.setSpeed(speed)
    }
    if (command.type !== 'advanceClock') return mock.control(command)
    for (let left = command.ms; left > 0; left -= STEP) {
      await runner?.advance(Math.min(left, STEP))
      await mock.advance(Math.min(left, STEP))
    }
    // Only logs the command: mock.control() would skip the time again.
    return mock.sidecar.control(command)
  }

  async function answer(method: string, path: string, body: unknown): Promise<object | string> {
    if (path === '/commands') return control(body as ControlCommand)
    if (path === '/allocations') return mock.allocate(body as GameServerAllocation)
    const kept = mock.sidecar.log.find(Number(/^\/log\/(\d+)$/.exec(path)?.[1]))
    if (kept === undefined) throw new Error(`The playground has no ${method} ${API}${path}; the local sidecar has`)
    return { entry: kept.entry, ...kept.exchange, why: explainEntry(kept, mock.sidecar.config) }
  }

  async function request(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const isControl = path.startsWith(API)
    try {
      if (isControl) {
        const answered = await answer(method, path.slice(API.length), body)
        return { status: 200, text: typeof answered === 'string' ? answered : JSON.stringify(answered) }
      }
      const init = { method, headers: {}, body: JSON.stringify(body), redirect: 'follow', cache: 'no-store' } as const
      const response = await mock.options.fetch(mock.options.baseUrl + path, init)
      return { status: response.status, text: await response.text() }
    } catch (error) {
      const message = (error as Error).message.replace('mock.control(): ', '')
      return isControl ? { status: 400, text: JSON.stringify({ message }) } : { status: 0, text: '' }
    }
  }

  return {
    link: {
      // Commands that the dashboard copies are for a visitor's own sidecar.
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
      runner = startRunner({ mock, code, speed, tell })
    },
  }
}

/** Hands the log to a reader, as the control interface does. Returns the function that ends it. */
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
