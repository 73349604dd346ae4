import { MAX_BYTES } from './read-text-file.js'
import type { Alias, Document, Node, Pair, Scalar } from 'yaml'

type Yaml = typeof import('../yaml.js')

/** A text that isn't YAML, or none that is read here; the message says why and where. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

/** Deepest nesting that is read. A GameServer with its pod template needs about 20 levels. */
export const deepest = 100

/**
 * The value of a document. Aliases are copied and merge keys carried out, up to the size of the largest file: the
 * library's own conversion does without such a limit, and so takes hours for some texts. Integers stay exact: one that
 * a number can't hold becomes a decimal string.
 *
 * @throws YamlError
 */
export function yamlValue(yaml: Yaml, document: Document): unknown {
  const targets = aliasTargets(yaml, document)
  /** What holds the value that is being read. */
  const holders = new Set<unknown>()
  let size = 0

  const grow = (by: number): void => {
    size += by
    // A text without aliases that is small enough for a cluster has fewer values and characters.
    if (size > MAX_BYTES) throw new YamlError('with its aliases replaced it is larger than 1.5 MiB')
  }
  const resolve = (node: unknown): unknown => {
    if (!yaml.isAlias(node)) return node
    const target = targets.get(node)
    if (target === undefined) throw new YamlError(`the alias *${node.source} has no anchor &${node.source} before it`)
    if (holders.has(target)) throw new YamlError(`the alias *${node.source} stands for what it is a part of`)
    return target
  }
  const inside = <T>(holder: unknown, read: () => T): T => {
    if (holders.size >= deepest) throw new YamlError(`it is nested more than ${deepest} levels deep`)
    holders.add(holder)
    const value = read()
    holders.delete(holder)
    return value
  }

  const valueOf = (given: unknown): unknown => {
    grow(1)
    const node = resolve(given)
    if (yaml.isMap(node)) return inside(node, () => recordOf(node.items))
    if (yaml.isSeq(node)) return inside(node, () => node.items.map(valueOf))
    if (yaml.isPair(node)) return recordOf([node])
    const value = yaml.isScalar(node) ? plainScalar(node) : null
    if (typeof value === 'string') grow(value.length)
    return value
  }
  const recordOf = (pairs: readonly Pair[]): unknown => {
    const values = new Map<string, unknown>()
    const bases: unknown[] = []
    for (const { key, value } of pairs) {
      if (isMergeKey(yaml, key)) {
        bases.push(value)
        continue
      }
      const name = nameOf(resolve(key))
      if (values.has(name)) throw new YamlError(`${JSON.stringify(name)} is given twice`)
      grow(name.length)
      values.set(name, valueOf(value))
    }
    for (const base of bases) mergeInto(values, valueOf(base))
    // `fromEntries` defines properties, so that a `__proto__` in the file is a key like any other.
    return Object.fromEntries(values)
  }
  const nameOf = (key: unknown): string => {
    if (yaml.isCollection(key)) throw new YamlError('a key is a list or an object; it must be text')
    return yaml.isScalar(key) ? String(plainScalar(key) ?? '') : ''
  }
  return valueOf(document.contents)
}

/** For each alias the last node before it that has its anchor. */
function aliasTargets(yaml: Yaml, document: Document): ReadonlyMap<Alias, Node> {
  const anchored = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  yaml.visit(document, {
    Node: (_, node) => {
      if (!yaml.isAlias(node)) {
        if (node.anchor !== undefined) anchored.set(node.anchor, node)
      } else if (anchored.has(node.source)) {
        targets.set(node, anchored.get(node.source)!)
      }
    },
  })
  return targets
}

/** `<<`, which Kubernetes' tools know, too: the keys of what it names are added to those that stand beside it. */
function isMergeKey({ isScalar, Scalar }: Yaml, key: unknown): boolean {
  return isScalar(key) && key.source === '<<' && (key.type === undefined || key.type === Scalar.PLAIN)
}

function mergeInto(values: Map<string, unknown>, base: unknown): void {
  for (const one of Array.isArray(base) ? (base as unknown[]) : [base]) {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) {
      throw new YamlError('the merge key << must name an object or a list of objects')
    }
    for (const [name, value] of Object.entries(one)) if (!values.has(name)) values.set(name, value)
  }
}

/** What JSON has for a scalar: text stays as it is written where JSON has nothing, such as for times and bytes. */
function plainScalar({ value, source }: Scalar): string | number | boolean | null {
  if (typeof value === 'bigint') {
    const isSafe = Number.isSafeInteger(Number(value))
    return isSafe || BigInt.asIntN(64, value) !== value ? Number(value) : String(value)
  }
  if (typeof value === 'object' && value !== null) return source ?? ''
  return (value ?? null) as string | number | boolean | null
}
