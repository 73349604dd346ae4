import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { connect, type ConnectOptions, type PlayerConnection } from '../../../src/host/player.js'
import { startWithPage, type Joinable, type StageOptions } from '../players/players-support.js'
import type { Reachable } from '../../../src/host/players/webrtc/advertised-address.js'
import { PeerOnNode } from './peer-on-node.js'
import { until } from '../../support/until.js'

/** A host with data channels, and a page. */
export function startChannels(options: StageOptions = {}, reachable?: Reachable) {
  return startWithPage({ channelAddress: () => Promise.resolve(reachable), ...options })
}

/** A player's end of a WebSocket that records its traffic. */
class NotedWebSocket extends WebSocket {
  static last: NotedWebSocket | undefined
  readonly sent: unknown[] = []
  readonly came: unknown[] = []

  constructor(url: string, protocols?: string[]) {
    super(url, protocols, { perMessageDeflate: false })
    NotedWebSocket.last = this
    this.on('message', (data: Buffer, isBinary) => this.came.push(isBinary ? data : data.toString()))
  }

  override send(data: never): void {
    this.sent.push(data)
    super.send(data)
  }
}

export interface ChannelPlayer {
  readonly connection: PlayerConnection
  readonly messages: (string | ArrayBuffer)[]
  /** The messages that went over the WebSocket. */
  readonly socket: NotedWebSocket
  /** `transport` after each change. */
  readonly transports: string[]
}

/** A player, whose WebSocket is open. */
export async function joinWithChannel({ players }: Joinable, options: ConnectOptions = {}): Promise<ChannelPlayer> {
  const connection = connect(`${players.url}/?name=Ada`, {
    unreliable: true,
    WebSocket: NotedWebSocket,
    RTCPeerConnection: PeerOnNode,
    ...options,
  })
  const socket = NotedWebSocket.last!
  onTestFinished(() => {
    connection.close()
    for (const peer of PeerOnNode.all.splice(0)) peer.close()
  })
  const messages: (string | ArrayBuffer)[] = []
  const transports: string[] = []
  connection.addEventListener('message', ({ data }) => messages.push(data))
  connection.addEventListener('transport', () => transports.push(connection.transport))
  await new Promise<void>((resolve) => {
    connection.onopen = () => resolve()
  })
  return { connection, messages, socket, transports }
}

/** Resolves when the player's channel is up and the host knows. */
export async function channelUp({ connection, socket }: ChannelPlayer): Promise<void> {
  await until(() => {
    if (connection.transport !== 'webrtc') throw new Error('There is no channel')
  })
  // The host answers pings in order, so its pong proves that it has read all earlier messages.
  await new Promise<void>((resolve) => {
    socket.once('pong', () => resolve())
    socket.ping()
  })
}

/** Returns a signal of the host from the messages of a player's WebSocket. */
export const signalsOf = ({ socket }: ChannelPlayer): Record<string, unknown>[] =>
  socket.came
    .filter((text): text is string => typeof text === 'string' && text.startsWith('\0{'))
    .map((text) => JSON.parse(text.slice(1)) as Record<string, unknown>)

/** The game's messages among those of the WebSocket. */
export const overSocket = ({ socket }: ChannelPlayer): unknown[] =>
  socket.came.filter((data) => typeof data !== 'string' || !data.startsWith('\0{'))
