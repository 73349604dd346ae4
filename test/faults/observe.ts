import WebSocket from 'ws'
import { createClient } from '../../src/index.node.js'
import type { ClientOptions, SidecarClient, SidecarEvents } from '../../src/index.js'
import { untilNoticed } from '../support/fault-server.js'

export type Observed = ReturnType<typeof observe>

/** Creates a client, and keeps all events of its listeners in order, which starts its watch. */
export function observe(options: ClientOptions, create: (options: ClientOptions) => SidecarClient = createClient) {
  const client = create(options)
  const waiting = new Set<() => void>()
  const all = <T extends keyof SidecarEvents>(type: T): readonly SidecarEvents[T][] => {
    const events: SidecarEvents[T][] = []
    client.on(type, (event) => {
      events.push(event)
      waiting.forEach((look) => look())
    })
    return events
  }
  const [errors, connections] = [all('error'), all('connection')]
  /** `resource_version` of each `gameserver` event. */
  const versions: string[] = []
  client.on('gameserver', ({ object_meta }) => void versions.push(object_meta.resource_version ?? ''))
  const gameServers = all('gameserver')
  /** What a failed test shows of the events. */
  const describe = (): string => {
    const told = errors.map(({ code, message }) => `${code} (${message.slice(0, 200)})`)
    const states = connections.map(({ state, transport, reason }) => [state, transport, reason].join(' '))
    return `versions ${versions.slice(-20).join(' ')}; errors ${told.slice(-5).join('; ')}; ${states.slice(-10).join(', ')}`
  }
  /** Resolves when the condition holds, checked after every event. Fails after a minute with a list of the events. */
  const until = (condition: () => boolean, what: string): Promise<void> =>
    untilNoticed(waiting, condition, () => `${what}; ${describe()}`)
  /** Resolves when a listener has got that version. */
  const seen = (version: number): Promise<void> =>
    until(() => versions.includes(String(version)), `a listener to see version ${version}`)
  return { client, gameServers, versions, errors, connections, describe, until, seen }
}

/** The host's own fetch and the `ws` package, whose dials are counted here, since no server sees a refused dial. */
export function countDials(now: () => number = () => performance.now()) {
  /** When each request and each socket was started, by `now`. */
  const dials: number[] = []
  const options: Required<Pick<ClientOptions, 'fetch' | 'WebSocket'>> = {
    fetch(url, init) {
      dials.push(now())
      return fetch(url, init as object)
    },
    WebSocket: class extends WebSocket {
      constructor(url: string) {
        dials.push(now())
        super(url, { perMessageDeflate: false })
      }
    },
  }
  return { dials, options }
}

/** The host's timers, counted: without a pending timer, nothing can start by itself later. */
export function countTimers() {
  const open = new Set<NodeJS.Timeout>()
  const waiting = new Set<() => void>()
  const scheduler: ClientOptions['scheduler'] & object = {
    setTimeout(callback, ms) {
      const id = setTimeout(() => {
        open.delete(id)
        callback()
      }, ms)
      open.add(id)
      waiting.forEach((resume) => resume())
      return id
    },
    clearTimeout(id) {
      open.delete(id)
      clearTimeout(id)
    },
  }
  /** The number of timers that were set and have neither run nor been cleared. */
  const pending = (): number => open.size
  /** Resolves when a timer is set. */
  const untilPending = (): Promise<void> =>
    untilNoticed(
      waiting,
      () => open.size > 0,
      () => 'a timer',
    )
  return { scheduler, pending, untilPending }
}
