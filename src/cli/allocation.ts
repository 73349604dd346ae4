import { parseObject } from '../client/request.js'
import { findDocument, plainText, readTextFile, YamlError } from '../local/files.js'
import { allocationMistake } from '../platform/schema.js'
import type { AnsweredAllocation, GameServerAllocation } from '../platform/sidecar.js'
import { ask } from './ask.js'
import { CommandError, EXIT, unreadable, UsageError } from './exit-codes.js'
import { sidecarsElsewhere } from './find-sidecar.js'

const KIND = 'GameServerAllocation'

/**
 * Reads and checks the first GameServerAllocation of a YAML or JSON file.
 *
 * @throws UsageError that names the file, the line and the fix
 * @throws CommandError for a file that can't be read
 */
export async function readAllocationFile(path: string): Promise<GameServerAllocation> {
  const text = await readTextFile(path).catch((error: unknown) => {
    throw unreadable(path, error)
  })
  const { value, lineOf } = await findDocument(text, (one) => kindOf(one) === KIND).catch((error: unknown) => {
    if (!(error instanceof YamlError)) throw error
    throw new UsageError(`${plainText(path)} is neither YAML nor JSON: ${error.message}.`, { cause: error })
  })
  if (kindOf(value) !== KIND) throw new UsageError(`${plainText(path)} holds no ${KIND}: ${whatIsThere(value)}.`)
  const hasVersion = typeof value === 'object' && value !== null && 'apiVersion' in value
  const problem = hasVersion
    ? allocationMistake(value)
    : { message: 'apiVersion must be "allocation.agones.dev/v1"; got nothing', path: ['kind'] }
  if (problem === undefined) return value as GameServerAllocation
  const place = `${plainText(path)}:${lineOf(problem.path)}`
  throw new UsageError(`${place}: ${problem.message}${problem.message.endsWith('?') ? '' : '.'}`)
}

const kindOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined

function whatIsThere(value: unknown): string {
  const kind = kindOf(value)
  if (kind !== undefined) return `its kind is ${JSON.stringify(kind)}`
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? `it needs kind: ${KIND}`
    : 'it must be an object'
}

const PATIENCE_MS = 10_000

/**
 * Sends an allocation to a local sidecar's control interface.
 *
 * @throws UsageError for a manifest or token that the sidecar refuses
 * @throws CommandError if no local sidecar answers
 */
export async function requestAllocation(
  url: string,
  token: string | undefined,
  manifest: GameServerAllocation,
): Promise<AnsweredAllocation> {
  const { status, text, problem } = await ask(`${url}/_/api/allocations`, {
    method: 'POST',
    body: JSON.stringify(manifest),
    headers: {
      'content-type': 'application/json',
      'x-sidecar-control': '1',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    patience: PATIENCE_MS,
  })
  if (problem !== undefined) {
    const elsewhere = await sidecarsElsewhere(url)
    const advice = elsewhere ?? 'Start one with "gameserver-sidecar local", or give its address with --url'
    throw new CommandError(EXIT.NO_SIDECAR, `No sidecar answers at ${url}. ${advice}.`)
  }
  const answer = (parseObject(text) ?? {}) as Partial<AnsweredAllocation> & { readonly message?: string }
  if (status === 200 && answer.status !== undefined) return answer as AnsweredAllocation
  const said = plainText(typeof answer.message === 'string' ? answer.message : '', 1_000).replace(/\.$/, '')
  if (status === 400 && said !== '') throw new UsageError(`${said}.`)
  if (status === 401) throw new UsageError(`${said}; give it with --token.`)
  const read = await ask(`${url}/gameserver`, { patience: PATIENCE_MS })
  if ('object_meta' in (parseObject(read.text) ?? {})) {
    throw new CommandError(
      EXIT.NO_SIDECAR,
      `The sidecar at ${url} is a real one, and only the cluster allocates there: use kubectl create -f allocation.yaml.`,
    )
  }
  const what = said === '' ? `status ${status}` : `${status} ${said}`
  throw new CommandError(EXIT.NO_SIDECAR, `No local sidecar listens at ${url}: the answer was ${what}.`)
}
