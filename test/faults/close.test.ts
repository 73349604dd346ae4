import { expect, test } from 'vitest'
import { createClient } from '../../src/index.node.js'
import { isSidecarError, type ClientOptions, type SidecarClient } from '../../src/index.js'
import { createScriptedSidecar, type Rule, type ScriptedSidecar, type Step } from '../support/fault-server.js'
import * as steps from '../support/fault-server-steps.js'
import { turns } from '../support/until.js'
import { countDials, countTimers } from './observe.js'

interface Situation {
  sidecar: ScriptedSidecar
  client: SidecarClient
  timers: ReturnType<typeof countTimers>
}

/** A wait of the client, and how to get there. */
interface Wait {
  name: string
  over?: readonly ('websocket' | 'stream' | 'auto')[]
  options?: ClientOptions
  rules?: readonly Rule[]
  /** Brings the client into the wait; the returned promises must end with CLOSED. */
  reach(situation: Situation): Promise<readonly Promise<unknown>[]>
}

const any = ['websocket', 'stream', 'auto'] as const
const watching = (client: SidecarClient): void => void client.on('gameserver', () => {})
const asked = (sidecar: ScriptedSidecar, path: string, times = 1): Promise<void> =>
  sidecar.until(() => sidecar.requests.filter((request) => request.path === path).length >= times, `${times} × ${path}`)
const dialled = (sidecar: ScriptedSidecar, times: number): Promise<void> =>
  sidecar.until(() => sidecar.dials.length >= times, `${times} dials`)
/** A rule for a call that is read and never answered. */
const pending = (on: Rule['on'] & `${string} ${string}`): readonly Rule[] => [{ on, step: steps.blackHole }]

/** A wait in which the path has been requested this many times after `act`. */
const asking = (
  name: string,
  path: string,
  rules: readonly Rule[],
  act: (client: SidecarClient) => unknown = watching,
  more: Partial<Wait> & { times?: number } = {},
): Wait => ({
  name,
  rules,
  async reach({ sidecar, client }) {
    const result = act(client)
    await asked(sidecar, path, more.times)
    return result instanceof Promise ? [result] : []
  },
  ...more,
})
const read = (client: SidecarClient): Promise<unknown> => client.getGameServer()
const nothing = (): void => {}
const watchPath = '/watch/gameserver'
const auto = ['auto'] as const
const onWatch = (step: Step): readonly Rule[] => [{ on: 'watch', step }]

