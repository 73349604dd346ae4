import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Existing } from './carry-over.js'
import {
  ChoiceError,
  extraFlags,
  hasPlaces,
  readHealth,
  readImage,
  readKind,
  readName,
  readPagePath,
  readPath,
  readPort,
  readResources,
  wrong,
  type Choices,
  type Edge,
  type FlagChoices,
  type Kind,
  type Resource,
} from './choices.js'
import { readEdge, readNodes } from './edge.js'
import type { Project } from './project.js'
import { findSeats } from './source.js'

type Texts = 'kind' | 'name' | 'dir' | 'path' | 'entry' | 'playersPort' | 'health' | 'image' | 'edge' | 'nodes'

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
  warn(sentence: string): void
}

/** Nothing says what the project's server is, so that no file can be written. The message is one sentence. */
export class UndecidedError extends Error {
  override readonly name = 'UndecidedError'
}

type Read<T> = (text: string) => T
type Decide = <T>(value: T | undefined, question: string, byDefault: string | undefined, read: Read<T>) => Promise<T>

/**
 * Takes each choice from the command line or gameserver.yaml, else asks the person, else takes the project's default.
 *
 * @throws ChoiceError for a flag that is wrong or contradicts gameserver.yaml; a wrong answer is asked for again
 * @throws UndecidedError if nothing says what the server is, and there is nobody to ask
 */
export async function choose(given: Given, project: Project, person?: Person, existing?: Existing): Promise<Choices> {
  // All flags are read before the first question, so that a mistake ends the command at once.
  const flag = {
    kind: given.kind === undefined ? guessedBy(given) : readKind(given.kind),
    name: optional(given.name, readName),
    dir: optional(given.dir, (text) => readPath('dir', text)),
    path: optional(given.path, readPagePath),
    entry: optional(given.entry, readEntryOf(project)),
    port: agreed('players-port', optional(given.playersPort, readPort), existing?.port),
    health: agreed('health', optional(given.health, readHealth), existing?.health),
    image: agreed('image', optional(given.image, readImage), existing?.image),
    counters: optional(given.counter?.join(' '), (text) => joined('counter', text, existing?.counters)),
    lists: optional(given.list?.join(' '), (text) => joined('list', text, existing?.lists)),
  }
  const { webrtc = false, webgl = false, metrics = false } = given
  const special = { path: flag.path, webgl, webrtc, metrics }
  checkSpecial(special, flag.kind ?? project.kind, existing)
  const edge = edgeOf(given)

  const decide: Decide = async (value, question, byDefault, read) => {
    if (value !== undefined) return value
    if (person !== undefined) return answer(person, question, byDefault, read)
    if (byDefault === undefined) throw new UndecidedError(project.problem ?? 'nothing says which program it starts')
    return read(byDefault)
  }
  const kind = await decide(flag.kind, 'Is your game server a page or a node program?', project.kind, readKind)
  const { dir = project.dir, name = project.name } = flag
  // A program must be known before a file is written. A page needs none.
  const known = kind === 'page' ? 'server.mjs' : project.problem === undefined ? project.entry : undefined
  const found = optional(known, (text) => readPath('entry', text))
  const entry = await decide(flag.entry ?? found, 'The program', undefined, readEntryOf(project))
  const port = await decide(flag.port, 'The port that players connect to', '7777', readPort)
  const seats = await chooseSeats({ ...flag, kind, entry }, project, decide, existing)
  const health = await decide(flag.health, HEALTH, '15', readHealth)
  const image = flag.image ?? readImage(`${name}:${tagOf(project)}`)
  return { kind, name, dir, entry, port, health, image, ...seats, edge, ...special }
}

/** Reads a program that can be in the image: a file that is there, or that a build or the user's own Dockerfile makes. */
const readEntryOf =
  ({ folder, build }: Project): Read<string> =>
  (text) => {
    const path = readPath('entry', text)
    const isThere = build !== undefined || [path, 'Dockerfile'].some((file) => existsSync(join(folder, file)))
    return isThere ? path : wrong('entry', 'a file of the project, since there is no build script to make it', text)
  }

