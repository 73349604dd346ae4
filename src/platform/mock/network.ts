import { didYouMean } from '../../protocol/nearest.js'
import { type OperationName, operations } from '../../protocol/operations.js'
import { createDelays, type Delays, type Sidecar } from '../sidecar.js'
import { failWithStatus } from '../sidecar/state/answer.js'
import { decodePath, findRoute } from '../sidecar/wire/routes.js'
import { checkFailure, checkOperation } from './check-names.js'
import type { MockClock } from './clock.js'
import type { FailHow, FailTarget, MockCall, MockOptions } from './types.js'

type Failure = FailHow & { readonly operations: readonly OperationName[] | undefined; left: number }

/** The network between a client and the sidecar. */
export class Network {
  /** In a page the mock is at the page's own origin, as the gateway is. */
  readonly baseUrl = originOfPage() ?? 'http://sidecar.mock'
  readonly sidecar: Sidecar
  readonly journal: Journal
  /** When the sidecar is up again after a restart. */
  downUntil = 0
  isClosed = false
  private readonly clock: MockClock
  private readonly answersUnknown: boolean
  /** Delayed requests, in the mock's time. */
  private readonly delays: Delays
  /** What `fail()` has set up, the latest first. */
  private failures: readonly Failure[] = []

  constructor(sidecar: Sidecar, clock: MockClock, { unknownPaths }: MockOptions) {
    this.sidecar = sidecar
    this.clock = clock
    this.journal = createJournal(clock.now)
    this.answersUnknown = unknownPaths === 'answer'
    this.delays = createDelays(clock.setTimer)
    sidecar.onDisconnect(() => this.breakAll())
  }

  /** The sidecar is restarting or closed, so connections are refused. */
  get isDown(): boolean {
    return this.isClosed || this.clock.now() < this.downUntil
  }

  breakAll(): void {
    this.delays.rejectAll('the connection broke')
  }

  /** The path and query of a URL. */
  targetOf(url: string): string {
    const own = url.replace(/^ws/, 'http')
    if (own.startsWith(this.baseUrl)) return own.slice(this.baseUrl.length)
    throw this.journal.refuse(url, `the mock is at ${this.baseUrl}`)
  }

  /** The operation of a request, and the name of its counter or list; undefined without an operation. */
  operationOf(method: string, target: string): { operation: OperationName; name: string } | undefined {
    const path = target.replace(/\?.*$/s, '')
    const decoded = decodePath(path)
    const route = decoded && findRoute(method, decoded)
    if (route?.type === 'watch') return { operation: 'watchGameServer', name: '' }
    if (route?.type === 'call') return { operation: route.operation, name: route.key.text }
    if (this.answersUnknown || (route?.type !== 'not-found' && route?.type !== 'wrong-method')) return undefined
    const request = `${method} ${path}`
    const known = Object.values(operations).map(([one, template]) => `${one} ${template}`)
    throw this.journal.refuse(request, didYouMean(request, known))
  }

  /** Makes calls fail. Returns the function that undoes it. */
  fail(target: FailTarget, how: FailHow): () => void {
    const operations = target === '*' ? undefined : typeof target === 'string' ? [target] : target
    operations?.forEach(checkOperation)
    checkFailure(how)
    const failure: Failure = { ...how, operations, left: how.times ?? Infinity }
    this.failures = [failure, ...this.failures]
    return () => this.forget(failure)
  }

  /**
   * Applies the latest failure that affects an operation. Returns an answer, or undefined if the request only was delayed or
   * none affects it. Rejects if the connection breaks; with `apply`, `sendOn` has sent the request before.
   */
  async meet(
    operation: OperationName,
    left: AbortSignal,
    sendOn?: () => Promise<unknown>,
  ): Promise<{ readonly status: number; readonly text: string } | undefined> {
    const failure = this.failures.find(({ operations }) => operations?.includes(operation) ?? true)
    if (failure === undefined) return undefined
    if (--failure.left === 0) this.forget(failure)
    const { delay, status, message, network, apply } = failure
    if (delay !== undefined) await this.wait(delay, left)
    if (delay !== undefined && status === undefined && network === undefined) return undefined
    if (apply) await sendOn?.()
    if (network === 'timeout') await this.wait(Infinity, left)
    if (network === 'reset') throw networkError('ECONNRESET')
    const answer = failWithStatus(status ?? 503, message ?? 'made to fail by the mock')
    return { status: answer.status, text: JSON.stringify(answer.body) }
  }

