import { isObject } from '../../protocol/is-object.js'
import { didYouMean } from '../../protocol/nearest.js'
import { mostNames } from '../model/state/object-limits.js'
import { excerpt, show } from '../model/state/show.js'

/** The way to a value inside a manifest. */
export type Path = readonly (string | number)[]

/** What is wrong with a manifest, and where. The message names the field by its path. */
export interface ManifestProblem {
  readonly message: string
  readonly path: Path
}

/** Checks the value at a path. */
export type Shape = (value: unknown, path: Path) => ManifestProblem | undefined

type Fields = Readonly<Record<string, unknown>>

/** A path as a person writes it, such as `spec.selectors[0].matchLabels`. */
function pathText(path: Path): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${excerpt(part)}`)).join('')
  return text.replace(/^\./, '') || 'the manifest'
}

export function problemAt(path: Path, rest: string): ManifestProblem {
  return { message: `${pathText(path)} ${rest}`, path }
}

/** A value that passes a test; `expected` are the words for it. */
export function leaf(expected: string, test: (value: unknown) => boolean): Shape {
  return (value, path) => (test(value) ? undefined : problemAt(path, `must be ${expected}; got ${show(value)}`))
}

/** An object with these fields and no others. A null stands for nothing, as it does in the cluster. */
export function objectOf(fields: Readonly<Record<string, Shape>>): Shape {
  const names = Object.keys(fields)
  return (value, path) => {
    if (!isObject(value)) return problemAt(path, `must be an object; got ${show(value)}`)
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name))
    if (unknown !== undefined) {
      const message = `${pathText(path)} has no field ${show(unknown)}; ${didYouMean(unknown, names)}`
      return { message, path: [...path, unknown] }
    }
    return firstProblem(names, (name) =>
      isGiven(value, name) ? fields[name]!(value[name], [...path, name]) : undefined,
    )
  }
}

/** An object with any keys. */
export function recordOf(item: Shape, key: Shape = () => undefined): Shape {
  return (value, path) => {
    if (!isObject(value)) return problemAt(path, `must be an object; got ${show(value)}`)
    const names = Object.keys(value)
    if (names.length > mostNames) return problemAt(path, `has ${names.length} entries; at most ${mostNames} are taken`)
    return firstProblem(names, (name) => key(name, [...path, name]) ?? item(value[name], [...path, name]))
  }
}

/** A list with items of one shape. */
export function listOf(item: Shape): Shape {
  return (value, path) =>
    Array.isArray(value)
      ? firstProblem(value, (one, index) => item(one, [...path, index]))
      : problemAt(path, `must be a list; got ${show(value)}`)
}

/** What passes all of these. */
export function allOf(...shapes: readonly Shape[]): Shape {
  return (value, path) => firstProblem(shapes, (shape) => shape(value, path))
}

/** One of these words. */
export function wordOf(...words: readonly string[]): Shape {
  return (value, path) => {
    if (words.includes(value as string)) return undefined
    const expected = words.map((word) => JSON.stringify(word)).join(' or ')
    const known =
      typeof value === 'string' ? words.find((word) => word.toLowerCase() === value.toLowerCase()) : undefined
    const hint = known === undefined ? '' : `; did you mean ${JSON.stringify(known)}?`
    return problemAt(path, `must be ${expected}; got ${show(value)}${hint}`)
  }
}

export function isGiven(value: Fields, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined && value[name] !== null
}

function firstProblem<T>(
  items: readonly T[],
  check: (item: T, index: number) => ManifestProblem | undefined,
): ManifestProblem | undefined {
  for (let i = 0; i < items.length; i++) {
    const problem = check(items[i]!, i)
    if (problem !== undefined) return problem
  }
  return undefined
}
