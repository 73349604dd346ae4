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

export function openChannel({ PeerConnection, timeout, signal, receive, changed }: ChannelOptions): Channel {
  const host = globals()
  let id = 0
  let isUp = false
  let peer: PeerConnectionLike | undefined
  let channel: DataChannelLike | undefined
  let timer: unknown

  const setUp = (up: boolean): void => {
    if (up === isUp) return
    isUp = up
    signal({ id, up })
    changed()
  }

  const release = (): void => {
    host.clearTimeout(timer)
    const ended = peer
    peer = undefined
    if (ended) ended.close()
  }

  const giveUp = (attempt: PeerConnectionLike | undefined): void => {
    if (attempt !== peer || !attempt) return
    release()
    const worked = didWork
    setUp(false)
    if (worked && id < ATTEMPTS) timer = host.setTimeout(dial, RETRY_DELAY)
  }

  let didWork = false
  const dial = (): void => {
    id += 1
    didWork = false
    const attempt = (peer = new PeerConnection())
    const fail = (): void => giveUp(attempt)
    const here = (channel = attempt.createDataChannel('', {
      negotiated: true,
      id: 0,
      ordered: false,
      maxRetransmits: 0,
    }))
    here.binaryType = 'arraybuffer'

    const review = (): void => {
      if (attempt !== peer) return
      const { connectionState } = attempt
      if (connectionState === 'failed' || here.readyState === 'closed') return fail()
      const works = here.readyState === 'open' && connectionState === 'connected'
      if (works) {
        didWork = true
        host.clearTimeout(timer)
      }
      setUp(works)
    }
    here.onopen = here.onclose = attempt.onconnectionstatechange = review
    here.onmessage = ({ data }: { data: string | ArrayBuffer }) => {
      if (attempt === peer) receive(data)
    }
    timer = host.setTimeout(fail, timeout)
    attempt
      .createOffer()
      .then((offer) => attempt.setLocalDescription(offer as never))
      .then(() => {
        if (attempt === peer) signal({ id, offer: attempt.localDescription!.sdp })
      })
      .catch(fail)
  }

  dial()
  return {
    get isUp() {
      return isUp
    },
    get bufferedAmount() {
      return isUp ? channel!.bufferedAmount : 0
    },
    signalled(told) {
      const attempt = peer
      if (told.id !== id || !attempt) return
      if (!('answer' in told)) return giveUp(attempt)
      attempt
        .setRemoteDescription({ type: 'answer', sdp: told.answer } as never)
        .then(() => {
          for (const candidate of told.candidates) {
            // One that this browser can't read leaves the others.
            attempt.addIceCandidate({ candidate, sdpMLineIndex: 0 } as never).catch(() => {})
          }
        })
        .catch(() => giveUp(attempt))
    },
    send(data) {
      if (!isUp) return false
      try {
        channel!.send(data as never)
        return true
      } catch {
        // It is longer than the host takes, or has a form that only a WebSocket sends.
        return false
      }
    },
    close() {
      release()
      if (isUp) {
        isUp = false
        changed()
      }
    },
  }
}
