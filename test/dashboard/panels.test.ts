import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { faults, presentFaults } from '../../src/dashboard/sidecar/faults.js'
import { outlookOf } from '../../src/dashboard/sidecar/game-server.js'
import { beatsSince } from '../../src/dashboard/sidecar/health.js'
import { sidecar as route } from '../../src/dashboard/sidecar/route.js'
import { set } from '../../src/dashboard/store/state.js'
import { allocationOf } from '../../src/dashboard/ui/allocate.js'
import { showTitle } from '../../src/dashboard/ui/frame.js'
import { choose } from '../../src/dashboard/ui/page.js'
import { allocationMistake } from '../../src/platform/schema/allocation.js'
import { commandProblem } from '../../src/platform/schema/control-command.js'
import { createSidecar, type ControlCommand, type Sidecar } from '../../src/platform/sidecar.js'

/** A sidecar whose clock moves only by `pass()`. */
function createQuietSidecar(config: Parameters<typeof createSidecar>[0] = {}): {
  sidecar: Sidecar
  pass(ms: number): void
} {
  let now = 1_800_000_000_000
  const sidecar = createSidecar(config, { now: () => now, setTimer: () => () => undefined })
  return { sidecar, pass: (ms) => void (now += ms) }
}

function control(sidecar: Sidecar, ...commands: readonly ControlCommand[]): void {
  for (const command of commands) expect(sidecar.control(command)).toEqual({ ok: true })
}

test('each fault that the panel offers is a valid command', () => {
  for (const [name, command] of Object.entries(faults))
    expect([name, commandProblem(command)]).toEqual([name, undefined])
})

test('active faults are shown in words', () => {
  const { sidecar } = createQuietSidecar()
  control(
    sidecar,
    { type: 'delayCalls', ms: 500, operations: ['ready'], when: 'after' },
    { type: 'delayCalls', ms: 20 },
    { type: 'failCalls', status: 500, operations: ['setLabel'], message: 'so', retryAfter: 3 },
    { type: 'failCalls', drop: true, apply: true, count: 7 },
    { type: 'loseWrites', count: 2 },
    { type: 'ignoreBeats', on: true, count: 4 },
    { type: 'stallWatchers', ms: 60_000 },
    { type: 'padObject', bytes: 100 },
    { type: 'apiServer', away: true, ms: 2500 },
  )
  const { faults, now } = sidecar.snapshot()
  expect(presentFaults(faults, now)).toEqual([
    'delay ready by 500 ms',
    'delay all calls by 20 ms',
    'fail setLabel with 500',
    'cut off the next 7 of all calls',
    'lose the next 2 writes',
    'the next 4 beats ignored',
    'watchers stalled for 1 m 0 s',
    'API server away for 2.5 s',
    'object larger by 100 bytes',
  ])
  sidecar.close()
})
test('the strip of beats tells counted from ignored and failed beats, and has a miss for a period without a beat', async () => {
  const { sidecar, pass } = createQuietSidecar()
  const beat = async (): Promise<number> => {
    const url = 'http://localhost/health'
    await sidecar.handle(new Request(url, { method: 'POST', body: '{}' }))
    const { at } = sidecar.log.entries().at(-1)!
    pass(1000)
    return at
  }
  const early = [await beat(), await beat()]
  const from = sidecar.snapshot().now
  const counted = [await beat()]
  control(sidecar, { type: 'ignoreBeats', on: true })
  const lost = [await beat(), await beat()]
  control(sidecar, { type: 'ignoreBeats', on: false }, { type: 'failCalls', operations: ['health'], count: 1 })
  lost.push(await beat())
  counted.push(await beat())
  pass(30_000)
  control(sidecar, { type: 'clearFaults' })
  const entries = sidecar.log.entries()
  const beats = beatsSince(entries, from)
  expect(beats.counted).toEqual([early[1], ...counted])
  expect(beats.lost).toEqual(lost)
  expect(beats.misses.length).toBeGreaterThan(0)
  expect(beatsSince(entries, from), 'read again at a redraw without a new entry').toBe(beats)
  sidecar.close()
})

test('for a GameServer that has ended, the outlook says when a fresh one replaces it', () => {
  const { sidecar, pass } = createQuietSidecar({ replaceAfter: 12_000 })
  const outlook = (): string | undefined => outlookOf(sidecar.snapshot(), sidecar.snapshot().now)
  expect(outlook()).toBeUndefined()
  control(sidecar, { type: 'setState', state: 'Shutdown' })
  expect(outlook()).toBe('Replaced in 12 s')
  pass(11_500)
  expect(outlook()).toBe('Replaced in 0.5 s')
  sidecar.close()
})

describe('the allocation that the dialog makes', () => {
  const fields = {
    labels: 'mode=dm, map=arena',
    annotations: 'note=a b, c\r\nother={"x":1}',
    'match.labels': 'region=eu',
    'match.state': 'Allocated',
    'match.counters.minAvailable:rooms': '1',
    'counters.action:rooms': 'Increment',
    'counters.amount:rooms': '2',
    'lists.addValues:players': 'alice bob',
    'lists.capacity:players': '20',
    'match.lists.containsValue:players': 'carol',
  }

  test('is a valid GameServerAllocation', () => {
    const allocation = allocationOf(fields, 'agones')
    expect(allocation).toEqual({
      apiVersion: 'allocation.agones.dev/v1',
      kind: 'GameServerAllocation',
      spec: {
        selectors: [
          {
            matchLabels: { region: 'eu' },
            gameServerState: 'Allocated',
            counters: { rooms: { minAvailable: 1 } },
            lists: { players: { containsValue: 'carol' } },
          },
        ],
        counters: { rooms: { action: 'Increment', amount: 2 } },
        lists: { players: { addValues: ['alice', 'bob'], capacity: 20 } },
        metadata: { labels: { mode: 'dm', map: 'arena' }, annotations: { note: 'a b, c', other: '{"x":1}' } },
      },
    })
    expect(allocationMistake(allocation)).toBeUndefined()
  })

  test('is refused for a label without =, which the message names', () => {
    expect(() => allocationOf({ labels: 'mode' }, 'agones')).toThrow(
      'Write key=value, such as mode=dm, instead of "mode"',
    )
  })
})

test('the title changes with the GameServer’s name, even if a fresh one is in the same state', () => {
  choose(route)
  const page = { title: '', querySelector: () => ({ href: '' }) }
  vi.stubGlobal('document', page)
  onTestFinished(() => void vi.unstubAllGlobals())
  const { sidecar } = createQuietSidecar()
  for (const name of ['local', 'local-x7k2p']) {
    const { gameServer, ...rest } = sidecar.snapshot()
    set({ snapshot: { ...rest, gameServer: { ...gameServer, object_meta: { ...gameServer.object_meta, name } } } })
    showTitle()
    expect(page.title).toMatch(new RegExp(`Scheduled · ${name}$`))
  }
  sidecar.close()
})
