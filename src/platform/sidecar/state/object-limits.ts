import type { GameServer } from '../../../protocol/game-server.js'

/** The most labels, annotations, counters or lists of a GameServer, and the most characters of all together. */
const mostNames = 10_000
const mostCharacters = 8 * 1024 * 1024
/** Added to the characters of each name and each value. */
const perItem = 8

/** The annotation by which `padObject` enlarges the object. No limit counts it. */
export const paddingKey = 'gameserver-sidecar.local/padding'

/** The parts of a GameServer that grow with what clients send. */
interface Growing {
  readonly labels?: Texts
  readonly annotations?: Texts
  readonly counters?: Readonly<Record<string, unknown>> | null | undefined
  readonly lists?: Lists
}

type Texts = Readonly<Record<string, string>> | null | undefined
type Lists = Readonly<Record<string, { readonly values?: readonly string[] | null }>> | null | undefined

/**
 * The reason why a GameServer is too large; undefined if it isn't. A cluster accepts 1.5 MiB. This limit keeps one
 * client from exhausting the memory and time of all others.
 */
export function sizeProblem({ labels, annotations, counters, lists }: Growing): string | undefined {
  let characters = 0
  for (const [what, record] of Object.entries({ labels, annotations, counters, lists })) {
    const names = Object.keys(record ?? {})
    if (names.length > mostNames) return `a GameServer has at most ${mostNames} ${what} here, not ${names.length}`
    for (const name of names) characters += name.length + perItem
  }
  for (const texts of [labels, annotations]) {
    for (const [key, value] of Object.entries(texts ?? {})) if (key !== paddingKey) characters += value.length
  }
  for (const { values } of Object.values(lists ?? {})) {
    for (const value of values ?? []) characters += value.length + perItem
  }
  return characters > mostCharacters ? `a GameServer has at most ${mostCharacters} characters here` : undefined
}

/** The reason why an object is too large to replace another; undefined if it isn't. */
export function growthProblem(previous: GameServer, next: GameServer): string | undefined {
  const before = growing(previous)
  const after = growing(next)
  const isSame = (Object.keys(after) as (keyof Growing)[]).every((part) => after[part] === before[part])
  return isSame ? undefined : sizeProblem(after)
}

function growing({ object_meta: { labels, annotations }, status: { counters, lists } }: GameServer): Required<Growing> {
  return { labels, annotations, counters, lists }
}
