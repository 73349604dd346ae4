import { edgeUrl, type EdgeTarget } from '../../protocol/edge-url.js'
import {
  PLAIN,
  readText,
  STALE_BYTES,
  STATES,
  WITH_CHANNEL,
  writeSignal,
  writeText,
  type HostSignal,
  type WebSocketLike,
} from '../wire/sockets.js'
import { globals, type Data, type PeerConnectionClass, type WebSocketClass } from './browser.js'
import { openChannel, type Channel } from './channel.js'

export interface ConnectOptions {
  /** Opens a data channel for `sendUnreliable()`, where the host and the player's network allow one. Default false. */
  unreliable?: boolean
  /** Timeout in ms of an attempt to open the data channel. Default 10,000. */
  timeout?: number
  /** A class in place of the global WebSocket, such as that of `ws` in Node 20. */
  WebSocket?: unknown
  /** A class in place of the global RTCPeerConnection. */
  RTCPeerConnection?: unknown
}

export interface PlayerEvents {
  open: { readonly type: 'open'; readonly target: PlayerConnection }
  /** Bytes come as an ArrayBuffer. */
  message: { readonly type: 'message'; readonly target: PlayerConnection; readonly data: string | ArrayBuffer }
  close: {
    readonly type: 'close'
    readonly target: PlayerConnection
    readonly code: number
    readonly reason: string
    readonly wasClean: boolean
  }
  error: { readonly type: 'error'; readonly target: PlayerConnection }
  /** `transport` has changed. */
  transport: { readonly type: 'transport'; readonly target: PlayerConnection }
}

type EventListener<Type extends keyof PlayerEvents> = (event: PlayerEvents[Type]) => void

/** A player's connection. It has the shape of a WebSocket, and a second way to send. */
export interface PlayerConnection {
  readonly CONNECTING: 0
  readonly OPEN: 1
  readonly CLOSING: 2
  readonly CLOSED: 3
  readonly url: string
  readonly readyState: number
  /** Bytes that wait to be sent, both ways together. */
  readonly bufferedAmount: number
  /** Settable like that of a WebSocket, but only to this value. */
  binaryType: 'arraybuffer'
  /** `webrtc` while unreliable messages go over a data channel. It may change at any time. */
  readonly transport: 'websocket' | 'webrtc'
  onopen: EventListener<'open'> | null
  onmessage: EventListener<'message'> | null
  onclose: EventListener<'close'> | null
  onerror: EventListener<'error'> | null
  ontransport: EventListener<'transport'> | null
  addEventListener<Type extends keyof PlayerEvents>(type: Type, listener: EventListener<Type>): void
  removeEventListener<Type extends keyof PlayerEvents>(type: Type, listener: EventListener<Type>): void
  /** Sends a message that arrives, in order. */
  send(data: Data): void
  /**
   * Sends a message that may be lost or come out of order, but never twice, and that never delays other messages. Uses
   * the data channel, or the WebSocket while the channel is down. Drops the message while over 64 KiB wait to be sent.
   */
  sendUnreliable(data: Data): void
  close(code?: number, reason?: string): void
}

const OPTIONS = ['unreliable', 'timeout', 'WebSocket', 'RTCPeerConnection']

/** The internal state behind the page's object. */
interface Link {
  readonly address: string
  readonly Socket: WebSocketClass
  readonly PeerConnection: PeerConnectionClass | undefined
  /** Timeout in ms of an attempt to open the channel. */
  readonly timeout: number
  readonly emit: Listeners['emit']
  socket: WebSocketLike
  channel?: Channel | undefined
  /** The page has closed the connection. */
  wasClosed: boolean
}

/**
 * Connects a player to a hosted game.
 *
 * @param to the host's URL, such as `ws://203.0.113.7:7777/?name=Ada`, or what an allocation says of it, such as
 * `{ edge: 'play.example.com', address: '10.0.0.7', port: 7012, path: '/?name=Ada' }`
 * @throws TypeError for unknown options and malformed addresses, and on a host without a WebSocket
 */
export function connect(
  to: string | { readonly href: string } | EdgeTarget,
  options: ConnectOptions = {},
): PlayerConnection {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name))
  if (unknown !== undefined) refuse(`There is no option "${unknown}"; there are ${OPTIONS.join(', ')}`)
  const host = globals()
  const Socket = (options.WebSocket as WebSocketClass | undefined) ?? host.WebSocket
  const PeerConnection = (options.RTCPeerConnection as PeerConnectionClass | undefined) ?? host.RTCPeerConnection
  if (!Socket) return refuse('There is no WebSocket here; give a class as the option WebSocket, such as that of ws')

  const { emit, ...listening } = createListeners(() => connection)
  const link = {
    address: addressOf(to),
    Socket,
    PeerConnection,
    timeout: options.timeout ?? 10_000,
    emit,
    wasClosed: false,
  } as Link
  dial(link, options.unreliable && PeerConnection ? [PLAIN, WITH_CHANNEL] : undefined)
  const connection = connectionOf(link, listening)
  return connection
}

