/** A player's connection in the hosted page. It has the shape of a WebSocket that is open. */
export class PlayerSocket extends EventTarget {
  readonly id: number
  /** Path and query that the player asked for, such as `/?name=Ada`. */
  readonly url: string
  readonly remoteAddress: string
  onmessage: ((event: { readonly data: unknown }) => void) | null = null
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null = null

  constructor(id: number, url: string, remoteAddress: string) {
    super()
    this.id = id
    this.url = url
    this.remoteAddress = remoteAddress
  }
}
