import { parseObject } from '../../client/answers.js'
import { callsOf, gameServerOf, stateOf } from './answered.js'
import type { Listener, Patient } from './check.js'
import { readManifestFile } from './manifest-file.js'
import { ask } from './probe.js'
import type { Answer } from './probe.js'

type Given = Pick<Patient, 'url' | 'env' | 'isUrlGiven' | 'origin' | 'file' | 'version' | 'patience'>

export function createPatient(given: Given): Patient {
  const { url, patience, file } = given
  const read = once(() => ask(`${url}/gameserver`, { patience }))
  const gameServer = once(async () => gameServerOf(await read()))
  return {
    ...given,
    read,
    gameServer,
    calls: once(async () => callsOf(await ask(`${url}/_/api/log`, { patience }))),
    listener: once(async () => findListener(url, patience, await read())),
    manifest: once(() => readManifestFile(file!)),
  }
}

async function findListener(url: string, patience: number, read: Answer): Promise<Listener> {
  if (read.problem !== undefined) return { kind: 'none', reason: read.problem }
  const own = await ask(`${url}/_/api/state`, { patience })
  const state = stateOf(own)
  if (state !== undefined) return { kind: 'ours', state }
  if (own.status === 401) return { kind: 'ours', state: undefined }
  if (gameServerOf(read) !== undefined) return { kind: 'real' }
  // The sidecar's own errors: a status of gRPC in `code`, beside a message.
  if (read.status >= 400 && typeof parseObject(read.text)?.code === 'number') return { kind: 'real' }
  const server = read.headers['server'] ?? read.headers['x-powered-by'] ?? read.headers['content-type']
  return { kind: 'other', what: `status ${read.status}${server === undefined ? '' : `, ${String(server)}`}` }
}

function once<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  return () => (found ??= find())
}
