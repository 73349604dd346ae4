import { parseObject } from '../client/answers.js'
import { plainText } from '../node/plain-text.js'
import type { AnsweredAllocation, GameServerAllocation } from '../sidecar/index.js'
import { ask } from './ask.js'
import { CommandError, UsageError } from './context.js'
import { EXIT } from './exit-codes.js'

/** Milliseconds that a sidecar may take to answer. */
const PATIENCE_MS = 10_000

/**
 * Sends an allocation to a local sidecar's control interface.
 *
 * @throws UsageError for a manifest or a token that it refuses
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
    throw new CommandError(
      EXIT.NO_SIDECAR,
      `No sidecar answers at ${url}; start one with "gameserver-sidecar local", or give its address with --url.`,
    )
  }
  const answer = (parseObject(text) ?? {}) as Partial<AnsweredAllocation> & { readonly message?: string }
  if (status === 200 && answer.status !== undefined) return answer as AnsweredAllocation
  const said = plainText(typeof answer.message === 'string' ? answer.message : '', 1_000).replace(/\.$/, '')
  if (status === 400 && said !== '') throw new UsageError(`${said}.`)
  if (status === 401) throw new UsageError(`${said}; give it with --token.`)
  if (/control interface has no/.test(said)) {
    throw new CommandError(EXIT.NO_SIDECAR, `The local sidecar at ${url} is of an older version; start it again.`)
  }
  const read = await ask(`${url}/gameserver`, { patience: PATIENCE_MS })
  if ('object_meta' in (parseObject(read.text) ?? {})) {
    throw new CommandError(
      EXIT.NO_SIDECAR,
      `The sidecar at ${url} is a real one, which can't be told to allocate: that is the cluster's part. ` +
        'Use kubectl create -f allocation.yaml there, or "gameserver-sidecar local" here.',
    )
  }
  const what = said === '' ? `status ${status}` : `${status} ${said}`
  throw new CommandError(EXIT.NO_SIDECAR, `No local sidecar listens at ${url}: the answer was ${what}.`)
}
