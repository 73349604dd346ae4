import type { Existing } from './carry-over.js'
import {
  ChoiceError,
  extraFlags,
  hasPlaces,
  readImage,
  readKind,
  readName,
  readPagePath,
  readPath,
  readPort,
  readResource,
  wrong,
} from './choices.js'
import type { Choices, Edge, FlagChoices, Resource } from './choices.js'
import { readEdge, readNodes } from './edge-choice.js'
import type { Project } from './project.js'

type Texts = 'kind' | 'name' | 'dir' | 'path' | 'entry' | 'playersPort' | 'image' | 'edge' | 'nodes'

/** What the command line says, mostly as text. */
export interface Given extends Partial<Readonly<Record<Texts, string | undefined>>> {
  readonly counter?: readonly string[] | undefined
  readonly list?: readonly string[] | undefined
  readonly webgl?: boolean | undefined
  readonly webrtc?: boolean | undefined
  readonly metrics?: boolean | undefined
  readonly ports?: Edge['ports'] | undefined
}

/** The person who answers questions. */
export interface Person {
  /** Resolves with the answer as typed; an empty answer takes the default. */
  ask(question: string, byDefault: string): Promise<string>
  /** Tells the person what is wrong with an answer. */
  complain(sentence: string): void
}

type Read<T> = (text: string) => T

/**
 * Takes each choice from the command line or gameserver.yaml, else asks the person, else takes the project's default.
 *
 * @throws ChoiceError for a flag that is wrong or contradicts gameserver.yaml; a wrong answer is asked for again
 */
export async function choose(given: Given, project: Project, person?: Person, existing?: Existing): Promise<Choices> {
  const readDir: Read<string> = (text) => readPath('dir', text)
  const readEntry: Read<string> = (text) => readPath('entry', text)
  const readCounters: Read<readonly Resource[]> = (text) => readResources('counter', text, existing?.counters)
  const readLists: Read<readonly Resource[]> = (text) => readResources('list', text, existing?.lists)

  // All flags are read before the first question, so that a mistake ends the command at once.
  const flag = {
    kind: given.kind === undefined ? guessedBy(given) : readKind(given.kind),
    name: optional(given.name, readName),
    dir: optional(given.dir, readDir),
    path: optional(given.path, readPagePath),
    entry: optional(given.entry, readEntry),
    port: agreed('players-port', optional(given.playersPort, readPort), existing?.port),
    image: agreed('image', optional(given.image, readImage), existing?.image),
    counters: optional(given.counter?.join(' ') ?? emptyIfAny(existing?.counters), readCounters),
    lists: optional(given.list?.join(' ') ?? emptyIfAny(existing?.lists), readLists),
  }
  const edge = edgeOf(given)
  const { webrtc = false, webgl = false, metrics = false } = given
  const special = { path: flag.path, webgl, webrtc, metrics }
  checkSpecial(special, flag.kind, existing)

  const decide = async <T>(value: T | undefined, question: string, byDefault: string, read: Read<T>): Promise<T> =>
    value ?? (person === undefined ? read(byDefault) : answer(person, question, byDefault, read))

  const kind = await decide(flag.kind, 'Is your game server a page or a node program?', project.kind, readKind)
  const name = await decide(flag.name, 'Its name in the cluster', project.name, readName)
  const { dir = project.dir, entry = project.entry } = flag
  const place =
    kind === 'page'
      ? { entry, dir: await decide(flag.dir, 'The folder that holds the build', project.dir, readDir) }
      : { dir, entry: await decide(flag.entry, 'The program', project.entry, readEntry) }
  const port = await decide(flag.port, 'The port that players connect to', '7777', readPort)
  const image = await decide(flag.image, 'The name of its image', `${name}:${tagOf(project)}`, readImage)
  const counters = await decide(flag.counters, COUNTERS, '', readCounters)
  const lists = await decide(flag.lists, LISTS, '', readLists)
  return { kind, name, ...place, port, image, counters, lists, edge, ...special }
}

function edgeOf({ edge, nodes, ports }: Given): Edge | undefined {
  if (edge !== undefined)
    return { host: readEdge(edge), nodes: readNodes(nodes ?? '10.0.0.0/8'), ports: ports ?? [7000, 8000] }
  const alone = nodes === undefined ? ports && 'ports' : 'nodes'
  if (alone) throw new ChoiceError(`${alone} is for the edge; leave it out, or give --edge play.example.com`)
  return undefined
}

const COUNTERS = 'Counters with their capacities, such as rooms=10, with spaces between'
const LISTS = 'Lists with their capacities, such as players=32, with spaces between'

const optional = <T>(text: string | undefined, read: Read<T>): T | undefined =>
  text === undefined ? undefined : read(text)

/** --dir, --path and --webgl always mean a page, and --entry a program, whatever the project holds. */
const guessedBy = ({ dir, path, webgl, entry }: Given): 'page' | 'node' | undefined =>
  dir !== undefined || path !== undefined || webgl ? 'page' : entry !== undefined ? 'node' : undefined

/** @throws ChoiceError for flags of `host` that a program, or the container in gameserver.yaml, doesn't take */
function checkSpecial(special: FlagChoices, kind: string | undefined, existing: Existing | undefined): void {
  const ofPage = special.path === undefined ? special.webgl && 'webgl' : 'path'
  if (ofPage && kind === 'node') throw new ChoiceError(`${ofPage} is for a page; leave it out, or give --kind page`)
  const { protocol = 'TCPUDP', args } = existing ?? {}
  if (special.webrtc && protocol !== 'TCPUDP')
    throw new ChoiceError(`webrtc needs protocol: TCPUDP in gameserver.yaml; got "${protocol}"`)
  // Both "--path=/" and "--path", "/".
  const missing = args && extraFlags(special).find((one) => !`${args.join('=')}=`.includes(`${one}=`))
  if (missing !== undefined)
    throw new ChoiceError(`${missing.slice(2)} must be among the args in gameserver.yaml, which fleet.yaml takes over`)
}

const tagOf = ({ version }: Project): string =>
  version !== undefined && /^\w[\w.-]{0,127}$/.test(version) ? version : '1'

/** A value that the flags and gameserver.yaml must agree on, since the Fleet is made from both. */
function agreed<T extends string | number>(what: string, given: T | undefined, existing: T | undefined): T | undefined {
  if (given === undefined || existing === undefined || given === existing) return given ?? existing
  return wrong(what, `${existing}, as in gameserver.yaml`, String(given))
}

/** If gameserver.yaml has counters or lists, the person isn't asked for more. */
const emptyIfAny = (existing: readonly Resource[] = []): string | undefined => (existing.length > 0 ? '' : undefined)

/** The resources of gameserver.yaml that have places, then those of the text. */
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

async function answer<T>(person: Person, question: string, byDefault: string, read: Read<T>): Promise<T> {
  for (;;) {
    try {
      return read((await person.ask(question, byDefault)).trim() || byDefault)
    } catch (error) {
      if (!(error instanceof ChoiceError)) throw error
      person.complain(`${error.message}.`)
    }
  }
}
