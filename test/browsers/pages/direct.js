// A page of another origin than the sidecar's, with nothing in between.
Object.assign(globalThis, {
  /** Every operation, and what came of it. */
  async playDirect(options) {
    const client = createClient(options)
    const states = []
    client.on('state', ({ state }) => states.push(state))
    const {
      object_meta: { name },
    } = await client.connect()
    const shown = ({ outcome, values }) => [outcome, values.join()]

    const outcomes = { health: await client.health(), ready: await client.ready() }
    const { count, capacity } = await client.getCounter('rooms')
    const players = [(await client.getList('players')).values.join()]
    const refused = {}
    for (const [method, ...given] of [
      ['setLabel', 'map', 'hafen'],
      ['setAnnotation', 'motd', 'hello'],
      ['updateCounter', 'rooms', { countDiff: 1 }],
      ['updateList', 'players', { capacity: 5 }],
    ]) {
      const error = await client[method](...given).catch((error) => error)
      refused[method] = [error.code, /gameserver-sidecar serve/.test(error.hint)]
    }
    const added = shown(await client.addListValue('players', 'bob 🎲'))
    const removed = shown(await client.removeListValue('players', 'ann'))
    outcomes.allocate = await client.allocate()
    outcomes.reserve = await client.reserve(30)
    const {
      status: { state },
    } = await client.getGameServer()
    const { direct, transport } = client.status
    const watch = client.watchGameServer()[Symbol.asyncIterator]()
    const { value: watched } = await watch.next()
    await watch.return()
    outcomes.shutdown = await client.shutdown()
    client.close()
    return {
      name,
      direct,
      transport,
      outcomes,
      refused,
      added,
      removed,
      counter: count + '/' + capacity,
      list: players[0],
      read: state,
      watched: watched.status.state,
      states: states.slice(states.indexOf('Ready')),
    }
  },

  /** What the four give that no browser lets through, and what the client asked of the network for that. */
  async tryRefused() {
    const asked = []
    class Asking extends WebSocket {
      constructor(url) {
        super(url)
        asked.push(url)
      }
    }
    const asking = (url, init) => {
      asked.push(url)
      return fetch(url, init)
    }
    const client = createClient({ fetch: asking, WebSocket: Asking })
    await client.connect()
    asked.length = 0
    const codes = await Promise.all(
      [
        client.setLabel('map', 'hafen'),
        client.setAnnotation('motd', 'hello'),
        client.updateCounter('rooms', { countDiff: 1 }),
        client.updateList('players', { capacity: 5 }),
      ].map(codeOrDone),
    )
    return { codes, asked }
  },
})
