import type { HostSignal, PlayerSignal } from '../wire/sockets.js'
import { globals, type DataChannelLike, type PeerConnectionClass, type PeerConnectionLike } from './browser.js'

/** A data channel to the host. Its messages may be lost or come out of order, but never come twice. */
export type Channel = ReturnType<typeof openChannel>

export interface ChannelOptions {
  readonly PeerConnection: PeerConnectionClass
  /** Timeout of an attempt in ms. */
  readonly timeout: number
  signal(signal: PlayerSignal): void
  receive(data: string | ArrayBuffer): void
  /** The channel went up or down. */
  changed(): void
}

const ATTEMPTS = 3
const RETRY_DELAY = 2000

/** The state of a channel. */
interface State extends ChannelOptions {
  /** Number of the attempt. */
  id: number
  isUp: boolean
  /** Whether this attempt's channel has worked. */
  didWork?: boolean
  peer?: PeerConnectionLike | undefined
  channel?: DataChannelLike
  timer?: unknown
}

/** Opens a data channel, and opens it again if it breaks after it has worked. */
export function openChannel(options: ChannelOptions) {
  const state: State = { ...options, id: 0, isUp: false }
  dial(state)
  return {
    /** Whether the channel can carry messages now. */
    get isUp(): boolean {
      return state.isUp
    },
    get bufferedAmount(): number {
      return state.isUp ? state.channel!.bufferedAmount : 0
    },
    signalled(told: HostSignal): void {
      const { peer } = state
      if (told.id !== state.id || !peer) return
      if (!('answer' in told)) return giveUp(state, peer)
      peer
        .setRemoteDescription({ type: 'answer', sdp: told.answer } as never)
        .then(() => {
          for (const candidate of told.candidates) {
            // A candidate that this browser can't read doesn't affect the others.
            peer.addIceCandidate({ candidate, sdpMLineIndex: 0 } as never).catch(() => {})
          }
        })
        .catch(() => giveUp(state, peer))
    },
    /** Returns false if the channel can't carry the message. */
    send(data: unknown): boolean {
      if (!state.isUp) return false
      try {
        state.channel!.send(data as never)
        return true
      } catch {
        // The message is too long for the host, or has a form that only a WebSocket sends.
        return false
      }
    },
    close(): void {
      release(state)
      if (!state.isUp) return
      state.isUp = false
      state.changed()
    },
  }
}

function dial(state: State): void {
  state.id += 1
  state.didWork = false
  const peer = (state.peer = new state.PeerConnection())
  const fail = (): void => giveUp(state, peer)
  const way = { negotiated: true, id: 0, ordered: false, maxRetransmits: 0 }
  const channel = (state.channel = peer.createDataChannel('', way))
  channel.binaryType = 'arraybuffer'
  const review = (): void => {
    if (peer !== state.peer) return
    if (peer.connectionState === 'failed' || channel.readyState === 'closed') return fail()
    const works = channel.readyState === 'open' && peer.connectionState === 'connected'
    if (works) {
      state.didWork = true
      globals().clearTimeout(state.timer)
    }
    setUp(state, works)
  }
  channel.onopen = channel.onclose = peer.onconnectionstatechange = review
  channel.onmessage = ({ data }: { data: string | ArrayBuffer }) => {
    if (peer === state.peer) state.receive(data)
  }
  state.timer = globals().setTimeout(fail, state.timeout)
  peer
    .createOffer()
    .then((offer) => peer.setLocalDescription(offer as never))
    .then(() => {
      if (peer === state.peer) state.signal({ id: state.id, offer: peer.localDescription!.sdp })
    })
    .catch(fail)
}

function setUp(state: State, isUp: boolean): void {
  if (isUp === state.isUp) return
  state.isUp = isUp
  state.signal({ id: state.id, up: isUp })
  state.changed()
}

/** Ends the attempt of that peer if it is current. A channel that has worked is opened again. */
function giveUp(state: State, peer: PeerConnectionLike): void {
  if (peer !== state.peer) return
  release(state)
  setUp(state, false)
  if (state.didWork && state.id < ATTEMPTS) state.timer = globals().setTimeout(() => dial(state), RETRY_DELAY)
}

function release(state: State): void {
  globals().clearTimeout(state.timer)
  const { peer } = state
  state.peer = undefined
  peer?.close()
}
