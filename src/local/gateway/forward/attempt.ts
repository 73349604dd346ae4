import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
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

export type Attempt = ReturnType<typeof followAttempt>

/** Follows a request to the sidecar. If it fails, the refusal for the client says whether the sidecar may have acted. */
export function followAttempt(request: ClientRequest, { place, acts, timeout, onFailure }: AttemptOptions) {
  const doubt = acts ? '; it may have acted' : ''
  let connectTimer: NodeJS.Timeout | undefined
  let isSent = false
  let isOver = false

  const end = (): void => {
    isOver = true
    clearTimeout(answerTimer)
    clearTimeout(connectTimer)
    request.destroy()
  }
  const report = (status: number, code: number, problem: string): void => {
    if (isOver) return
    end()
    onFailure({ status, code, message: `The sidecar at ${place} ${problem}` })
  }
  const fail = ({ code, message }: NodeJS.ErrnoException): void => {
    const why = code ?? message
    if (isSent) report(502, 2, `broke off (${why})${doubt}`)
    else report(502, 14, `could not be reached (${why}); nothing was sent`)
  }
  const failLate = (): void => {
    if (isSent) report(504, 4, `did not answer within ${timeout} ms${doubt}`)
    else report(502, 14, 'could not be reached in time; nothing was sent')
  }

  const answerTimer = setTimeout(failLate, timeout)
  request.on('error', fail)
  request.once('socket', (socket) => {
    isSent = request.reusedSocket
    if (isOver || isSent) return
    connectTimer = setTimeout(failLate, CONNECT_MS)
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
      clearTimeout(connectTimer)
      isSent = true
    })
  })
  return {
    fail,
    /** Ends the request in any phase. Later failures aren't reported. */
    end,
    /** Passes an answer back with headers of its own. A stream has no time limit. */
    passBack(response: IncomingMessage, reply: ServerResponse, headers: object, isStream: boolean): void {
      if (isStream) clearTimeout(answerTimer)
      response.on('error', fail)
      if (reply.destroyed) return void response.resume()
      reply.writeHead(response.statusCode!, { ...headers, ...pick(response.headers, PASSED_BACK) })
      // Unlike stream.pipeline(), pipe() can be undone, so that a watch can end with a last line of the gateway's own. An
      // error of the response and the end of the reply both end the attempt, so neither side outlives the other.
      response.pipe(reply)
    },
    /** The answer has become a stream over WebSocket. */
    becameStream: (): void => clearTimeout(answerTimer),
  }
}

/** The headers of an answer that the client gets. All others could speak for the gateway, to the whole origin. */
const PASSED_BACK = ['content-type', 'content-encoding', 'content-length', 'retry-after']

export const pick = (given: IncomingMessage['headers'], names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])))
