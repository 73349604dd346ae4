import { describe, test, type TestContext } from 'vitest'
import { node22, startGame, versions, withSeats, type Game } from './support/colyseus-game.js'

const poll =
  ({ expect }: TestContext) =>
  (look: () => unknown) =>
    expect.poll(look, { interval: 20, timeout: 80_000 })

/** Allocates this GameServer as soon as possible. */
async function allocate(
  context: TestContext,
  game: Game,
  how: { label?: string; annotation?: object; seats?: string[] } = {},
) {
  await poll(context)(() => game.state()).toBe('Ready')
  game.sidecar.control({
    type: 'allocate',
    ...(how.label !== undefined && { labels: { room: how.label } }),
    ...(how.annotation && { annotations: { room: JSON.stringify(how.annotation) } }),
    ...(how.seats && { lists: { players: { addValues: how.seats } } }),
  })
}

/** The kinds of writes. A player who comes before the watch shows the allocation makes the adapter read the list. */
const operationsOf = (game: Game): string[] => [...new Set(game.writes())].filter((one) => one !== 'getList')

const byAllocation = { room: { label: 'room', annotation: 'room' } }

describe.concurrent.each(versions)('Colyseus $version', ({ version, node }) => {
  const play = test.runIf(node)
  const framework = { version, node }

  play('an allocation creates its room in this process, and the session lasts as long as the room', async (context) => {
    const { expect } = context
    const soon = poll(context)
    const game = await startGame(framework, context, { plugin: byAllocation, elsewhere: true })
    await allocate(context, game, { label: 'arena', seats: ['ann'] })
    const { id: room } = await game.told({ room: 'created', name: 'arena' })

    const ann = await game.command('join', { how: 'joinById', room, id: 'ann' })
    const bob = await game.command('join', { how: 'joinById', room, id: 'bob' })
    expect(game.seats()).toEqual(['ann', 'bob'])
    expect(operationsOf(game)).toEqual(['ready', 'addListValue'])

    expect(await game.command('join', { how: 'joinById', room, id: 'cyd' })).toMatchObject({
      refused: { code: 503, message: 'No seat on this server: OUT_OF_RANGE' },
    })
    expect(game.seats()).toEqual(['ann', 'bob'])

    await game.command('leave', { seat: bob['joined'] })
    await soon(() => game.seats()).toEqual(['ann'])
    // The game gets no event of a player without a seat.
    expect(game.lines.filter((line) => 'game' in line)).toEqual([
      { game: 'joined', player: 'ann' },
      { game: 'joined', player: 'bob' },
      { game: 'left' },
    ])
    await game.command('leave', { seat: ann['joined'] })
    await game.told({ session: 'ended' })
    await soon(() => game.state()).toBe('Ready')
    await soon(() => game.seats()).toEqual([])

    // Setting the same label again changes nothing in the object.
    const before = game.lines.length
    await allocate(context, game, { label: 'arena' })
    const second = await game.told({ room: 'created', name: 'arena' }, before)
    await game.command('dispose', { room: second['id'] })
    await game.told({ session: 'ended' }, before)
    await allocate(context, game, { annotation: { name: 'lobby', options: { map: 'dust' } } })
    expect(await game.told({ room: 'created', name: 'lobby' })).toMatchObject({ options: { map: 'dust' } })
  })

  play(
    'a room that players created before the watch showed the allocation is adopted by its session',
    async (context) => {
      const { expect } = context
      const soon = poll(context)
      const game = await startGame(framework, context, { plugin: byAllocation })
      await soon(() => game.state()).toBe('Ready')
      const ann = await game.command('join', { id: 'ann' })
      await allocate(context, game, { label: 'arena' })
      await game.told({ session: 'started' })
      const bob = await game.command('join', { id: 'bob', how: 'join' })
      expect(bob['in']).toBe(ann['in'])
      expect(game.lines.filter(({ room }) => room === 'created')).toHaveLength(1)
      await game.command('leave', { seat: ann['joined'] })
      expect(game.state()).toBe('Allocated')
      await game.command('leave', { seat: bob['joined'] })
      await game.told({ session: 'ended' })
      await soon(() => game.state()).toBe('Ready')
    },
  )

  play('SIGTERM closes the rooms, and the process exits after shutdown()', async (context) => {
    const { expect } = context
    const soon = poll(context)
    const game = await startGame(framework, context, { when: 'after' })
    // An allocation that requests no room adopts the one that players create.
    await allocate(context, game)
    await game.told({ session: 'started' })
    expect(await game.command('join', { id: 'ann', fail: true, late: true })).toHaveProperty('refused')
    await game.told({ room: 'disposed' })
    expect(await game.command('status')).toMatchObject({ sessions: 1 })
    const bob = await game.command('join', { id: 'bob' })
    await game.command('leave', { seat: bob['joined'] })
    await game.told({ session: 'ended' })
    await soon(() => game.state()).toBe('Ready')

    await game.command('join', { id: 'ann' })
    game.kill('SIGTERM')
    expect(await game.exit).toBe(0)
    const told = game.lines.map(({ room, server }) => room ?? server).filter(Boolean)
    expect(told.slice(-3)).toEqual(['created', 'disposed', 'shut down'])
    expect(operationsOf(game)).toEqual(['ready', 'addListValue', 'removeListValue', 'shutdown'])
  })

  play('strangers who only ask for places take none from promised players', async (context) => {
    const { expect } = context
    const game = await startGame(framework, context, { plugin: byAllocation })
    const annotation = { name: 'arena', options: { maxClients: 2 } }
    await allocate(context, game, { annotation, seats: ['ann', 'bob'] })
    const { id: room } = await game.told({ room: 'created', name: 'arena' })
    const refused = { reserved: { code: 503, error: 'No seat on this server: OUT_OF_RANGE' } }
    expect(await game.command('reserve', { id: 'eve' })).toMatchObject(refused)
    expect(await game.command('reserve', { id: 'mal', method: 'joinById', room })).toMatchObject(refused)
    for (const id of ['ann', 'bob']) expect(await game.command('join', { id })).toMatchObject({ in: room })
    expect(game.lines.filter((line) => line['room'] === 'created')).toHaveLength(1)
  })

  play('a promised player is led to the room of the session, though another room has places', async (context) => {
    const { expect } = context
    const game = await startGame(framework, context, { plugin: { ...byAllocation, ofId: true } }, withSeats(3))
    await poll(context)(() => game.state()).toBe('Ready')
    const eve = await game.command('join', { room: 'ranked', id: 'eve' })
    const annotation = { name: 'ranked', options: { map: 'dust' } }
    await allocate(context, game, { annotation, seats: ['auth-ann'] })
    await game.told({ session: 'started' })
    const ann = await game.command('join', { room: 'ranked', id: 'ann' })
    const rooms = game.lines.filter((line) => line['room'] === 'created').map(({ id }) => id)
    expect([eve['in'], ann['in']]).toEqual(rooms)
  })

  play('with sessionRoomsOnly, players come only into the rooms of sessions', async (context) => {
    const { expect } = context
    const game = await startGame(framework, context, { plugin: { ...byAllocation, sessionRoomsOnly: true } })
    await poll(context)(() => game.state()).toBe('Ready')
    expect(await game.command('join', { id: 'eve', how: 'create' })).toMatchObject({
      refused: { code: 503, message: 'No seat on this server: UNAVAILABLE' },
    })
    // A player may come before the watch shows the allocation.
    const early = game.command('join', { id: 'ann' })
    await allocate(context, game, { label: 'arena' })
    const { id: room } = await game.told({ room: 'created' })
    expect(await early).toMatchObject({ in: room })
    expect(await game.command('join', { id: 'bob', how: 'create' })).toMatchObject({ in: room })
  })

  play('a deleted GameServer closes its rooms, calls shutdown() and lets the process exit', async (context) => {
    const { expect } = context
    const soon = poll(context)
    const game = await startGame(framework, context, { when: 'during' })
    await soon(() => game.state()).toBe('Ready')
    await game.command('join', { id: 'ann' })
    game.sidecar.control({ type: 'delete' })
    await game.told({ ending: 'deleted' })
    await game.told({ server: 'shut down' })
    await soon(() => game.writes().at(-1)).toBe('shutdown')
    expect(game.lines.findIndex(({ ending }) => ending)).toBeLessThan(
      game.lines.findIndex(({ room }) => room === 'disposed'),
    )
    // The kubelet now sends this signal.
    game.kill('SIGTERM')
    expect(await game.exit).toBe(0)
  })

  play(
    'a process restarted within an allocation continues it, and a room that ignores the shutdown doesn’t block the end',
    async (context) => {
      const { expect } = context
      const options = {
        plugin: { ...byAllocation, client: { processSignals: { timeout: 4000 } } },
        server: { gracefullyShutdown: false },
        stay: true,
      }
      const game = await startGame(framework, context, options, withSeats(2), (sidecar) => {
        sidecar.control({ type: 'setState', state: 'Ready' })
        sidecar.control({ type: 'allocate', labels: { room: 'arena' } })
      })
      await game.told({ room: 'created', name: 'arena' })
      await game.command('join', { id: 'ann', how: 'join' })
      expect(game.state()).toBe('Allocated')
      expect(game.writes()).not.toContain('ready')
      game.kill('SIGTERM')
      await game.exit
      expect(game.writes()).toContain('shutdown')
      expect(game.lines).not.toContainEqual({ server: 'shut down' })
    },
  )

  play('a room that can’t be created ends its session, and the error is reported', async (context) => {
    const { expect } = context
    const soon = poll(context)
    const game = await startGame(framework, context, { plugin: { ...byAllocation, players: false } })
    const cases: [Parameters<typeof allocate>[2], RegExp][] = [
      [{ label: 'aren' }, /"aren" not defined/],
      [{ annotation: { name: 'arena', options: { fail: true } } }, /No such map/],
    ]
    for (const [how, message] of cases) {
      const before = game.lines.length
      await allocate(context, game, how)
      const error = await game.told({ session: 'error' }, before)
      expect(error['message']).toMatch(message)
      await game.told({ session: 'ended' }, before)
      await soon(() => game.state()).toBe('Ready')
    }
    // Seats aren't counted.
    expect(game.writes().filter((name) => name !== 'ready')).toEqual([])
  })

  // Reconnections need Node's own WebSocket, which Node 20 lacks.
  test.runIf(node && node22)('a player keeps one seat while in any room or able to reconnect', async (context) => {
    const { expect } = context
    const soon = poll(context)
    const game = await startGame({ version, node: node22 }, context, {
      when: 'first',
      plugin: { players: {}, ofId: true },
    })
    await soon(() => game.state()).toBe('Ready')

    // A player in two rooms, identified by onAuth.
    const ranked = await game.command('join', { room: 'ranked', id: 'ann' })
    const again = await game.command('join', { room: 'ranked', how: 'create', id: 'ann' })
    expect(game.seats()).toEqual(['auth-ann'])
    await game.command('leave', { seat: again['joined'] })
    expect((await game.command('status'))['seats']).toEqual(['auth-ann'])
    await game.command('leave', { seat: ranked['joined'] })
    await soon(() => game.seats()).toEqual([])

    // A join that fails or is given up, and a join without a seat.
    expect(await game.command('join', { id: 'bob', fail: true, how: 'joinOrCreate', late: true })).toHaveProperty(
      'refused',
    )
    await soon(() => game.seats()).toEqual([])
    const early = game.command('join', { id: 'cyd', slow: 300 })
    await soon(() => game.seats()).toEqual(['cyd'])
    await game.command('dispose', { room: [...game.lines].reverse().find(({ room }) => room === 'created')!['id'] })
    await early
    await soon(() => game.seats()).toEqual([])
    expect(await game.command('join', { id: 'dan', spectator: true })).toHaveProperty('joined')
    expect(game.seats()).toEqual([])

    // A player whose connection breaks and who reconnects.
    await game.command('awaitBack')
    const eve = await game.command('join', { id: 'eve' })
    const dropped = game.lines.length
    await game.command('drop', { seat: eve['joined'] })
    await game.told({ game: 'left' }, dropped)
    expect((await game.command('status'))['seats']).toEqual(['eve'])
    const back = await game.command('back', { seat: eve['joined'] })
    await game.command('leave', { seat: back['back'] })
    await soon(() => game.seats()).toEqual([])
  })
})
