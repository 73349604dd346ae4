/**
 * A Colyseus server and its players in one process: `node colyseus-game.mjs <folder of packages> <options as JSON>`.
 * Each line of stdin is a command, as JSON; each line of stdout is a result or an event of a room.
 */
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { sidecarPlugin } from 'gameserver-sidecar/colyseus'

const [folder, json] = process.argv.slice(2)
const { when = 'before', plugin = {}, port = 0, server: serverOptions = {}, stay, elsewhere } = JSON.parse(json)
const packages = createRequire(`${folder}/package.json`)
/** As an `import` finds it. */
const load = (name) => import(pathToFileURL(packages.resolve(name).replace(/\.c?js$/, '.mjs')).href)

const { Server, Room, matchMaker } = await load('@colyseus/core')
const { WebSocketTransport } = await load('@colyseus/ws-transport')
const { Client } = await load('@colyseus/sdk')

const say = (line) => process.stdout.write(JSON.stringify(line) + '\n')
const rooms = new Map()

class Arena extends Room {
  async onCreate(options) {
    if (options.fail && !options.late) throw new Error('No such map')
    this.onMessage('*', () => {})
    rooms.set(this.roomId, this)
    if (options.maxClients) this.maxClients = options.maxClients
    say({ room: 'created', id: this.roomId, name: this.roomName, options })
  }
  async onJoin(client, options) {
    if (options.fail) throw new Error('Not today')
    if (options.slow) await new Promise((resolve) => setTimeout(resolve, options.slow))
    say({ game: 'joined', player: options.playerId })
  }
  async onLeave(client, consented) {
    say({ game: 'left' })
    if (this.awaitBack && consented !== true && consented !== 4000) await this.allowReconnection(client, 20)
  }
  async onDispose() {
    rooms.delete(this.roomId)
    say({ room: 'disposed', id: this.roomId })
  }
  onBeforeShutdown() {
    if (!stay) super.onBeforeShutdown()
  }
}
class Ranked extends Arena {
  static async onAuth(_token, options) {
    return { id: `auth-${options.playerId}` }
  }
}
class Lobby extends Arena {}

const transport = new WebSocketTransport({ pingInterval: 0 })
const server = new Server({
  transport,
  greet: false,
  ...(elsewhere && { selectProcessIdToCreateRoom: async () => 'elsewhere' }),
  ...serverOptions,
})
server.onShutdown(() => say({ server: 'shut down' }))

let game
function attach() {
  const { ofId, ...given } = plugin
  game = sidecarPlugin(server, {
    matchMaker,
    onEnding: ({ reason }) => say({ ending: reason }),
    ...(ofId && { idOf: ({ auth }, { playerId, spectator }) => (spectator ? null : (auth?.id ?? playerId)) }),
    ...given,
  })
  game.sessions.on('started', () => say({ session: 'started' }))
  game.sessions.on('ended', () => say({ session: 'ended' }))
  game.sessions.on('error', ({ code, cause }) => say({ session: 'error', code, message: cause?.message }))
}

const define = () => {
  server.define('arena', Arena)
  server.define('ranked', Ranked)
  server.define('lobby', Lobby)
}
const listen = async () => {
  await server.listen(port, '127.0.0.1')
  say({ listening: transport.server.address().port })
}

if (when === 'first') attach()
define()
if (when === 'before') attach()
const listened = listen()
if (when === 'during') attach()
await listened
if (when === 'after') attach()

const seats = []
const client = () => new Client(`ws://127.0.0.1:${transport.server.address().port}`)
async function askFor({ room = 'arena', id, method = 'joinOrCreate' }) {
  const asked = await fetch(`http://127.0.0.1:${transport.server.address().port}/matchmake/${method}/${room}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ playerId: id }),
  })
  return asked.json()
}
const commands = {
  async join({ how = 'joinOrCreate', room = 'arena', id, ...options }) {
    try {
      const seat = await client()[how](room, { playerId: id, ...options })
      seat.onMessage('*', () => {})
      seat.onLeave((code) => say({ player: id, closed: code }))
      return { joined: seats.push(seat) - 1, in: seat.roomId }
    } catch ({ code, message }) {
      return { refused: { code, message } }
    }
  },
  /** Reserves a place for a player who never comes. */
  async reserve(request) {
    return { reserved: await askFor(request) }
  },
  /** The matchmaker asks for the seat, and the page takes it by the edge, which lets only WebSockets pass. */
  async joinThrough({ edge, id }) {
    const reservation = await askFor({ id })
    // The certificate of a test's edge is its own authority.
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    const page = new Client(`${edge}/127.0.0.1/${transport.server.address().port}`)
    return { joined: seats.push(await page.consumeSeatReservation(reservation)) - 1 }
  },
  async leave({ seat, consented = true }) {
    await seats[seat].leave(consented)
    return { left: seat }
  },
  drop({ seat }) {
    const { connection, reconnection } = seats[seat]
    reconnection.enabled = false
    const { transport } = connection
    ;(transport.ws._socket ?? transport.ws).destroy?.() ?? transport.ws.close(4009)
    return { dropped: seat }
  },
  async back({ seat }) {
    const again = await client().reconnect(seats[seat].reconnectionToken)
    again.onMessage('*', () => {})
    return { back: seats.push(again) - 1 }
  },
  awaitBack() {
    for (const room of rooms.values()) room.awaitBack = true
    return { awaiting: true }
  },
  dispose({ room }) {
    void rooms.get(room).disconnect()
    return { disposing: room }
  },
  status: () => ({
    seats: game.players?.ids,
    sessions: game.sessions.active.length,
  }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...options } = JSON.parse(line)
  void (async () => say({ answer: command, ...(await commands[command](options)) }))()
}
