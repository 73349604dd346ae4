import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { WebSocket, type ClientOptions } from 'ws'
import { listenHere } from '../../support/listen.js'
import { dial } from '../../support/wire.js'
import { Connections } from '../../../src/host/page-script/connections.js'
import type { PageWindow } from '../../../src/host/page-script/page.js'
import type { PlayerSocket } from '../../../src/host/page-script/player-socket.js'
import { resolveHostOptions, type HostOptions } from '../../../src/host/host-options.js'
import { openPlayersPort, type PlayersPort, type PlayersPortOptions } from '../../../src/host/players/players-port.js'
import type { PlayerChange } from '../../../src/host/players/player.js'
import type { WebSocketLike } from '../../../src/host/wire/sockets.js'

/** The public listener, and a loopback server that hands the page's upgrades on, as the host's gateway does. */
export interface Stage {
  readonly players: PlayersPort
  readonly changes: PlayerChange[]
  readonly lines: string[]
  readonly faults: unknown[]
  /** Host and port of the loopback server. */
  readonly inside: string
  /** The page's ends of its sockets to the host. */
  readonly pageSockets: Set<Socket>
}

/** A host's options about players, and further options of the port. */
type Besides = Pick<
  PlayersPortOptions,
  'channelAddress' | 'maxBuffered' | 'maxBufferedTotal' | 'probeInterval' | 'mayStartAgain'
>
export type StageOptions = Partial<Omit<HostOptions, 'dir'> & Besides>

export async function startPlayers(options: StageOptions = {}): Promise<Stage> {
  const changes: PlayerChange[] = []
  const lines: string[] = []
  const faults: unknown[] = []
  const { channelAddress, maxBuffered, maxBufferedTotal, probeInterval, mayStartAgain = () => true, ...given } = options
  const players = await openPlayersPort({
    settings: resolveHostOptions({ dir: '.', local: true, playersPort: 0, ...given }),
    ...{ channelAddress, maxBuffered, maxBufferedTotal, probeInterval, mayStartAgain },
    onPlayer: (change) => void changes.push(change),
    onLog: (line) => void lines.push(line),
    onFault: (error) => void faults.push(error),
  })
  const pageSockets = new Set<Socket>()
  const inside = createServer()
  inside.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) => {
    pageSockets.add(socket)
    socket.once('close', () => pageSockets.delete(socket))
    socket.on('error', () => undefined)
    players.acceptPage(message, socket, head)
  })
  const port = await listenHere(inside)
  onTestFinished(() => players.close())
  return { players, changes, lines, faults, inside: `127.0.0.1:${port}`, pageSockets }
}

/** The same with a page. */
export async function startWithPage(options: StageOptions = {}): Promise<Stage & { readonly page: PageOnNode }> {
  const stage = await startPlayers(options)
  return { ...stage, page: await openPageOnNode(stage) }
}

/** The same with a game that answers each message with the same message. */
export async function startEcho(options: StageOptions = {}): Promise<Stage & { readonly page: PageOnNode }> {
  const stage = await startWithPage(options)
  echo(stage.page)
  return stage
}

/** The page's end of the relay, run in Node with `ws` in place of a browser's WebSocket. */
export interface PageOnNode {
  readonly connections: Connections
  /** The errors that were given to `reportError`. */
  readonly reported: unknown[]
  /** Its sockets to the host, the last one last. */
  readonly sockets: WebSocket[]
}

/** Node 20 has none. */
class CloseEventOnNode extends Event {
  readonly code: number
  readonly reason: string
  readonly wasClean: boolean

  constructor(type: string, { code, reason, wasClean }: { code: number; reason: string; wasClean: boolean }) {
    super(type)
    this.code = code
    this.reason = reason
    this.wasClean = wasClean
  }
}

