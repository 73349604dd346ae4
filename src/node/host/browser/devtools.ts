import type { Readable, Writable } from 'node:stream'

/** A connection to the browser, or to one page in it, in the DevTools protocol. */
export interface DevtoolsSession {
  /**
   * Sends a command and resolves with its result.
   *
   * @param deadline ms to wait for the answer; after a page's crash there is none. Default 5,000.
   * @throws DevtoolsError if the browser answers with an error, doesn't answer in time, or has ended
   */
  send<Result = unknown>(method: string, params?: object, deadline?: number): Promise<Result>
  /** Calls the listener with the parameters of each event and the length of its text. Returns the function that ends it. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller knows the event's shape
  on<Params = never>(event: string, listener: (params: Params, size: number) => void): () => void
}

/** A command of the DevTools protocol that failed. */
class DevtoolsError extends Error {
  override readonly name = 'DevtoolsError'
  readonly method: string

  constructor(method: string, message: string) {
    super(`${method}: ${message}`)
    this.method = method
  }
}

/** The connection to a browser over its two pipes. */
export interface DevtoolsPipe extends DevtoolsSession {
  /** The part of the connection that belongs to one page. */
  session(sessionId: string): DevtoolsSession
  /** Fails every command that waits, and all later ones. */
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

interface Waiting {
  readonly method: string
  readonly timer: ReturnType<typeof setTimeout>
  resolve(result: unknown): void
  reject(error: Error): void
}

const DEADLINE_MS = 5_000
/** A longer message is dropped: the page decides how much its console holds. */
const LONGEST_MESSAGE = 32 * 1024 * 1024
const NUL = 0

/** Speaks the DevTools protocol over the pipes of a browser: messages in JSON, each ended by a zero byte. */
export function createDevtoolsPipe(input: Readable, output: Writable): DevtoolsPipe {
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<string, Set<(params: never, size: number) => void>>()
  let lastId = 0
  let ended: string | undefined

  const settle = (id: number): Waiting | undefined => {
    const command = waiting.get(id)
    if (command === undefined) return undefined
    clearTimeout(command.timer)
    waiting.delete(id)
    return command
  }

  const receive = ({ id, sessionId = '', method, params, result, error }: Message, size: number): void => {
    if (id === undefined) {
      for (const listener of listeners.get(`${sessionId} ${method}`) ?? []) listener(params as never, size)
      return
    }
    const command = settle(id)
    if (error === undefined) command?.resolve(result)
    else command?.reject(new DevtoolsError(command.method, error.message))
  }

  const send = (sessionId: string, method: string, params: object, deadline: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(new DevtoolsError(method, ended))
      const id = (lastId += 1)
      const timer = setTimeout(() => {
        settle(id)?.reject(new DevtoolsError(method, `the browser has not answered within ${deadline} ms`))
      }, deadline)
      waiting.set(id, { method, timer, resolve, reject })
      const target = sessionId === '' ? {} : { sessionId }
      output.write(`${JSON.stringify({ id, method, params, ...target })}\0`)
    })

  const createSession = (sessionId: string): DevtoolsSession => ({
    send: <Result>(method: string, params: object = {}, deadline = DEADLINE_MS) =>
      send(sessionId, method, params, deadline) as Promise<Result>,
    on(event, listener) {
      const key = `${sessionId} ${event}`
      const group = listeners.get(key) ?? new Set()
      listeners.set(key, group)
      const own = (params: never, size: number): void => listener(params, size)
      group.add(own)
      return () => {
        group.delete(own)
        if (group.size === 0) listeners.delete(key)
      }
    },
  })

  const end = (reason: string): void => {
    ended ??= reason
    for (const id of [...waiting.keys()]) {
      const command = settle(id)
      command?.reject(new DevtoolsError(command.method, ended))
    }
    listeners.clear()
  }

  readMessages(input, (text) => {
    const message = parse(text)
    if (message !== undefined) receive(message, text.length)
  })
  // The browser's exit tells why its pipes break.
  input.on('error', () => undefined)
  output.on('error', () => undefined)
  input.once('end', () => end('the browser has closed its pipe'))

  return { ...createSession(''), session: createSession, end }
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
