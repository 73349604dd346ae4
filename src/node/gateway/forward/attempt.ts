import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusal } from '../../http/refusal.js'

/** The sidecar is on this machine, so a connection to it is quick or not possible; clients hear that within a second. */
const CONNECT_MS = 900

interface AttemptOptions {
  /** Host and port of the sidecar, for messages. */
  readonly place: string
  /** Whether the request may change something: then a failure leaves open whether it has. */
  readonly acts: boolean
  /** Milliseconds until the whole answer must have come. */
  readonly timeout: number
  /** Called once at most. The request is destroyed by then. */
  readonly onFailure: (refusal: Refusal) => void
}

/**
 * Follows a request to the sidecar. If it fails, the refusal for the client says whether the sidecar may have acted.
 */
export class Attempt {
  readonly #request: ClientRequest
  readonly #options: AttemptOptions
  readonly #answerTimer: ReturnType<typeof setTimeout>
  #connectTimer: ReturnType<typeof setTimeout> | undefined
  #isSent = false
  #isOver = false

  constructor(request: ClientRequest, options: AttemptOptions) {
    this.#request = request
    this.#options = options
    this.#answerTimer = setTimeout(() => this.#failLate(), options.timeout)
    request.once('socket', (socket) => this.#followConnection(socket))
    request.on('error', (error) => this.fail(error))
  }

  /** The head of the answer has come. The rest of a stream takes as long as it takes. */
  answered(isStream: boolean): void {
    if (isStream) clearTimeout(this.#answerTimer)
  }

  /** Ends the request, wherever it is. No failure is reported any more. */
  end(): void {
    this.#isOver = true
    clearTimeout(this.#answerTimer)
    clearTimeout(this.#connectTimer)
    this.#request.destroy()
  }

  fail(error: NodeJS.ErrnoException): void {
    const why = error.code ?? error.message
    if (this.#isSent) this.#report(502, 2, `broke off (${why})${this.#doubt}`)
    else this.#report(502, 14, `could not be reached (${why}); nothing was sent`)
  }

  get #doubt(): string {
    return this.#options.acts ? '; it may have acted' : ''
  }

  #failLate(): void {
    if (this.#isSent) this.#report(504, 4, `did not answer within ${this.#options.timeout} ms${this.#doubt}`)
    else this.#report(502, 14, 'could not be reached in time; nothing was sent')
  }

  #report(status: number, code: number, problem: string): void {
    if (this.#isOver) return
    this.end()
    this.#options.onFailure({ status, code, message: `The sidecar at ${this.#options.place} ${problem}` })
  }

  #followConnection(socket: Socket): void {
    if (this.#isOver) return
    if (this.#request.reusedSocket) {
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
