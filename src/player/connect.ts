import { PLAIN, readText, WITH_CHANNEL, writeSignal, writeText, type HostSignal } from '../relay/signals.js'
import { globals, type Data, type PeerConnectionClass, type WebSocketClass, type WebSocketLike } from './browser.js'
import { openChannel, type Channel } from './channel.js'
import { createListeners } from './listeners.js'
import type { ConnectOptions, PlayerConnection } from './types.js'

/** An unreliable message is old by the time it leaves behind so many bytes, so it is dropped. */
const STALE = 65_536
const OPTIONS = ['unreliable', 'timeout', 'WebSocket', 'RTCPeerConnection']
const OPEN = 1

/**
 * Connects a player to a hosted game.
 *
 * @param url the host's address, such as `ws://203.0.113.7:7777/?name=Ada`
 * @throws TypeError for options that don't exist, and where there is no WebSocket
 */
export function connect(url: string | { readonly href: string }, options: ConnectOptions = {}): PlayerConnection {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name))
  if (unknown !== undefined) refuse(`There is no option "${unknown}"; the options are ${OPTIONS.join(', ')}`)
  const host = globals()
  const Socket = (options.WebSocket as WebSocketClass | undefined) ?? host.WebSocket
  const PeerConnection = (options.RTCPeerConnection as PeerConnectionClass | undefined) ?? host.RTCPeerConnection
  if (!Socket) return refuse('There is no WebSocket here; give a class as the option WebSocket, such as that of "ws"')

  const address = typeof url === 'string' ? url : url.href
  let socket: WebSocketLike
  let channel: Channel | undefined
  let wasClosed = false
  const { emit, ...listening } = createListeners(() => connection)
  const speaksOfChannels = (): boolean => socket.protocol === WITH_CHANNEL

  const dial = (protocols?: string[]): void => {
    let hasOpened = false
    let hasFailed = false
    socket = new Socket(address, protocols)
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      hasOpened = true
      if (speaksOfChannels()) channel = startChannel(PeerConnection!)
      emit('open', {})
    }
    socket.onmessage = ({ data }: { data: string | ArrayBuffer }) => {
      if (typeof data !== 'string' || !speaksOfChannels()) return emit('message', { data })
      const read = readText(data)
      if ('text' in read) emit('message', { data: read.text })
      else tellChannel(read.signal)
    }
    // A browser tells of an error right before the end, and another dial may follow.
    socket.onerror = () => {
      hasFailed = true
    }
    socket.onclose = ({ code, reason, wasClean }: { code: number; reason: string; wasClean: boolean }) => {
      // A server that knows none of the subprotocols is refused by the browser.
      if (!hasOpened && !wasClosed && protocols) return dial()
      channel?.close()
      if (hasFailed) emit('error', {})
      emit('close', { code, reason, wasClean })
    }
  }

  const tellChannel = (json: string): void => {
    try {
      channel?.signalled(JSON.parse(json) as HostSignal)
    } catch {
      // No host of this package says it. The WebSocket goes on.
    }
  }

  const startChannel = (PeerConnection: PeerConnectionClass): Channel | undefined => {
    try {
      return openChannel({
        PeerConnection,
        timeout: options.timeout ?? 10_000,
        signal: (signal) => {
          if (socket.readyState === OPEN) socket.send(writeSignal(signal) as never)
        },
        receive: (data) => emit('message', { data }),
        changed: () => emit('transport', {}),
      })
    } catch {
      // The page may be forbidden to make one.
      return undefined
    }
  }

  dial(options.unreliable && PeerConnection ? [PLAIN, WITH_CHANNEL] : undefined)

  const connection: PlayerConnection = {
    ...listening,
    onopen: null,
    onmessage: null,
    onclose: null,
    onerror: null,
    ontransport: null,
    CONNECTING: 0,
    OPEN,
    CLOSING: 2,
    CLOSED: 3,
    url: address,
    get readyState() {
      return socket.readyState
    },
    get transport() {
      return channel?.isUp ? 'webrtc' : 'websocket'
    },
    get bufferedAmount() {
      return socket.bufferedAmount + (channel ? channel.bufferedAmount : 0)
    },
    get binaryType() {
      return 'arraybuffer' as const
    },
    set binaryType(type) {
      if (type !== 'arraybuffer') refuse(`binaryType can only be "arraybuffer"; got "${String(type)}"`)
    },
    send(data: Data) {
      socket.send((typeof data === 'string' && speaksOfChannels() ? writeText(data) : data) as never)
    },
    sendUnreliable(data: Data) {
      const carrier = channel?.isUp ? channel : socket
      if (carrier.bufferedAmount <= STALE && !channel?.send(data)) connection.send(data)
    },
    close(code, reason) {
      wasClosed = true
      socket.close(code, reason)
    },
  }
  return connection
}

function refuse(message: string): never {
  throw Object.assign(new TypeError(message), { code: 'CONFIG' })
}
