import { ok, type Answer, type Step } from './wire-case.js'

/** A binary of the real sidecar. */
export interface Binary {
  /** `1.54` or `1.54.2`; anything else, such as `HEAD`, is newer than every release. */
  readonly release: string
  readonly path: string
}

/**
 * The binaries that SDK_SERVERS names (`1.54=path,1.60=path`), or the one that SDK_SERVER names, which is taken for the
 * newest.
 */
export const binaries: readonly Binary[] = (
  process.env['SDK_SERVERS'] || (process.env['SDK_SERVER'] ? `newest=${process.env['SDK_SERVER']}` : '')
)
  .split(',')
  .filter(Boolean)
  .map((entry) => {
    const [release = '', path = ''] = entry.split('=')
    return { release, path }
  })

/** The first release that does what the cases expect, and what the releases before it do. */
export const first = {
  /** Bad keys and values are refused; before, each is accepted and no label is written any more. */
  labelChecks: '1.55.0',
  /**
   * The highest capacity of a list is that of one called `players`, and without the right to look it up `updateList` is
   * refused. Before, it is 1000, and an unknown list crashes production.
   */
  listLimit: '1.55.0',
  /** As with labels. */
  annotationChecks: '1.56.0',
  /** Kubernetes speaks of bytes and of label keys; before, of characters and of qualified names. */
  words: '1.60.0',
} as const

const numbers = (release: string): number[] =>
  /^\d/.test(release) ? [...release.split('.').map(Number), Infinity].slice(0, 3) : [Infinity]

/** Whether a release has something that came with another one. Without a release, ours is asked about: it has everything. */
export const has = (release: string | undefined, what: keyof typeof first): boolean => {
  if (release === undefined) return true
  const [have, need] = [numbers(release), numbers(first[what])]
  const at = have.findIndex((part, i) => part !== need[i])
  return at < 0 || have[at]! > need[at]!
}

const emptyList = ok({ name: '', capacity: '0', values: [] })

type Change = (answer: Answer) => Answer

const message = ({ body }: Answer): unknown => (body as { message?: unknown } | null)?.message
const reworded =
  (pattern: RegExp, words: string): Change =>
  (answer) => {
    const text = message(answer)
    return typeof text === 'string'
      ? { ...answer, body: { ...(answer.body as object), message: text.replace(pattern, words) } }
      : answer
  }
const accepted =
  (pattern: RegExp): Change =>
  (answer) =>
    pattern.test(String(message(answer))) ? ok() : answer

/** How the releases before one answer in production: each rule that fits changes what is expected. */
const before: readonly (readonly [what: keyof typeof first, call: RegExp, change: Change])[] = [
  ['labelChecks', /label$/, accepted(/^invalid label/)],
  ['annotationChecks', /annotation$/, accepted(/^invalid annotation/)],
  ['words', /^PUT/, reworded(/no more than (\d+) bytes/g, 'no more than $1 characters')],
  ['words', /^PUT/, reworded(/a valid label key must/, 'a qualified name must')],
]

/** What a release answers in production, where the newest answers what the step says. */
export const answerOf = (release: string | undefined, { call, expect: newest, ours }: Step): Answer => {
  const path = call.replace(/\?.*/, '')
  // A list's update is refused since there is a limit to look up; before, it did what ours does, without a word.
  const start =
    ours && !has(release, 'listLimit') ? (path.startsWith('PATCH') && ours.status === 200 ? emptyList : ours) : newest
  return before.reduce(
    (answer, [what, pattern, change]) => (!has(release, what) && pattern.test(path) ? change(answer) : answer),
    start,
  )
}
