// What the tests call in a page, or in a worker, where GameServerSidecar is set by then.
Object.assign(globalThis, {
  createClient: (options) => GameServerSidecar.createClient(options),

  codeOf: (error) => (GameServerSidecar.isSidecarError(error) ? error.code : String(error && error.stack)),
  codeOrDone: (promise) => promise.then(() => 'done', codeOf),

  /** In a worker: does what the page asks for. */
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

  /** What the events told while a game set things; the page stays open with its client closed. */
  async followEvents(options) {
    const client = createClient({ verifyInterval: 0, ...options })
    const next = (type, test) => new Promise((resolve) => client.on(type, (event) => test(event) && resolve(event)))
    const label = next('label', ({ key }) => key === 'map')
    const watching = next('connection', ({ transport }) => transport)
    const counter = next('counter', ({ count }) => count === 3)
    const states = []
    client.on('state', ({ state }) => states.push(state))

    await client.connect()
    await watching
    const outcome = await client.ready()
    await client.waitFor('Ready')
    await client.setLabel('map', 'hafen', { confirm: true })
    await client.updateCounter('rooms', { countDiff: 2 })
    const { transport, direct } = client.status
    const told = { label: (await label).value, counter: (await counter).count }
    client.close()
    return { states, outcome, told, transport, direct, connection: client.status.connection }
  },

  /** Beats without a timer of the page's own: only a worker's clock can be what it beats by. */
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
    const beats = []
    await new Promise((enough) => client.on('health', ({ ok }) => beats.push(ok) === count && enough()))
    const running = workers
    client.close()
    return { beats, workers: [running, workers], lastBeat: client.status.lastBeat > 0 }
  },

  /** Follows a watch until the gateway says that it stops; `signalled` holds what it said. */
  async listenForSignal(options) {
    const client = createClient(options)
    const watching = new Promise((resolve) => client.on('connection', ({ transport }) => transport && resolve()))
    const signals = []
    globalThis.signalled = client.once('signal').then(() => signals)
    client.on('signal', ({ signal }) => signals.push(signal))
    client.on('state', () => {})
    await watching
  },

  /** Shuts the game server down when the gateway stops, but saves the match first, which takes its time. */
  async shutDownAtSignal(options) {
    const client = createClient(options)
    const watching = new Promise((resolve) => client.on('connection', ({ transport }) => transport && resolve()))
    client.on('state', () => {})
    await watching
    globalThis.shutDown = client
      .once('signal')
      .then(() => new Promise((resolve) => setTimeout(resolve, 2000)))
      .then(() => client.shutdown())
  },

  /** Whether the first beats went well. */
  firstBeats: (count) =>
    new Promise((resolve) => {
      const beats = []
      const client = createClient()
      client.on('health', ({ ok }) => {
        if (beats.push(ok) === count) resolve(beats)
      })
    }),

  /** What a page is told that may do nothing. */
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
