import type { HostSignal, PlayerSignal } from '../relay/signals.js'
import { globals, type DataChannelLike, type PeerConnectionClass, type PeerConnectionLike } from './browser.js'

/** A data channel to the host: what it carries may be lost or come out of order, and never comes twice. */
export interface Channel {
  /** Messages can be sent over it. */
  readonly isUp: boolean
  readonly bufferedAmount: number
  signalled(signal: HostSignal): void
  /** Returns false if the channel can't carry the message. */
  send(data: unknown): boolean
  close(): void
}

export interface ChannelOptions {
  readonly PeerConnection: PeerConnectionClass
  /** ms until an attempt is given up. */
  readonly timeout: number
  signal(signal: PlayerSignal): void
  receive(data: string | ArrayBuffer): void
  /** It went up or down. */
  changed(): void
}

/** A channel that worked and broke is opened again; one that never worked is not. */
const ATTEMPTS = 3
const RETRY_DELAY = 2000

interface State extends ChannelOptions {
  /** Number of the attempt. */
  id: number
  isUp: boolean
  /** Whether this attempt ever worked. */
  didWork: boolean
  peer?: PeerConnectionLike | undefined
  channel?: DataChannelLike
  timer?: unknown
}

export function openChannel(options: ChannelOptions): Channel {
  const state: State = Object.assign({ id: 0, isUp: false, didWork: false }, options)
  dial(state)
  return {
    get isUp() {
      return state.isUp
    },
    get bufferedAmount() {
      return state.isUp ? state.channel!.bufferedAmount : 0
    },
    signalled(told) {
      const attempt = state.peer
      if (told.id !== state.id || !attempt) return
      if (!('answer' in told)) return giveUp(state, attempt)
      attempt
        .setRemoteDescription({ type: 'answer', sdp: told.answer } as never)
        .then(() => {
          for (const candidate of told.candidates) {
            // One that this browser can't read leaves the others.
            attempt.addIceCandidate({ candidate, sdpMLineIndex: 0 } as never).catch(() => {})
          }
        })
        .catch(() => giveUp(state, attempt))
    },
    send(data) {
      if (!state.isUp) return false
      try {
        state.channel!.send(data as never)
        return true
      } catch {
        // It is longer than the host takes, or has a form that only a WebSocket sends.
        return false
      }
    },
    close() {
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
  const attempt = (state.peer = new state.PeerConnection())
  const fail = (): void => giveUp(state, attempt)
  const options = { negotiated: true, id: 0, ordered: false, maxRetransmits: 0 }
  const channel = (state.channel = attempt.createDataChannel('', options))
  channel.binaryType = 'arraybuffer'

  const review = (): void => {
    if (attempt !== state.peer) return
    const { connectionState } = attempt
    if (connectionState === 'failed' || channel.readyState === 'closed') return fail()
    const works = channel.readyState === 'open' && connectionState === 'connected'
    if (works) {
      state.didWork = true
      globals().clearTimeout(state.timer)
    }
    setUp(state, works)
  }
  channel.onopen = channel.onclose = attempt.onconnectionstatechange = review
  channel.onmessage = ({ data }: { data: string | ArrayBuffer }) => {
    if (attempt === state.peer) state.receive(data)
  }
  state.timer = globals().setTimeout(fail, state.timeout)
  attempt
    .createOffer()
    .then((offer) => attempt.setLocalDescription(offer as never))
    .then(() => {
      if (attempt === state.peer) state.signal({ id: state.id, offer: attempt.localDescription!.sdp })
    })
    .catch(fail)
}

function setUp(state: State, up: boolean): void {
  if (up === state.isUp) return
  state.isUp = up
  state.signal({ id: state.id, up })
  state.changed()
}

function release(state: State): void {
  globals().clearTimeout(state.timer)
  const ended = state.peer
  state.peer = undefined
  if (ended) ended.close()
}

function giveUp(state: State, attempt: PeerConnectionLike): void {
  if (attempt !== state.peer) return
  release(state)
  const { didWork } = state
  setUp(state, false)
  if (didWork && state.id < ATTEMPTS) state.timer = globals().setTimeout(() => dial(state), RETRY_DELAY)
}
