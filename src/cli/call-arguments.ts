import { didYouMean, meant } from '../protocol/nearest.js'
import { operations } from '../protocol/operations.js'
import type { Operation, OperationName } from '../protocol/operations.js'
import { UsageError } from './context.js'

/** The operations that `call` carries out: all but the watch, which has a command of its own. */
export const callable = Object.keys(operations).filter((name) => name !== 'watchGameServer') as CallableName[]

export type CallableName = Exclude<OperationName, 'watchGameServer'>

/** An operation and the arguments of the client's method for it. */
export interface ParsedCall {
  readonly operation: CallableName
  readonly args: readonly unknown[]
}

/**
 * Reads what stands behind `call`. The table of operations says what each one takes: its counter's or list's name, and the
 * fields of its body; fields that may be left out come as JSON, or as `name=value`.
 *
 * @throws UsageError
 */
export function parseCall(name: string, given: readonly string[]): ParsedCall {
  if (name === 'watchGameServer')
    throw new UsageError('watchGameServer never ends; use gameserver-sidecar watch --json.')
  const operation = callable.find((one) => one === name)
  if (operation === undefined) {
    throw new UsageError(`There is no operation ${JSON.stringify(name)}; ${advice(name, callable)}`)
  }
  const [, path, body = {}] = operations[operation] as Operation
  const fields = Object.entries(body)
  const isUpdate = operation.startsWith('update')
  const wanted = [...(path.includes('{key}') ? ['key'] : []), ...(isUpdate ? [] : fields.map(([field]) => field))]
  const hasRight = isUpdate ? given.length > wanted.length : given.length === wanted.length
  if (!hasRight)
    throw new UsageError(
      `${operation} takes ${usageOf(wanted, isUpdate, fields)}; got ${given.length === 0 ? 'none' : given.map((one) => JSON.stringify(one)).join(' ')}.`,
    )
  const plain = given.slice(0, wanted.length)
  return { operation, args: isUpdate ? [...plain, parseUpdate(given.slice(wanted.length), body)] : plain }
}

function usageOf(wanted: readonly string[], isUpdate: boolean, fields: readonly (readonly [string, string])[]): string {
  const names = wanted.map((name) => `<${name}>`)
  if (isUpdate)
    names.push(`an update such as ${fields[fields.length - 1]![1] === 'texts' ? 'values=a,b' : 'countDiff=1'}`)
  return names.length === 0 ? 'no argument' : names.join(' and ')
}

/** The end of a sentence about a misspelt name. */
export const advice = (name: string, known: readonly string[]): string =>
  `${didYouMean(name, known)}${meant(name, known) === undefined ? '.' : ''}`

/** `{"countDiff":1}`, or `countDiff=1 capacity=10`, or `values=a,b`. Integers stay text, so that no digit is lost. */
function parseUpdate(given: readonly string[], body: NonNullable<Operation[2]>): unknown {
  const [first = ''] = given
  if (given.length === 1 && first.trimStart().startsWith('{')) {
    try {
      return JSON.parse(first)
    } catch (error) {
      throw new UsageError(`The update is no JSON: ${(error as Error).message}; got ${JSON.stringify(first)}.`, {
        cause: error,
      })
    }
  }
  return Object.fromEntries(
    given.map((pair) => {
      const [, field, value] = /^(\w+)=(.*)$/s.exec(pair) ?? []
      if (field === undefined) {
        throw new UsageError(
          `An update looks like '{"${Object.keys(body)[0]}":"1"}' or ${Object.keys(body)[0]}=1; got ${JSON.stringify(pair)}.`,
        )
      }
      return [field, body[field] === 'texts' ? value!.split(',').filter((one) => one !== '') : value]
    }),
  )
}
