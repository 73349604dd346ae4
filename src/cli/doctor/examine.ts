import { parseObject } from '../../client/answers.js'
import { isObject } from '../../protocol/is-object.js'
import { at, failure } from './check.js'
import type { Check, Fields, Finding, Listener, Patient } from './check.js'
import { clusterChecks } from './cluster.js'
import { environmentChecks } from './environment.js'
import { fileChecks, readManifestFile } from './file.js'
import { gameServerChecks } from './game-server.js'
import { ask } from '../ask.js'
import type { Answer } from '../ask.js'
import { reachChecks } from './reach.js'

/** All checks, in the order in which they are told. */
export const checks: readonly Check[] = [
  ...environmentChecks,
  ...reachChecks,
  ...gameServerChecks,
  ...fileChecks,
  ...clusterChecks,
]

export type Examined = Pick<Check, 'id' | 'group'> & Finding

/** Runs the checks one after the other, so that none disturbs what another measures. */
export async function* examine(patient: Patient): AsyncGenerator<Examined> {
  for (const { id, group, run } of checks) {
    const finding = await Promise.resolve(patient)
      .then(run)
      .catch((error: unknown) => failure(`the check itself failed: ${String(error)}`, 'please report this'))
    yield { id, group, ...finding }
  }
}

type Given = Pick<Patient, 'url' | 'env' | 'isUrlGiven' | 'origin' | 'file' | 'version' | 'patience'>

export function createPatient(given: Given): Patient {
  const { url, patience, file } = given
  const read = once(() => ask(`${url}/gameserver`, { patience }))
  const listener = once(async () => findListener(url, patience, await read()))
  return {
    ...given,
    read,
    listener,
    gameServer: once(async () => gameServerOf(await read())),
    state: async () => {
      const found = await listener()
      return found.kind === 'ours' ? found.state : undefined
    },
    log: once(async () => {
      const entries = parseObject((await ask(`${url}/_/api/log`, { patience })).text)?.['entries']
      return Array.isArray(entries) ? (entries as readonly unknown[]) : []
    }),
    manifest: once(() => readManifestFile(file!)),
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
