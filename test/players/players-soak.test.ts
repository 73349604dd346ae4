import { expect, onTestFinished, test } from 'vitest'
import { createClient, type SidecarError } from '../../src/index.js'
import { createMock } from '../../src/mock/index.js'
import { trackPlayers, type Players } from '../../src/players/index.js'

/** Numbers that look like chance and are the same each time. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * sides)
  }
}

const ROOM = 16
const IDS = Array.from({ length: 64 }, (_, index) => `p${index}`)

/** `SEEDS=100` tries more of them; `soak.slow.test.ts` goes on for longer. */
const SEEDS = Number(process.env['SEEDS'] ?? 1)

test.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
  'list, counter and game agree after joins and leaves beside allocations and faults, and nothing was over capacity (seed %i, in virtual time)',
  async (seed) => {
    const roll = dice(seed * 7919)
    const status = {
      state: 'Ready',
      lists: { players: { capacity: ROOM, values: [] } },
      counters: { seated: { count: 0, capacity: ROOM } },
    }
    const mock = createMock({
      gameServer: { spec: { health: { disabled: true }, lists: status.lists, counters: status.counters }, status },
      seed,
    })
    onTestFinished(() => mock.close())
    const client = createClient(mock.options)
    onTestFinished(() => client.close())
    const problems: string[] = []
    // Before the tracker sees the object.
    client.on('gameserver', ({ status: { lists } }) => {
      const { values, capacity } = lists!['players']!
      if (values!.length > Number(capacity)) problems.push(`${values!.length} in the list`)
      if (new Set(values).size !== values!.length) problems.push('a value twice')
      for (const id of players.ids) if (!values!.includes(id)) problems.push(`${id} has lost the seat`)
    })
    const players: Players = trackPlayers(client, { list: 'players', counter: 'seated', noShow: 5000 })
    players.on('error', (error) => problems.push(error.message))
    const promised = new Set<string>()
    players.on('expected', ({ id }) => promised.add(id))
    for (const type of ['joined', 'noshow'] as const) players.on(type, ({ id }) => promised.delete(id))
    const look = (): void => {
      if (players.ids.length + players.expected.length > ROOM) problems.push(`${players.ids.length} are here`)
      for (const id of promised) if (!players.expected.includes(id)) problems.push(`${id} has lost the promise`)
    }
    players.on('joined', look)
    let joined = 0
    const refused = new Set<unknown>()
    await mock.advance(1000)

    const until = mock.now + 120_000
    while (mock.now < until) {
      const id = IDS[roll(IDS.length)]!
      if (roll(2)) {
        players.join(id).then(
          () => joined++,
          (error: unknown) => refused.add((error as SidecarError).code),
        )
      } else void players.leave(id)
      const event = roll(100)
      if (event < 6)
        try {
          mock.allocate({ lists: { players: { addValues: [IDS[roll(IDS.length)]!] } } })
        } catch {
          // Refused while the API server is away.
        }
      else if (event === 10) mock.restart({ downMs: roll(1500) })
      else if (event === 11) mock.control({ type: 'loseWrites', count: 1 + roll(3) })
      else if (event === 12) mock.control({ type: 'failCalls', drop: true, apply: roll(2) === 1, count: 1 + roll(3) })
      else if (event === 13) mock.control({ type: 'delayCalls', ms: 3000 })
      else if (event === 14 || event === 15) mock.control({ type: 'clearFaults' })
      else if (event === 16) mock.control({ type: 'apiServer', away: true, ms: 4000 })
      else if (event === 17) mock.dropWatch()
      await mock.advance(roll(120))
      look()
    }
    mock.control({ type: 'clearFaults' })
    mock.control({ type: 'apiServer', away: false })
    await mock.advance(20_000)
    const { lists, counters } = mock.gameServer.status
    const values = [...lists!['players']!.values!].sort()
    expect(problems).toEqual([])
    expect(joined).toBeGreaterThan(50)
    expect([...refused].sort()).toEqual(['ABORTED', 'ALREADY_EXISTS', 'OUT_OF_RANGE'])
    expect(values).toEqual([...players.ids].sort())
    expect(players.expected).toEqual([])
    expect(Number(counters!['seated']!.count)).toBe(players.ids.length)
  },
)