  private forget(failure: Failure): void {
    this.failures = this.failures.filter((other) => other !== failure)
  }

  /** Resolves after so many ms of the mock's time; rejects if the connection breaks or the client leaves first. */
  private async wait(ms: number, left: AbortSignal): Promise<void> {
    try {
      await this.delays.wait(ms, left)
    } catch {
      throw left.aborted ? abortError(left) : networkError('ECONNRESET')
    }
  }
}

/** The error that a host's fetch throws if the network fails. */
export function networkError(code: 'ECONNREFUSED' | 'ECONNRESET'): TypeError {
  const why = code === 'ECONNREFUSED' ? 'the connection was refused' : 'the connection was reset'
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`mock: ${why}`), { code }) })
}

export function abortError({ reason }: { readonly reason: unknown }): Error {
  return reason instanceof Error ? reason : Object.assign(new Error('This request was aborted'), { name: 'AbortError' })
}

function originOfPage(): string | undefined {
  const { location } = globalThis as { location?: { origin?: string } }
  return /^https?:/.test(location?.origin ?? '') ? location!.origin : undefined
}

/** A call whose answer may still come. */
export type OpenCall = { -readonly [Key in keyof MockCall]: MockCall[Key] }

type Journal = ReturnType<typeof createJournal>

/** The most calls that are kept, and that a message repeats. */
const MOST = 100_000
const MOST_SHOWN = 20

/** The requests that came, and the requests that match no operation. */
function createJournal(now: () => number) {
  const calls: OpenCall[] = []
  let problems: string[] = []

  /** @throws Error about the requests of no operation, once */
  function throwProblems(): void {
    if (problems.length === 0) return
    const found = problems
    problems = []
    throw new Error(`${found.length === 1 ? 'A request was' : 'Requests were'} not understood:\n${found.join('\n')}`)
  }

  return {
    calls: calls as readonly MockCall[],
    throwProblems,
    add(operation: OperationName, name: string, body: string | undefined): OpenCall {
      const call: OpenCall = { operation, at: now() }
      if (name !== '') call.name = name
      if (body !== undefined) call.body = parse(body)
      calls.push(call)
      if (calls.length > MOST) calls.shift()
      return call
    },
    /** Notes a request of no operation. Returns the error for its sender. */
    refuse(request: string, hint: string): Error {
      const message = `${request} is no operation of the sidecar; ${hint}`
      problems.push(message)
      return new Error(message)
    },
    expect(operation: OperationName, times: number | undefined): readonly MockCall[] {
      checkOperation(operation)
      throwProblems()
      const found = calls.filter((call) => call.operation === operation)
      if (times === undefined ? found.length > 0 : found.length === times) return found
      const wanted = times === undefined ? 'at least once' : count(times)
      throw new Error(
        `${operation} was expected ${wanted}, and ${found.length === 0 ? '' : 'came '}${count(found.length)}${found.length === 0 ? ' came' : ''}. ${inWords(calls)}`,
      )
    },
  }
}

const count = (times: number): string =>
  times === 0 ? 'never' : times === 1 ? 'once' : times === 2 ? 'twice' : `${times} times`

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The calls in words, repetitions as a number. */
function inWords(calls: readonly MockCall[]): string {
  const runs: { text: string; times: number }[] = []
  for (const call of calls) {
    const text = textOf(call)
    const last = runs.at(-1)
    if (last?.text === text) last.times++
    else runs.push({ text, times: 1 })
  }
  if (runs.length === 0) return 'No call came at all.'
  const shown = runs.slice(-MOST_SHOWN).map(({ text, times }) => (times === 1 ? text : `${text} ×${times}`))
  return `What came: ${runs.length > MOST_SHOWN ? '…, ' : ''}${shown.join(', ')}.`
}

function textOf({ operation, name, body, status }: MockCall): string {
  const fields = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const parts = [
    operation,
    name,
    fields === '{}' ? '' : fields,
    status === undefined || status < 400 ? '' : `(${status})`,
  ]
  return parts.filter(Boolean).join(' ')
}
