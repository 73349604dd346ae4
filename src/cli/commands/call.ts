import type { ClientOptions, FetchInit, FetchLike, SidecarClient } from '../../index.js'
import { isSidecarError } from '../../client/errors.js'
import type { SidecarError } from '../../client/errors.js'
import { plainText } from '../../node/plain-text.js'
import { callable, parseCall } from '../call-arguments.js'
import type { ParsedCall } from '../call-arguments.js'
import { defineCommand } from '../context.js'
import type { CliContext } from '../context.js'
import { EXIT } from '../exit-codes.js'
import { findSidecar, url } from '../find-sidecar.js'
import { someSeconds } from '../flag-values.js'
import { option, toggle, withDefault } from '../flags.js'
import { escapeJson, jsonText } from '../json-line.js'

export const callCommand = defineCommand({
  args: '<operation> [arguments...]',
  choices: callable,
  flags: {
    url,
    timeout: withDefault(option('seconds', 'how long the sidecar may take to answer', someSeconds), 10),
    int64: toggle('print integers beyond 2^53 as numbers, and not as text'),
    curl: toggle('print the request as a curl command, and send nothing'),
  },
  examples: `Examples:
  gameserver-sidecar call ready
  gameserver-sidecar call setLabel mode dm
  gameserver-sidecar call updateCounter rooms countDiff=1
  gameserver-sidecar call updateList players '{"values":["alice","bob"]}' --curl`,
  async run({ args: [name = '', ...given], flags, context }) {
    const parsed = parseCall(name, given)
    const baseUrl = findSidecar(flags.url, process.env)
    const recorded = flags.curl ? createRecordingFetch(given[0] ?? '') : undefined
    const { createClient } = await import('../../index.node.js')
    const options: ClientOptions = { baseUrl, timeout: flags.timeout * 1000, retry: false, verifyInterval: 0 }
    const client = createClient({ ...options, ...(recorded && { fetch: recorded.fetch }), int64: 'bigint' })
    try {
      const answer = await perform(client, parsed)
      if (recorded === undefined) context.print(toJson(answer, flags.int64))
    } catch (error) {
      // Of a request that isn't sent, what was to be sent is what counts; arguments that are refused send nothing.
      if (recorded === undefined || recorded.requests.length === 0) return tell(error, context)
    } finally {
      client.close()
    }
    if (recorded !== undefined) {
      context.print(curlCommand(recorded.requests.find(({ init }) => init.method !== 'GET') ?? recorded.requests[0]!))
    }
    return EXIT.DONE
  },
})

function perform(client: SidecarClient<bigint>, { operation, args }: ParsedCall): Promise<unknown> {
  const method = client[operation] as (...args: unknown[]) => Promise<unknown>
  return method.call(client, ...args)
}

/** Prints the sidecar's or the client's error, and returns the exit code. @throws every other error */
function tell(error: unknown, { warn, colors }: CliContext): number {
  if (!isSidecarError(error)) throw error
  warn(colors.red(plainText(`${error.code} ${error.message}`, 2_000)))
  if (error.status !== undefined) return EXIT.FAILED
  if (isTimeOver(error)) return EXIT.TIME_OVER
  if (error.code === 'UNAVAILABLE') return EXIT.NO_SIDECAR
  return error.code === 'INVALID_ARGUMENT' || error.code === 'CONFIG' ? EXIT.USAGE : EXIT.FAILED
}

/** A write whose answer didn't come in time has the time limit as its cause. */
const isTimeOver = ({ code, cause }: SidecarError): boolean =>
  code === 'TIMEOUT' || (isSidecarError(cause) && cause.code === 'TIMEOUT')

/**
 * The answer as JSON. An integer that most readers of JSON would round is text, as the sidecar itself sends it, unless
 * `exact` asks for the number with all its digits.
 */
function toJson(value: unknown, exact: boolean): string {
  if (typeof value === 'string') return jsonText({ outcome: value })
  const fields = Object.entries(value as object).map(([name, field]) => {
    const isExact = typeof field === 'bigint' && (exact || Number.isSafeInteger(Number(field)))
    return `${JSON.stringify(name)}:${isExact ? field : JSON.stringify(typeof field === 'bigint' ? String(field) : field)}`
  })
  return escapeJson(`{${fields.join(',')}}`)
}

interface SentRequest {
  readonly url: string
  readonly init: FetchInit
}

/**
 * A `fetch` that sends nothing and keeps the requests, so that what is printed is the very request that the client would
 * send. Whatever the client reads before is answered as if it were empty.
 *
 * @param key the counter or list that the call is about
 */
function createRecordingFetch(key: string): { readonly fetch: FetchLike; readonly requests: SentRequest[] } {
  const requests: SentRequest[] = []
  const list = { name: key, capacity: '0', count: '0', values: [] }
  const gameServer = { object_meta: {}, status: { state: '', lists: { [key]: list } } }
  return {
    requests,
    fetch: (address, init) => {
      requests.push({ url: address, init })
      const body = JSON.stringify(address.endsWith('/gameserver') ? gameServer : list)
      return Promise.resolve({ status: 200, headers: { get: () => null }, text: () => Promise.resolve(body) })
    },
  }
}

/** The request as a command for a POSIX shell. */
function curlCommand({ url: address, init }: SentRequest): string {
  const headers = Object.entries(init.headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  const body = init.body === undefined ? [] : [`-d ${quote(escapeJson(init.body))}`]
  const method = init.method === 'GET' ? [] : [`-X ${init.method}`]
  // Brackets of an IPv6 address would be taken for a range.
  const glob = address.includes('[') ? ['-g'] : []
  return ['curl -sS', ...glob, ...method, ...headers, ...body, quote(address)].join(' ')
}

/** One word for a POSIX shell, whatever the text holds. */
const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`
