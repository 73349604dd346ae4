import type { Existing } from './carry-over.js'
import {
  ChoiceError,
  hasPlaces,
  pageFlags,
  readImage,
  readKind,
  readName,
  readPagePath,
  readPath,
  readPort,
  readResource,
  wrong,
} from './choices.js'
import type { Choices, Resource } from './choices.js'
import type { Project } from './project.js'

/** What was given on the command line, as text. */
export interface Given {
  readonly kind?: string | undefined
  readonly name?: string | undefined
  readonly dir?: string | undefined
  readonly path?: string | undefined
  readonly webgl?: boolean | undefined
  readonly entry?: string | undefined
  readonly playersPort?: string | undefined
  readonly image?: string | undefined
  readonly counter?: readonly string[] | undefined
  readonly list?: readonly string[] | undefined
  readonly webrtc?: boolean | undefined
}

/** Asks a question and resolves with the answer as it was typed; an empty one takes the default. */
export type Ask = (question: string, byDefault: string) => Promise<string>

/** A person to ask, and a way to tell them what is wrong with an answer. */
export interface Person {
  readonly ask: Ask
  complain(sentence: string): void
}

const DEFAULT_PORT = '7777'

/**
 * Makes the choices: what was given or stands in gameserver.yaml is taken, a person is asked for the rest, and without a
 * person the project decides.
 *
 * @throws ChoiceError for what was given, also if gameserver.yaml says otherwise; a wrong answer is asked for again
 */
export async function choose(given: Given, project: Project, person?: Person, existing?: Existing): Promise<Choices> {
  // What was given is looked at first, so that nobody answers questions for nothing.
  const check = <T>(text: string | undefined, read: (text: string) => T): T | undefined =>
    text === undefined ? undefined : read(text)
  const kindGiven = check(given.kind, readKind)
  const nameGiven = check(given.name, readName)
  const dirGiven = check(given.dir, (text) => readPath('dir', text))
  const entryGiven = check(given.entry, (text) => readPath('entry', text))
  const portGiven = agreed('players-port', check(given.playersPort, readPort), existing?.port)
  const imageGiven = agreed('image', check(given.image, readImage), existing?.image)
  const readCounters = (text: string): readonly Resource[] => readResources('counter', text, existing?.counters)
  const readLists = (text: string): readonly Resource[] => readResources('list', text, existing?.lists)
  const countersGiven = check(given.counter?.join(' ') ?? emptyIfAny(existing?.counters), readCounters)
  const listsGiven = check(given.list?.join(' ') ?? emptyIfAny(existing?.lists), readLists)
  const path = check(given.path, readPagePath)
  const { webrtc = false, webgl = false } = given
  const ofPage = path === undefined ? webgl && 'webgl' : 'path'
  if (ofPage && kindGiven === 'node')
    throw new ChoiceError(`${ofPage} is for a page; leave it out, or give --kind page`)
  const { protocol = 'TCPUDP' } = existing ?? {}
  if (webrtc && protocol !== 'TCPUDP')
    throw new ChoiceError(`webrtc needs protocol: TCPUDP in gameserver.yaml; got "${protocol}"`)
  for (const flag of existing?.args === undefined ? [] : pageFlags({ path, webgl, webrtc })) {
    if (`${existing!.args!.join('=')}=`.includes(`${flag}=`)) continue
    throw new ChoiceError(`${flag.slice(2)} must be among the args in gameserver.yaml, which fleet.yaml takes over`)
  }

  const decide = async <T>(value: T | undefined, question: string, byDefault: string, read: (text: string) => T) =>
    value ?? (person === undefined ? read(byDefault) : answer(person, question, byDefault, read))

  const kind = await decide(
    kindGiven ?? guessedBy(given),
    'Is your game server a page or a node program?',
    project.kind,
    readKind,
  )
  const name = await decide(nameGiven, 'Its name in the cluster', project.name, readName)
  const isPage = kind === 'page'
  const dir = isPage
    ? await decide(dirGiven, 'The folder that holds the build', project.dir, (text) => readPath('dir', text))
    : (dirGiven ?? project.dir)
  const entry = isPage
    ? (entryGiven ?? project.entry)
    : await decide(entryGiven, 'The program', project.entry, (text) => readPath('entry', text))
  const port = await decide(portGiven, 'The port that players connect to', DEFAULT_PORT, readPort)
  const image = await decide(imageGiven, 'The name of its image', `${name}:${tagOf(project)}`, readImage)
  const counters = await decide(countersGiven, COUNTERS, '', readCounters)
  const lists = await decide(listsGiven, LISTS, '', readLists)
  return { kind, name, dir, entry, port, image, counters, lists, path, webgl, webrtc }
}

const COUNTERS = 'Counters with their capacities, such as rooms=10, with spaces between'
const LISTS = 'Lists with their capacities, such as players=32, with spaces between'

/** Whatever else is in the project, --dir, --path and --webgl mean a page, and --entry a program. */
const guessedBy = ({ dir, path, webgl, entry }: Given): 'page' | 'node' | undefined =>
  dir !== undefined || path !== undefined || webgl ? 'page' : entry !== undefined ? 'node' : undefined

const tagOf = ({ version }: Project): string =>
  version !== undefined && /^\w[\w.-]{0,127}$/.test(version) ? version : '1'

/** What the flags say has to be what gameserver.yaml says, since the Fleet is made from both. */
function agreed<T extends string | number>(what: string, given: T | undefined, existing: T | undefined): T | undefined {
  if (given === undefined || existing === undefined || given === existing) return given ?? existing
  return wrong(what, `${existing}, as in gameserver.yaml`, String(given))
}

/** Nobody is asked for more where gameserver.yaml has some. */
const emptyIfAny = (existing: readonly Resource[] = []): string | undefined => (existing.length > 0 ? '' : undefined)

/** Those of gameserver.yaml that have places, and then those of the text. */
function readResources(what: 'counter' | 'list', text: string, existing: readonly Resource[] = []): Resource[] {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '')
  const read = parts.reduce<Resource[]>((before, part) => readResource(what, part, before), [])
  const isThere = ({ name, capacity }: Resource): boolean => {
    const same = existing.find((one) => one.name === name)
    agreed(what, `${name}=${capacity}`, same && `${name}=${same.capacity}`)
    return same !== undefined
  }
  return [...existing.filter(hasPlaces), ...read.filter((one) => !isThere(one))]
}

async function answer<T>(person: Person, question: string, byDefault: string, read: (text: string) => T): Promise<T> {
  for (;;) {
    try {
      return read((await person.ask(question, byDefault)).trim() || byDefault)
    } catch (error) {
      if (!(error instanceof ChoiceError)) throw error
      person.complain(`${error.message}.`)
    }
  }
}