export async function openPageOnNode(stage: Stage): Promise<PageOnNode> {
  const reported: unknown[] = []
  const sockets: WebSocket[] = []
  let isOver = false
  const timers = new Set<NodeJS.Timeout>()
  class PageWebSocket extends WebSocket {
    constructor(url: string) {
      super(url, { perMessageDeflate: false })
      this.on('error', () => undefined)
      sockets.push(this)
    }
  }
  const page = {
    location: { host: stage.inside },
    WebSocket: PageWebSocket as unknown as new (url: string) => WebSocketLike,
    Blob,
    CloseEvent: CloseEventOnNode,
    DOMException,
    Event,
    MessageEvent,
    queueMicrotask,
    setTimeout: (callback: () => void, ms: number) => {
      if (!isOver) timers.add(setTimeout(callback, ms))
    },
    reportError: (error: unknown) => void reported.push(error),
  } as unknown as PageWindow
  const connections = new Connections(page, stage.players.pagePath)
  onTestFinished(() => {
    isOver = true
    timers.forEach(clearTimeout)
    for (const socket of sockets) socket.terminate()
  })
  await once(sockets[0]!, 'open')
  return { connections, reported, sockets }
}

/** Where players connect. */
export interface Joinable {
  readonly players: Pick<PlayersPort, 'url'>
}

/** A game that answers each message with the same message. */
export function echo({ connections }: PageOnNode): void {
  connections.onconnection = (socket: PlayerSocket) => {
    socket.onmessage = ({ data }) => socket.send(data as string | ArrayBuffer)
  }
}

/** The messages that a game gets, which answers none. */
export function collect({ connections }: PageOnNode): unknown[] {
  const got: unknown[] = []
  connections.onconnection = (socket: PlayerSocket) => {
    socket.onmessage = ({ data }) => void got.push(data)
  }
  return got
}

/** A player and its received messages. */
export interface Client {
  readonly socket: WebSocket
  readonly messages: (string | Buffer)[]
  /** Resolves with the close code and reason. */
  readonly closed: Promise<[code: number, reason: string]>
  /** Resolves with the message of this number, the first being 0. */
  message(index: number): Promise<string | Buffer>
}

export async function joinPlayers(
  { players }: Joinable,
  path = '/',
  options: ClientOptions & { protocols?: string[] } = {},
): Promise<Client> {
  const client = dialPlayers({ players }, path, options)
  await once(client.socket, 'open')
  return client
}

/** Like `joinPlayers`, without waiting until the connection is open. */
export function dialPlayers(
  { players }: Joinable,
  path = '/',
  { protocols = [], ...options }: ClientOptions & { protocols?: string[] } = {},
): Client {
  const socket = new WebSocket(`${players.url}${path}`, protocols, { perMessageDeflate: false, ...options })
  const messages: (string | Buffer)[] = []
  const waits = new Map<number, () => void>()
  socket.on('error', () => undefined)
  socket.on('message', (data: Buffer, isBinary) => {
    messages.push(isBinary ? data : data.toString())
    waits.get(messages.length - 1)?.()
  })
  onTestFinished(() => socket.terminate())
  const closed = new Promise<[number, string]>((resolve) =>
    socket.once('close', (code: number, reason: Buffer) => resolve([code, reason.toString()])),
  )
  const message = async (index: number): Promise<string | Buffer> => {
    if (messages.length <= index) await new Promise<void>((resolve) => waits.set(index, resolve))
    return messages[index]!
  }
  return { socket, messages, closed, message }
}

/** Resolves with the next socket that the page gets. */
export const nextConnection = ({ connections }: PageOnNode): Promise<PlayerSocket> =>
  new Promise((resolve) => {
    connections.onconnection = resolve
  })

/** A player who has come to a page, and the player's socket in it. */
export async function pair(options: StageOptions = {}, path = '/') {
  const { page, ...stage } = await startWithPage(options)
  const connection = nextConnection(page)
  const player = await joinPlayers(stage, path)
  return { stage, page, player, socket: await connection }
}

/** Expects that the match goes on: a new player gets an answer. */
export async function expectPlaying(stage: Stage): Promise<void> {
  const player = await joinPlayers(stage)
  player.socket.send('on')
  expect(await player.message(0)).toBe('on')
  expect(stage.faults).toEqual([])
}

/** The bytes that open a player's WebSocket. */
export const HANDSHAKE =
  'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n'

/** A player's connection whose bytes the test writes, after the handshake. */
export async function joinByWire({ players }: Joinable & { readonly players: { readonly port: number } }) {
  const wire = await dial(players.port, HANDSHAKE)
  await wire.saw(/\r\n\r\n/)
  return wire
}