/** The counters and lists: those of flags and gameserver.yaml, else seats, which the program's code may name. */
async function chooseSeats(
  flag: { readonly [K in 'counters' | 'lists']: Choices[K] | undefined } & Pick<Choices, 'kind' | 'entry'>,
  { folder }: Project,
  decide: Decide,
  existing: Existing | undefined,
): Promise<Pick<Choices, 'counters' | 'lists'>> {
  const { counters = joined('counter', '', existing?.counters) } = flag
  const { lists = joined('list', '', existing?.lists) } = flag
  const found = flag.kind === 'node' ? findSeats(folder, flag.entry) : undefined
  const isSaid =
    flag.lists ?? existing?.lists[0] ?? existing?.counters[0] ?? counters.find((one) => one.name === found?.name)
  if (isSaid !== undefined) return { counters, lists }
  const what = found?.what ?? 'list'
  const byDefault = found === undefined ? '' : `${found.name}=16`
  const seats = await decide(undefined, SEATS, byDefault, (text) => readResources(what, text))
  return what === 'list' ? { counters, lists: seats } : { counters: [...counters, ...seats], lists }
}

const HEALTH = 'Seconds without a health beat until a server is replaced'
const SEATS = 'Seats for players: a name and how many each server has, such as players=16'

function edgeOf({ edge, nodes, ports }: Given): Edge | undefined {
  if (edge !== undefined)
    return { host: readEdge(edge), nodes: readNodes(nodes ?? '10.0.0.0/8'), ports: ports ?? [7000, 8000] }
  const alone = nodes === undefined ? ports && 'ports' : 'nodes'
  if (alone) throw new ChoiceError(`${alone} is for the edge; leave it out, or give --edge play.example.com`)
  return undefined
}

const optional = <T>(text: string | undefined, read: Read<T>): T | undefined =>
  text === undefined ? undefined : read(text)

/** --dir, --path and --webgl always mean a page, and --entry a program, whatever the project holds. */
const guessedBy = ({ dir, path, webgl, entry }: Given): Kind | undefined =>
  dir !== undefined || path !== undefined || webgl ? 'page' : entry !== undefined ? 'node' : undefined

/** @throws ChoiceError for flags of `host` that a program, or the server in gameserver.yaml, doesn't take */
function checkSpecial(special: FlagChoices, kind: Kind | undefined, existing: Existing | undefined): void {
  const ofPage = special.path === undefined ? special.webgl && 'webgl' : 'path'
  if (ofPage && kind === 'node') throw new ChoiceError(`${ofPage} is for a page; leave it out, or give --kind page`)
  const { protocol = 'TCPUDP', args } = existing ?? {}
  if (special.webrtc && protocol !== 'TCPUDP')
    throw new ChoiceError(`webrtc needs protocol: TCPUDP in gameserver.yaml; got "${protocol}"`)
  const lacking = kind === 'page' && args && extraFlags(special).find((flag) => !args.includes(flag))
  if (lacking)
    throw new ChoiceError(`${lacking.slice(2)} must be among the args in gameserver.yaml, which fleet.yaml takes over`)
}

const tagOf = ({ version }: Project): string =>
  version !== undefined && /^\w[\w.-]{0,127}$/.test(version) ? version : '1'

/** A value that the flags and gameserver.yaml must agree on, since the Fleet is made from both. */
function agreed<T extends string | number>(what: string, given: T | undefined, existing: T | undefined): T | undefined {
  if (given === undefined || existing === undefined || given === existing) return given ?? existing
  return wrong(what, `${existing}, as in gameserver.yaml`, String(given))
}

/** The resources of gameserver.yaml that have places, then those of the text. */
function joined(what: 'counter' | 'list', text: string, existing: readonly Resource[] = []): Resource[] {
  const added = readResources(what, text).filter(({ name, capacity }) => {
    const same = existing.find((one) => one.name === name)
    agreed(what, `${name}=${capacity}`, same && `${name}=${same.capacity}`)
    return same === undefined
  })
  return [...existing.filter(hasPlaces), ...added]
}

async function answer<T>(person: Person, question: string, byDefault: string | undefined, read: Read<T>): Promise<T> {
  for (;;) {
    try {
      return read((await person.ask(question, byDefault ?? '')).trim() || (byDefault ?? ''))
    } catch (error) {
      if (!(error instanceof ChoiceError)) throw error
      person.warn(`${error.message}.`)
    }
  }
}
