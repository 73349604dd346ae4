import type { ClientRequest } from 'node:http'
import type { Refusal } from '../../http/refusal.js'

/**
 * How long a connection to the sidecar may take: it is on this machine, and clients are told within a second.
 */
const CONNECT_MS = 900

/**
 * One try to pass a request on: how far it came, and what is to be told where it fails, which it does once at
 * most.
 */
export class Attempt {
  readonly #place: string
  readonly #timeout: number
  readonly #onFailure: (refusal: Refusal) => void
  readonly #answerTimer: ReturnType<typeof setTimeout>
  #connectTimer: ReturnType<typeof setTimeout> | undefined
  #request: ClientRequest | undefined
  #isOver = false
  #isAnswered = false
  /** Whether the sidecar may have got anything. */
  #isSent = false

  /**
   * @param place host and port, for messages
   * @param timeout milliseconds until it must be over
   */
  constructor(place: string, timeout: number, onFailure: (refusal: Refusal) => void) {
    this.#place = place
    this.#timeout = timeout
    this.#onFailure = onFailure
    this.#answerTimer = setTimeout(() => this.#failLate(), timeout)
  }

  begin(request: ClientRequest): void {
    this.#request = request
    if (this.#isOver) {
      request.destroy()
      return
    }
    // Some ends are no errors to Node, as that of a connection which switched to a protocol nobody asked for.
    request.once('close', () => {
      if (!this.#isAnswered) this.fail(new Error('no answer'))
    })
    if (request.socket) this.#followConnecting(request)
    else request.once('socket', () => this.#followConnecting(request))
  }

  /** The head of an answer has come. What `goesOn` from there takes as long as it takes. */
  answered(goesOn: boolean): void {
    this.#isAnswered = true
    if (goesOn) clearTimeout(this.#answerTimer)
  }

  /** Nothing can fail any more. */
  end(): void {
    this.#isOver = true
    clearTimeout(this.#answerTimer)
    clearTimeout(this.#connectTimer)
  }

  /** Ends the request, wherever it is, with nothing to tell. */
  abandon(): void {
    this.end()
    this.#request?.destroy()
  }

  fail(error: NodeJS.ErrnoException): void {
    const why = error.code ?? error.message
    if (!this.#isSent) return this.#failAs(502, 14, `could not be reached (${why}); nothing was sent`)
    this.#failAs(502, 2, `broke off (${why}); it may have acted`)
  }

  #failLate(): void {
    if (!this.#isSent) return this.#failAs(502, 14, 'could not be reached in time; nothing was sent')
    this.#failAs(504, 4, `did not answer within ${this.#timeout} ms; it may have acted`)
  }

  #failAs(status: number, code: number, what: string): void {
    if (this.#isOver) return
    this.abandon()
    this.#onFailure({ status, code, message: `The sidecar at ${this.#place} ${what}` })
  }

  #followConnecting(request: ClientRequest): void {
    const { socket } = request
    if (request.reusedSocket || socket === null) {
      this.#isSent = true
      return
    }
    this.#connectTimer = setTimeout(() => this.#failLate(), CONNECT_MS)
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      clearTimeout(this.#connectTimer)
      this.#isSent = true
    })
  }
}