/** The URL to dial. The message of a mistake leaves the path out, which may hold a ticket. */
const addressOf = (to: string | { readonly href: string } | EdgeTarget): string =>
  typeof to === 'string'
    ? to
    : 'href' in to
      ? to.href
      : (edgeUrl(to) ?? refuse(`Malformed edge, address, port or path: ${to.edge}, ${to.address}:${to.port}`))

const speaksOfChannels = ({ socket }: Link): boolean => socket.protocol === WITH_CHANNEL

function dial(link: Link, protocols?: string[]): void {
  const { emit } = link
  let hasOpened = false
  let hasFailed = false
  const socket = (link.socket = new link.Socket(link.address, protocols))
  socket.binaryType = 'arraybuffer'
  socket.onopen = () => {
    hasOpened = true
    if (speaksOfChannels(link)) startChannel(link)
    emit('open', {})
  }
  socket.onmessage = ({ data }: { data: string | ArrayBuffer }) => {
    if (typeof data !== 'string' || !speaksOfChannels(link)) return emit('message', { data })
    const read = readText(data)
    if ('text' in read) return emit('message', { data: read.text })
    try {
      link.channel?.signalled(JSON.parse(read.signal) as HostSignal)
    } catch {
      // Another server than this package's host sent the signal. The WebSocket stays open.
    }
  }
  // A browser emits `error` right before `close`. Another dial may follow, so the error waits for `close`.
  socket.onerror = () => {
    hasFailed = true
  }
  socket.onclose = ({ code, reason, wasClean }: { code: number; reason: string; wasClean: boolean }) => {
    // The browser fails the connection when the server picks none of the subprotocols.
    if (!hasOpened && !link.wasClosed && protocols) return dial(link)
    link.channel?.close()
    if (hasFailed) emit('error', {})
    emit('close', { code, reason, wasClean })
  }
}

function startChannel(link: Link): void {
  const { PeerConnection, timeout, emit } = link
  try {
    link.channel = openChannel({
      PeerConnection: PeerConnection!,
      timeout,
      signal: (signal) => {
        if (link.socket.readyState === STATES.OPEN) link.socket.send(writeSignal(signal) as never)
      },
      receive: (data) => emit('message', { data }),
      changed: () => emit('transport', {}),
    })
  } catch {
    // A page may be forbidden to create an RTCPeerConnection.
  }
}

/** The object that the page gets. */
function connectionOf(link: Link, listening: Omit<Listeners, 'emit'>): PlayerConnection {
  // Compiled to ES2017, a spread beside accessors would read them once, so the rest is assigned to them.
  const connection: PlayerConnection = Object.assign(
    {
      url: link.address,
      get readyState() {
        return link.socket.readyState
      },
      get transport() {
        return link.channel?.isUp ? ('webrtc' as const) : ('websocket' as const)
      },
      get bufferedAmount() {
        return link.socket.bufferedAmount + (link.channel ? link.channel.bufferedAmount : 0)
      },
      get binaryType() {
        return 'arraybuffer' as const
      },
      set binaryType(type: 'arraybuffer') {
        if (type !== 'arraybuffer') refuse(`binaryType can only be "arraybuffer"; got "${String(type)}"`)
      },
      send(data: Data) {
        link.socket.send((typeof data === 'string' && speaksOfChannels(link) ? writeText(data) : data) as never)
      },
      sendUnreliable(data: Data) {
        const carrier = link.channel?.isUp ? link.channel : link.socket
        if (carrier.bufferedAmount <= STALE_BYTES && !link.channel?.send(data)) connection.send(data)
      },
      close(code?: number, reason?: string) {
        link.wasClosed = true
        link.socket.close(code, reason)
      },
    },
    listening,
    STATES,
    { onopen: null, onmessage: null, onclose: null, onerror: null, ontransport: null },
  )
  return connection
}

function refuse(message: string): never {
  throw Object.assign(new TypeError(message), { code: 'CONFIG' })
}

type Types = keyof PlayerEvents
type Fields<Type extends Types> = Omit<PlayerEvents[Type], 'type' | 'target'>
type AnyListener = (event: never) => void

interface Listeners extends Pick<PlayerConnection, 'addEventListener' | 'removeEventListener'> {
  emit<Type extends Types>(type: Type, fields: Fields<Type>): void
}

/** The listeners of a connection, and its `on…` properties. A listener that throws doesn't stop the others. */
function createListeners(target: () => PlayerConnection): Listeners {
  const added = new Map<Types, Set<AnyListener>>()
  const of = (type: Types): Set<AnyListener> => {
    const known = added.get(type) ?? new Set()
    added.set(type, known)
    return known
  }
  const call = (listener: AnyListener, event: object): void => {
    try {
      listener.call(target(), event as never)
    } catch (error) {
      // Throw outside of any handler, so that the page's own error handling reports it.
      globals().setTimeout(() => {
        throw error
      }, 0)
    }
  }
  return {
    addEventListener(type, listener) {
      of(type).add(listener)
    },
    removeEventListener(type, listener) {
      of(type).delete(listener)
    },
    emit(type, fields) {
      const event = Object.assign({ type, target: target() }, fields)
      const on = target()[`on${type}`] as AnyListener | null
      if (typeof on === 'function') call(on, event)
      for (const listener of Array.from(of(type))) call(listener, event)
    },
  }
}
