import { parseObject } from '../../client/request.js'
import { isObject } from '../../protocol/is-object.js'
import { ask, type Answer, type Question } from '../ask.js'

/** An object that another version or program may have sent: any field may be missing or of another type. */
export type Fields = Readonly<Record<string, unknown>>

/** The object at a path of names; empty where there is none. */
export function at(value: unknown, ...path: readonly string[]): Fields {
  const found = path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)
  return isObject(found) ? found : {}
}

/** The arguments of the command line. */
interface Given {
  /** The sidecar's URL, without a slash at its end. */
  readonly url: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly origin: string | undefined
  readonly file: string | undefined
  readonly version: string
  /** Longest wait for an answer, ms. */
  readonly patience: number
}

/** What the checks ask about: the sidecar and the file. */
export type Subject = ReturnType<typeof createSubject>

/** Finds each fact once, for the first check that needs it. */
export function createSubject(given: Given) {
  const { url, patience } = given
  /** Sends one request. doctor only reads, so that no check changes what the next one finds. */
  const send = (path: string, question: Partial<Question> = {}): Promise<Answer> =>
    ask(`${url}${path}`, { command: 'doctor', patience, ...question })
  const read = once(() => send('/gameserver'))
  const own = once(() => send('/_/api/state'))
  return {
    ...given,
    send,
    /** The answer to `GET /gameserver`. */
    read,
    /** Undefined where the answer holds none. */
    async gameServer(): Promise<Fields | undefined> {
      const { status, text } = await read()
      const answer = parseObject(text)
      const [name, state] = [at(answer, 'object_meta')['name'], at(answer, 'status')['state']]
      return status === 200 && typeof name === 'string' && typeof state === 'string' ? answer : undefined
    },
    /** The state of a local sidecar of this package: undefined for another listener, `token` if it needs a token. */
    async state(): Promise<Fields | 'token' | undefined> {
      const { status, text } = await own()
      const found = status === 200 ? parseObject(text) : undefined
      return status === 401 ? 'token' : isObject(found?.['gameServer']) ? found : undefined
    },
    /** The event log of a local sidecar of this package. */
    log: once(async () => {
      const entries = parseObject((await send('/_/api/log')).text)?.['entries']
      return Array.isArray(entries) ? (entries as readonly unknown[]) : []
    }),
  }
}

function once<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  return () => (found ??= find())
}

export interface Finding {
  readonly status: 'ok' | 'warning' | 'failure' | 'skipped'
  readonly text: string
  /** What to do about it. */
  readonly fix?: string
}

export const ok = (text: string): Finding => ({ status: 'ok', text })
export const warning = (text: string, fix: string): Finding => ({ status: 'warning', text, fix })
export const failure = (text: string, fix: string): Finding => ({ status: 'failure', text, fix })
export const skipped = (text: string): Finding => ({ status: 'skipped', text })
