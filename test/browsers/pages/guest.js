// The tests call these functions in a page or a worker, after GameServerSidecar was defined there.
Object.assign(globalThis, {
  createClient: (options) => GameServerSidecar.createClient(options),

  codeOf: (error) => (GameServerSidecar.isSidecarError(error) ? error.code : String(error && error.stack)),
  codeOrDone: (promise) => promise.then(() => 'done', codeOf),

  /** In a worker: calls the functions that the page names. */
  serve(configured) {
    const answerAll = (port) => {
      port.onmessage = ({ data: [method, options] }) =>
        configured
          .then(() => globalThis[method](options))
          .then(
            (outcome) => port.postMessage({ outcome }),
            (error) => port.postMessage({ error: codeOf(error) + ' ' + (error && error.stack) }),
          )
    }
    if (typeof SharedWorkerGlobalScope === 'function') onconnect = ({ ports: [port] }) => answerAll(port)
    else answerAll(self)
  },

  play: (options) => allOperations(createClient(options)),

  /** Sends beats with a client that has no timers of the page, so each beat comes by a worker's timer. */
  async beatByWorker(count) {
    const Workers = Worker
    let workers = 0
    globalThis.Worker = class extends Workers {
      constructor(url) {
        super(url)
        workers++
      }
      terminate() {
        workers--
        super.terminate()
      }
    }
    const client = createClient({ scheduler: false, autoHealth: { interval: 500, worker: true } })
    // On a slow machine the first beats may wait for the sidecar's first answer.
    await new Promise((enough) => client.on('health', ({ ok }) => ok && !--count && enough()))
    const running = workers
    client.close()
    return { workers: [running, workers], lastBeat: client.status.lastBeat > 0 }
  },

  /**
   * Shuts the game server down when the gateway stops, but saves the match first. `shutDown` has the signal and the
   * outcome.
   */
  async shutDownAtSignal() {
    const client = createClient()
    const watching = new Promise((resolve) => client.on('connection', ({ transport }) => transport && resolve()))
    client.on('state', () => {})
    await watching
    globalThis.shutDown = client.once('signal').then(async ({ signal }) => {
      await new Promise((saved) => setTimeout(saved, 300))
      return [signal, await client.shutdown()]
    })
  },

  /** Resolves once the client has sent so many beats. */
  untilBeats: (count) => new Promise((resolve) => createClient().on('health', ({ ok }) => ok && !--count && resolve())),

  /** The errors that a client gets which may do nothing. */
  async tryAsStranger(options) {
    const client = createClient({ verifyInterval: 300, ...options })
    const watched = []
    client.on('gameserver', ({ status }) => watched.push(status.state))
    const event = client.once('error')
    const codes = {
      connect: await codeOrDone(client.connect()),
      getGameServer: await codeOrDone(client.getGameServer()),
      getCounter: await codeOrDone(client.getCounter('rooms')),
      shutdown: await codeOrDone(client.shutdown()),
      event: codeOf(await event),
    }
    const { connection } = client.status
    client.close()
    return { codes, watched, connection }
  },
})

// A page of another origin than the sidecar's, with nothing in between.
Object.assign(globalThis, {
  /** Calls every operation, and gives their outcomes. */
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
})

// A page whose client beats by itself. All times are ms since the Unix epoch.
const health = []
let client

Object.assign(globalThis, {
  /** Resolves once the worker sends the beats and `enough` beats were sent, with the beats that failed. */
  async startHeart(autoHealth, options, enough = 3) {
    client = GameServerSidecar.createClient({ ...options, autoHealth })
    client.on('health', ({ ok, at, reason }) => health.push({ ok, at, reason }))
    while (client.status.heartbeat !== 'worker' || health.filter(({ ok }) => ok).length < enough) await rest(20)
    const heard = health.splice(0)
    const first = heard.findIndex(({ ok }) => ok)
    // On a slow machine the sidecar's first answer may take longer than a beat's interval.
    return heard.filter(({ ok, reason }, at) => !ok && (at > first || reason !== 'waiting for the sidecar'))
  },

  /** The same where the page may have no worker. Resolves with the sender of the beats. */
  async startHeartWithoutWorker(autoHealth, enough) {
    client = GameServerSidecar.createClient({ autoHealth })
    await new Promise((resolve) => client.on('health', ({ ok }) => ok && !--enough && resolve()))
    return client.status.heartbeat
  },

  /** Keeps the page's thread busy from a moment later on. Resolves with the times of begin and end. */
  block: (ms) =>
    new Promise((resolve) =>
      setTimeout(() => {
        const from = Date.now()
        while (Date.now() < from + ms);
        resolve({ from, to: Date.now() })
      }, 100),
    ),

  rest: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  heldBack: () => health.filter(({ ok }) => !ok),

  untilHidden: () =>
    new Promise((resolve) => {
      const look = () => document.visibilityState === 'hidden' && resolve(Date.now())
      document.addEventListener('visibilitychange', look)
      look()
    }),

  /** How often a page's own timer of 50 ms fires until `ms` have passed. */
  countTimers: (ms) =>
    new Promise((resolve) => {
      const from = Date.now()
      let count = 0
      const next = () => (Date.now() < from + ms ? setTimeout(next, 50, count++) : resolve(count))
      next()
    }),
})
