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

export const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** What listens at the address. */
export type Listener =
  | { readonly kind: 'none'; readonly reason: string }
  /** A local sidecar of this package. Its state is undefined where it needs a token. */
  | { readonly kind: 'ours'; readonly state: Fields | undefined }
  | { readonly kind: 'real' }
  | { readonly kind: 'other'; readonly what: string }

/** The arguments of the command line. */
interface Given {
  /** The sidecar's URL, without a slash at its end. */
  readonly url: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isUrlGiven: boolean
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
  const send = (path: string, question: Partial<Question> = {}): Promise<Answer> =>
    ask(`${url}${path}`, { command: 'doctor', patience, ...question })
  const read = once(() => send('/gameserver'))
  const listener = once(async () => findListener(await read(), send))
  return {
    ...given,
    /** Sends one request. doctor only reads, so that no check changes what the next one finds. */
    send,
    listener,
    /** The state of a local sidecar of this package. */
    async state(): Promise<Fields | undefined> {
      const found = await listener()
      return found.kind === 'ours' ? found.state : undefined
    },
    /** The answer to `GET /gameserver`. */
    read,
    /** Undefined where the answer holds none. */
    gameServer: once(async () => gameServerOf(await read())),
    /** The event log of a local sidecar of this package. */
    log: once(async () => {
      const entries = parseObject((await send('/_/api/log')).text)?.['entries']
      return Array.isArray(entries) ? (entries as readonly unknown[]) : []
    }),
  }
}

/** The answer to `GET /gameserver`, if it is one. */
function gameServerOf({ status, text }: Answer): Fields | undefined {
  const answer = parseObject(text)
  const isOne =
    typeof at(answer, 'object_meta')['name'] === 'string' && typeof at(answer, 'status')['state'] === 'string'
  return status === 200 && isOne ? answer : undefined
}

async function findListener(read: Answer, send: (path: string) => Promise<Answer>): Promise<Listener> {
  if (read.problem !== undefined) return { kind: 'none', reason: read.problem }
  const own = await send('/_/api/state')
  const state = own.status === 200 ? parseObject(own.text) : undefined
  if (isObject(state?.['gameServer'])) return { kind: 'ours', state }
  if (own.status === 401) return { kind: 'ours', state: undefined }
  if (gameServerOf(read) !== undefined) return { kind: 'real' }
  // The sidecar's own errors: a status of gRPC in `code`, beside a message.
  if (read.status >= 400 && typeof parseObject(read.text)?.['code'] === 'number') return { kind: 'real' }
  const server = read.headers['server'] ?? read.headers['x-powered-by'] ?? read.headers['content-type']
  return { kind: 'other', what: `status ${read.status}${server === undefined ? '' : `, ${String(server)}`}` }
}

function once<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  return () => (found ??= find())
}

type Group = 'Environment' | 'Reach' | 'Watch' | 'GameServer' | 'File'

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

type Found = Finding | readonly Finding[]

export interface Check {
  /** For `--json`. */
  readonly id: string
  readonly group: Group
  readonly run: (subject: Subject) => Found | Promise<Found>
}

/** A check that is skipped where there is no GameServer. */
export const whenThere =
  (run: (gameServer: Fields, subject: Subject) => Finding | Promise<Finding>): Check['run'] =>
  async (subject) => {
    const found = await subject.gameServer()
    return found === undefined ? skipped('there is no GameServer') : run(found, subject)
  }
