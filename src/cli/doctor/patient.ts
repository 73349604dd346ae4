import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { parseObject } from '../../client/answers.js'
import { isKnown, parseGameServer, readText } from '../../local/files.js'
import { findDocument } from '../../local/files.js'
import { isObject } from '../../protocol/is-object.js'
import { ask } from '../ask.js'
import type { Answer } from '../ask.js'

/** How long kubectl may take. */
const TIMEOUT_MS = 5_000
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

/** What the checks ask about: the sidecar, the file and the cluster. */
export type Patient = ReturnType<typeof createPatient>

/** Finds each fact once, for the first check that needs it. */
export function createPatient(given: Given) {
  const { url, patience, file } = given
  const read = once(() => ask(`${url}/gameserver`, { patience }))
  const listener = once(async () => findListener(url, patience, await read()))
  return {
    ...given,
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
      const entries = parseObject((await ask(`${url}/_/api/log`, { patience })).text)?.['entries']
      return Array.isArray(entries) ? (entries as readonly unknown[]) : []
    }),
    /** The GameServer in `file`, or a Fleet's template; an Error says why the file can't be used. */
    manifest: once(() => readManifestFile(file!)),
    /** The version of the cluster that kubectl reaches. */
    cluster: once(clusterVersion),
  }
}

/** The answer to `GET /gameserver`, if it is one. */
function gameServerOf({ status, text }: Answer): Fields | undefined {
  const answer = parseObject(text)
  const isOne =
    typeof at(answer, 'object_meta')['name'] === 'string' && typeof at(answer, 'status')['state'] === 'string'
  return status === 200 && isOne ? answer : undefined
}

async function findListener(url: string, patience: number, read: Answer): Promise<Listener> {
  if (read.problem !== undefined) return { kind: 'none', reason: read.problem }
  const own = await ask(`${url}/_/api/state`, { patience })
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

async function readManifestFile(path: string): Promise<Fields | Error> {
  try {
    const text = await readText(path)
    await parseGameServer(path, text)
    const value = (await findDocument(text, isKnown)).value as Fields
    const { apiVersion, kind } = value
    return kind === 'Fleet' ? { apiVersion, kind: 'GameServer', ...at(value, 'spec', 'template') } : value
  } catch (error) {
    return error as Error
  }
}

/** Runs `kubectl`, which only reads here. Undefined if it isn't there or can't reach its cluster. */
export async function kubectl(...args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('kubectl', [...args, '--request-timeout=3s'], { timeout: TIMEOUT_MS })
    return stdout
  } catch (error) {
    // `auth can-i` says no by its exit code, and on stdout.
    const { stdout } = error as { readonly stdout?: string }
    return stdout?.trim() === 'no' ? stdout : undefined
  }
}

async function clusterVersion(): Promise<string | undefined> {
  const { gitVersion } = at(parseObject((await kubectl('version', '-o', 'json')) ?? ''), 'serverVersion')
  return typeof gitVersion === 'string' ? gitVersion : undefined
}
