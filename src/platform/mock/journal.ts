import { didYouMean } from '../../protocol/nearest.js'
import { operations, type OperationName } from '../../protocol/operations.js'
import type { MockCall } from './types.js'

/** A call whose answer may still come. */
export type OpenCall = { -readonly [Key in keyof MockCall]: MockCall[Key] }

export type Journal = ReturnType<typeof createJournal>

/** The most calls that are kept, and that a message repeats. */
const MOST = 100_000
const MOST_SHOWN = 20

/**
 * A misspelt operation would never match: `fail()` would do nothing, and expecting no call would pass.
 *
 * @throws TypeError with the nearest operation
 */
export function checkOperation(name: OperationName): void {
  if (!(name in operations))
    throw new TypeError(`there is no operation "${name}"; ${didYouMean(name, Object.keys(operations))}`)
}

/** The requests that came, and the requests that match no operation. */
export function createJournal(now: () => number) {
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