const waits: readonly Wait[] = [
  {
    name: 'the watch is being dialled and nobody answers',
    rules: [{ on: 'connection', accept: steps.deafAndDumb }],
    async reach({ sidecar, client }) {
      watching(client)
      await dialled(sidecar, 1)
      return []
    },
  },
  {
    name: 'the watch was refused and backs off',
    async reach({ sidecar, client, timers }) {
      await sidecar.stop()
      watching(client)
      await timers.untilPending()
      return []
    },
  },
  asking('the watch was reset and backs off', watchPath, onWatch(steps.breaking('reset')), watching, { times: 2 }),
  asking('the head of the watch is half there', watchPath, onWatch(steps.writingAndWaiting('HTTP/1.1 '))),
  asking('the watch is open and its first object is awaited', watchPath, onWatch(steps.stallingAfterHead)),
  {
    name: 'the watch is quiet, and waits, iterators and events are pending',
    async reach({ client }) {
      const first = client.once('gameserver')
      await first
      const iterator = client.watchGameServer()[Symbol.asyncIterator]()
      await iterator.next()
      return [client.waitFor('Shutdown'), client.once('list'), iterator.next().then(endedIsClosed)]
    },
  },
  {
    name: 'connect() waits for a sidecar that is not there',
    async reach({ sidecar, client, timers }) {
      await sidecar.stop()
      const connecting = client.connect()
      await timers.untilPending()
      return [connecting]
    },
  },
  asking('a check of the watch by GET is under way', '/gameserver', pending('GET /gameserver'), watching, {
    options: { verifyInterval: 50 },
  }),
  asking('a read is under way', '/gameserver', pending('GET /gameserver'), read, { over: auto }),
  asking('a body is half there', '/gameserver', [{ on: '*', step: steps.stallingAfterHead }], read, { over: auto }),
  {
    name: 'a write is under way and another waits for its turn',
    over: auto,
    rules: pending('POST /v1beta1/lists/rooms:addValue'),
    async reach({ sidecar, client }) {
      const writing = [client.addListValue('rooms', 'a'), client.addListValue('rooms', 'b')]
      await asked(sidecar, '/v1beta1/lists/rooms:addValue')
      return writing
    },
  },
  ...[undefined, '20'].map((retryAfter): Wait => ({
    name: `a call sleeps ${retryAfter ? 'as Retry-After says' : 'before it is sent again'}`,
    over: auto,
    rules: [{ on: '*', step: steps.answering({ status: 503, headers: { 'retry-after': retryAfter } }) }],
    async reach({ sidecar, client, timers }) {
      const reading = client.getGameServer()
      await asked(sidecar, '/gameserver')
      await timers.untilPending()
      return [reading]
    },
  })),
  {
    name: 'a write waits to be confirmed by the watch',
    over: ['websocket', 'stream'],
    async reach({ sidecar, client }) {
      const confirming = client.allocate({ confirm: true })
      await asked(sidecar, '/allocate')
      return [confirming, client.setLabel('a', 'b', { confirm: true })]
    },
  },
  asking('a beat is under way', '/health', pending('POST /health'), nothing, {
    over: auto,
    options: { autoHealth: { interval: 50 } },
    times: 2,
  }),
  asking('beats wait for the next turn', '/health', [], nothing, {
    over: auto,
    options: { autoHealth: { interval: 60_000 } },
  }),
  {
    name: 'check() hangs',
    over: auto,
    options: { autoHealth: { interval: 50, check: () => new Promise(() => {}) } },
    async reach({ timers }) {
      await timers.untilPending()
      return []
    },
  },
]

/** An iterator may end by `done` as well. */
function endedIsClosed(result: IteratorResult<unknown>): void {
  if (result.done === true) throw new Error('CLOSED')
}

/** Closes at once, and after the pauses between dials, when only close() prevents the next dial. */
const cases = waits.flatMap((wait) =>
  (wait.over ?? any).flatMap((mode) => [
    [`${mode}: ${wait.name}`, mode, wait, 0] as const,
    ...(mode === 'auto' ? [[`${mode}: ${wait.name}, and some time later`, mode, wait, 200] as const] : []),
  ]),
)

test.concurrent.each(cases)(
  'close() opens nothing new and leaves nothing behind over %s',
  async (_title, mode, wait, ms) => {
    const sidecar = await createScriptedSidecar(wait.rules ?? [])
    const timers = countTimers()
    const { dials, options } = countDials()
    const { scheduler } = timers
    const client = createClient({ ...wait.options, ...options, baseUrl: sidecar.url, watch: mode, scheduler })
    try {
      const promises = await wait.reach({ sidecar, client, timers })
      const outcomes = Promise.allSettled(promises)
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
      client.close()
      const before = dials.length
      expect(client.status.connection).toBe('closed')
      await turns()
      expect(timers.pending(), 'timers left').toBe(0)

      await sidecar.start().catch(() => {}) // the sidecar may be running already
      await sidecar.untilNoSockets()
      for (const outcome of await outcomes) {
        const reason: unknown = outcome.status === 'rejected' ? outcome.reason : 'it resolved'
        expect(isSidecarError(reason) ? reason.code : String(reason)).toContain('CLOSED')
      }
      await turns(50)
      expect(dials.length - before, 'dials after close()').toBe(0)
      expect(timers.pending(), 'timers set after close()').toBe(0)
      client.close()
      await expect(client.getGameServer()).rejects.toMatchObject({ code: 'CLOSED' })
      client.on('gameserver', () => {})
      await turns(50)
      expect(dials.length - before, 'dials of a closed client').toBe(0)
    } finally {
      client.close()
      await sidecar.close()
    }
  },
)
