import { PeerConnection, preload } from 'node-datachannel'
import { RTCPeerConnection } from 'node-datachannel/polyfill'
import type { PeerConnectionClass, PeerConnectionLike } from '../../../src/host/player/browser.js'

// The library's threads and their pipe live as long as the process, so start them before descriptors are counted.
preload()

const Polyfill = RTCPeerConnection as unknown as PeerConnectionClass

/** A browser's RTCPeerConnection, in Node. */
export class PeerOnNode extends Polyfill implements PeerConnectionLike {
  /** All peers that were created since the last test. */
  static readonly all: PeerOnNode[] = []
  readonly native: PeerConnection

  constructor() {
    const native = new PeerConnection('player', {
      iceServers: [],
      bindAddress: '127.0.0.1',
      disableAutoNegotiation: true,
    })
    super({ peerConnection: native } as never)
    this.native = native
    PeerOnNode.all.push(this)
  }

  /** The native peer makes the offer with its local description. */
  override createOffer(): Promise<unknown> {
    return Promise.resolve({ type: 'offer' })
  }
}
