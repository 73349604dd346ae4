import { plainText } from '../node/plain-text.js'
import type { AnsweredAllocation, GameServerAllocation } from '../sidecar/index.js'
import { CommandError, UsageError } from './context.js'
import { EXIT } from './exit-codes.js'

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
  const response = await fetch(`${url}/_/api/allocations`, {
    method: 'POST',
    body: JSON.stringify(manifest),
    redirect: 'manual',
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
  const text = await response.text().catch(() => '')
  const answer = parse(text) as Partial<AnsweredAllocation> & { readonly message?: string }
  if (response.ok && answer.status !== undefined) return answer as AnsweredAllocation
  const said = plainText(typeof answer.message === 'string' ? answer.message : '', 1_000).replace(/\.$/, '')
  if (response.status === 400 && said !== '') throw new UsageError(`${said}.`)
  if (response.status === 401) throw new UsageError(`${said}; give it with --token.`)
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
  const what = said === '' ? `status ${response.status}` : `${response.status} ${said}`
  throw new CommandError(EXIT.NO_SIDECAR, `No local sidecar listens at ${url}: the answer was ${what}.`)
}

async function isRealSidecar(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/gameserver`, { redirect: 'manual', signal: AbortSignal.timeout(3_000) })
    return 'object_meta' in (parse(await response.text()) as object)
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
