import { PeerConnection, preload, type DataChannel } from 'node-datachannel'
import type { DataChannelLike, PeerConnectionLike } from '../../../src/host/player/browser.js'

// The library's threads and their pipe live as long as the process, so start them before descriptors are counted.
preload()

type Handler = ((event: never) => void) | null

/** A browser's RTCDataChannel, backed by a native one. */
class ChannelOnNode implements DataChannelLike {
  binaryType = 'arraybuffer'
  readyState = 'connecting'
  onopen: Handler = null
  onmessage: Handler = null
  onclose: Handler = null
  readonly native: DataChannel

  constructor(native: DataChannel) {
    this.native = native
    native.onOpen(() => {
      this.readyState = 'open'
      this.onopen?.({} as never)
    })
    native.onMessage((data) => {
      const message = typeof data === 'string' ? data : new Uint8Array(data as Buffer).buffer
      this.onmessage?.({ data: message } as never)
    })
    // It also keeps this alive until then.
    native.onClosed(() => {
      this.readyState = 'closed'
      this.onclose?.({} as never)
    })
  }

  get bufferedAmount(): number {
    return this.native.bufferedAmount()
  }

  send(data: string | Uint8Array): void {
    if (typeof data === 'string') this.native.sendMessage(data)
    else this.native.sendMessageBinary(data)
  }
}

/** The part of a browser's RTCPeerConnection that a player's page uses, in Node. */
export class PeerOnNode implements PeerConnectionLike {
  /** All peers that were created since the last test. */
  static readonly all: PeerOnNode[] = []
  connectionState = 'new'
  onconnectionstatechange: Handler = null
  readonly native = new PeerConnection('player', {
    iceServers: [],
    bindAddress: '127.0.0.1',
    disableAutoNegotiation: true,
  })
  channel: ChannelOnNode | undefined

  constructor() {
    PeerOnNode.all.push(this)
    this.native.onStateChange((state) => {
      this.connectionState = state
      this.onconnectionstatechange?.({} as never)
    })
  }

  get localDescription(): { readonly sdp: string } | null {
    return this.native.localDescription()
  }

  createDataChannel(label: string, options: object): DataChannelLike {
    const { ordered, ...others } = options as { ordered: boolean }
    this.channel = new ChannelOnNode(this.native.createDataChannel(label, { ...others, unordered: !ordered }))
    return this.channel
  }

  createOffer(): Promise<unknown> {
    return Promise.resolve({})
  }

  setLocalDescription(): Promise<void> {
    this.native.setLocalDescription('offer')
    return Promise.resolve()
  }

  setRemoteDescription({ sdp }: { sdp: string }): Promise<void> {
    this.native.setRemoteDescription(sdp, 'answer')
    return Promise.resolve()
  }

  addIceCandidate({ candidate }: { candidate: string }): Promise<void> {
    this.native.addRemoteCandidate(candidate, '0')
    return Promise.resolve()
  }

  close(): void {
    this.native.close()
  }
}
