import { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'

/** A connection to the browser, or to one page in it, in the DevTools protocol. */
interface DevtoolsSession {
  /**
   * Sends a command and resolves with its result.
   *
   * @param deadline ms to wait for the answer; after a page's crash there is none. Default 5,000.
   * @throws Error if the browser answers with an error, doesn't answer in time, or has ended
   */
  send<Result = unknown>(method: string, params?: object, deadline?: number): Promise<Result>
  /** Calls the listener with the parameters of each event and the length of its text. Returns the function that ends it. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller knows the event's shape
  on<Params = never>(event: string, listener: (params: Params, size: number) => void): () => void
}

export interface PageSession extends DevtoolsSession {
  /** Ends the session and its listeners. */
  detach(): void
}

/** The connection to a browser over its two pipes. */
export interface DevtoolsPipe extends DevtoolsSession {
  /** Opens a further session with a page. */
  attach(targetId: string): Promise<PageSession>
  /** Rejects every pending command, and all later commands. */
  end(reason: string): void
}

interface Message {
  readonly id?: number
  readonly sessionId?: string
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** Takes the answer to a command, or the error in its place. */
type Settle = (answer: Pick<Message, 'result' | 'error'>) => void

const DEADLINE_MS = 5_000
/** A longer message is dropped, since the page controls the size of its console messages. */
const LONGEST_MESSAGE = 32 * 1024 * 1024
const NUL = 0

/** Speaks the DevTools protocol over the pipes of a browser: messages in JSON, each ended by a zero byte. */
export function createDevtoolsPipe(input: Readable, output: Writable): DevtoolsPipe {
  const waiting = new Map<number, Settle>()
  const events = new EventEmitter().setMaxListeners(0)
  let lastId = 0
  let ended: string | undefined

  const send = (sessionId: string, method: string, params: object, deadline: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const fail = (reason: string): void => reject(new Error(`${method}: ${reason}`))
      if (ended !== undefined) return fail(ended)
      const id = (lastId += 1)
      const settle: Settle = ({ result, error }) => {
        clearTimeout(timer)
        waiting.delete(id)
        if (error === undefined) resolve(result)
        else fail(error.message)
      }
      const late = { message: `the browser has not answered within ${deadline} ms` }
      const timer = setTimeout(() => settle({ error: late }), deadline)
      waiting.set(id, settle)
      const target = sessionId === '' ? {} : { sessionId }
      output.write(`${JSON.stringify({ id, method, params, ...target })}\0`)
    })

  const createSession = (sessionId: string): DevtoolsSession => ({
    send: <Result>(method: string, params: object = {}, deadline = DEADLINE_MS) =>
      send(sessionId, method, params, deadline) as Promise<Result>,
    on(event, listener) {
      const key = `${sessionId} ${event}`
      // A function may be registered twice.
      const own = (params: unknown, size: number): void => listener(params as never, size)
      events.on(key, own)
      return () => void events.off(key, own)
    },
  })

  const browser = createSession('')
  const attach = async (targetId: string): Promise<PageSession> => {
    const target = { targetId, flatten: true }
    const { sessionId } = await browser.send<{ sessionId: string }>('Target.attachToTarget', target)
    const detach = (): void => {
      for (const key of events.eventNames()) if (String(key).startsWith(`${sessionId} `)) events.removeAllListeners(key)
      browser.send('Target.detachFromTarget', { sessionId }).catch(() => undefined)
    }
    return { ...createSession(sessionId), detach }
  }

  const end = (reason: string): void => {
    ended ??= reason
    for (const settle of [...waiting.values()]) settle({ error: { message: ended } })
    events.removeAllListeners()
  }

  readMessages(input, (text) => {
    const message = parse(text)
    if (message?.id !== undefined) waiting.get(message.id)?.(message)
    else if (message !== undefined)
      events.emit(`${message.sessionId ?? ''} ${message.method}`, message.params, text.length)
  })
  // The browser's exit tells why its pipes break.
  input.on('error', () => undefined)
  output.on('error', () => undefined)
  input.once('end', () => end('the browser has closed its pipe'))

  return { ...browser, attach, end }
}

/** A program that is no browser may write anything. */
function parse(text: string): Message | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Cuts a stream into its messages. */
function readMessages(input: Readable, onMessage: (text: string) => void): void {
  let parts: Buffer[] = []
  let length = 0
  const add = (part: Buffer): void => {
    length += part.length
    if (length <= LONGEST_MESSAGE) parts.push(part)
    else parts = []
  }
  input.on('data', (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(NUL); end >= 0; end = chunk.indexOf(NUL, start)) {
      add(chunk.subarray(start, end))
      start = end + 1
      const isWhole = length <= LONGEST_MESSAGE
      const message = parts
      parts = []
      length = 0
      if (isWhole) onMessage(Buffer.concat(message).toString())
    }
    if (start < chunk.length) add(chunk.subarray(start))
  })
}
