import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusal } from '../../http/refusal.js'

/** Most milliseconds for a connection: the sidecar is on this machine. Clients hear of a failure within a second. */
const CONNECT_MS = 900

interface AttemptOptions {
  /** Host and port of the sidecar, for messages. */
  readonly place: string
  /** Whether the request may change something. Then the message of a failure says that the sidecar may have acted. */
  readonly acts: boolean
  /** Most milliseconds until the answer is complete. */
  readonly timeout: number
  /** Called at most once, after the request was destroyed. */
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

  /** Notes that the head of the answer has arrived. A stream has no time limit from then on. */
  answered(isStream: boolean): void {
    if (isStream) clearTimeout(this.#answerTimer)
  }

  /** Ends the request in any phase. Later failures aren't reported. */
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
