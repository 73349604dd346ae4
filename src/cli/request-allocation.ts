import { plainText } from '../node/plain-text.js'
import type { AnsweredAllocation, GameServerAllocation } from '../sidecar/index.js'
import { CommandError, UsageError } from './context.js'
import { EXIT } from './exit-codes.js'
import { fetchWithin } from './fetch-within.js'

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
  const { status, text } = await fetchWithin(PATIENCE_MS, `${url}/_/api/allocations`, {
    method: 'POST',
    body: JSON.stringify(manifest),
    headers: {
      'content-type': 'application/json',
      'x-sidecar-control': '1',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
  }).catch((error: unknown) => {
    throw new CommandError(
      EXIT.NO_SIDECAR,
      `No sidecar answers at ${url}; start one with "gameserver-sidecar local", or give its address with --url.`,
      { cause: error },
    )
  })
  const answer = parse(text) as Partial<AnsweredAllocation> & { readonly message?: string }
  if (status === 200 && answer.status !== undefined) return answer as AnsweredAllocation
  const said = plainText(typeof answer.message === 'string' ? answer.message : '', 1_000).replace(/\.$/, '')
  if (status === 400 && said !== '') throw new UsageError(`${said}.`)
  if (status === 401) throw new UsageError(`${said}; give it with --token.`)
  if (/control interface has no/.test(said)) {
    throw new CommandError(EXIT.NO_SIDECAR, `The local sidecar at ${url} is of an older version; start it again.`)
  }
  if (await isRealSidecar(url)) {
    throw new CommandError(
      EXIT.NO_SIDECAR,
      `The sidecar at ${url} is a real one, which can't be told to allocate: that is the cluster's part. ` +
        'Use kubectl create -f allocation.yaml there, or "gameserver-sidecar local" here.',
    )
  }
  const what = said === '' ? `status ${status}` : `${status} ${said}`
  throw new CommandError(EXIT.NO_SIDECAR, `No local sidecar listens at ${url}: the answer was ${what}.`)
}

async function isRealSidecar(url: string): Promise<boolean> {
  try {
    return 'object_meta' in parse((await fetchWithin(PATIENCE_MS, `${url}/gameserver`)).text)
  } catch {
    return false
  }
}

/** The object of a JSON text; an empty one if it is none. */
function parse(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
