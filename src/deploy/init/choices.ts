/** A page, which the host's browser runs, or a program for Node. */
export type Kind = 'page' | 'node'

/** A counter or a list that each server of the Fleet starts with. */
export interface Resource {
  readonly name: string
  readonly capacity: number
}

/** nginx in front of the Fleet, with one certificate. */
export interface Edge {
  /** The name that players dial and that the certificate is for. */
  readonly host: string
  /** Networks in which game servers have their addresses, such as `10.0.0.0/8`. */
  readonly nodes: readonly string[]
  /** First and last of the ports that the platform gives to game servers. */
  readonly ports: readonly [first: number, last: number]
}

/** All choices that the files depend on, besides the project. */
export interface Choices {
  readonly kind: Kind
  /** Name of the Fleet and its objects. */
  readonly name: string
  /** Page: the folder that holds the build, within the project. */
  readonly dir: string
  /** Page: its path and query within the build, if not "/". */
  readonly path: string | undefined
  /** Page: whether the browser draws WebGL. */
  readonly webgl: boolean
  /** Node: the program, within the project. */
  readonly entry: string
  /** The port that players connect to, in the container. */
  readonly port: number
  /** Seconds without a beat after which a server is replaced. */
  readonly health: number
  readonly image: string
  readonly counters: readonly Resource[]
  readonly lists: readonly Resource[]
  /** Whether players may also connect by UDP. */
  readonly webrtc: boolean
  /** Whether a Prometheus reads the host's metrics. */
  readonly metrics: boolean
  readonly edge?: Edge | undefined
}

export const SIDECAR = 'gameserver-sidecar'
/** What the host needs for `--webrtc`, and the version that the tests run. */
export const WEBRTC = 'node-datachannel'
export const WEBRTC_VERSION = '0.33'

/** The port that a Prometheus reads. */
export const METRICS_PORT = 9090

/** The choices that become flags of `host`. */
export type FlagChoices = Pick<Choices, 'path' | 'webgl' | 'webrtc' | 'metrics'>

/** The flags of `host` that only some servers need. */
export const extraFlags = ({ path, webgl, webrtc, metrics }: FlagChoices): string[] => [
  ...(path === undefined ? [] : [`--path=${path}`]),
  ...(webgl ? ['--webgl'] : []),
  ...(webrtc ? ['--webrtc'] : []),
  ...(metrics ? [`--metrics-port=${METRICS_PORT}`] : []),
]

/** A project that init can't read. The message is one sentence. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
}

/** An invalid choice. The message begins with the name of its flag. */
export class ChoiceError extends Error {
  override readonly name = 'ChoiceError'
}

/** The platform's limit on a list's values. */
const MOST_VALUES = 1000
/** The largest int32, which is the type of an autoscaler's buffer. */
export const MOST_COUNT = 2 ** 31 - 1

const RESOURCE_NAME = /^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/
/** A path within the project, in characters that need no escapes in a Dockerfile. */
export const INNER_PATH = /^(?!\/)(?!.*(^|\/)\.\.(\/|$))(?!.*\/\/)[\w.][-\w./@+]*$/

/** Makes a function that reads a text which a pattern matches, and throws a ChoiceError for others. */
export const reader =
  (what: string, pattern: RegExp, wanted: string) =>
  (text: string): string =>
    pattern.test(text) ? text : wrong(what, wanted, text)

/** The same for a whole number. */
const numberReader =
  (what: string, least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,5}$/.test(text) ? Number(text) : -1
    return value >= least && value <= most ? value : wrong(what, `a whole number from ${least} to ${most}`, text)
  }

export const readKind = reader('kind', /^(page|node)$/, '"page" or "node"') as (text: string) => Kind

export const readName = reader(
  'name',
  /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
  'at most 63 lower-case letters, digits and "-", with no "-" at either end',
)

/** Only root may listen below 1024. */
export const readPort = numberReader('players-port', 1024, 65_535)

/** Seconds, up to an hour. */
export const readHealth = numberReader('health', 3, 3600)

export function readPath(what: 'dir' | 'entry', text: string): string {
  const path = text.replace(/^(\.\/)+/, '').replace(/\/+$/, '') || '.'
  if (INNER_PATH.test(path) && (what === 'dir' || path !== '.')) return path
  return wrong(what, 'a path within the project, of letters, digits and any of "-_.@+/"', text)
}

/** Reads a path and query in characters that need no escapes in YAML and JSON. */
export function readPagePath(text: string): string {
  const path = text.replace(/^(?!\/)/, '/')
  if (/^\/(?!\/)[-\w./?&=%~+,;@]*$/.test(path)) return path
  return wrong('path', 'the page\'s path within the build, such as "/server.html?map=1"', text)
}

export const readImage = reader(
  'image',
  /^(?=.{1,255}$)([a-z0-9]([-a-z0-9.]*[a-z0-9])?(:\d{1,5})?\/)?[a-z0-9]+([._-]+[a-z0-9]+)*(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:\w[\w.-]{0,127})?(@sha256:[0-9a-f]{64})?$/,
  'an image\'s name in lower case, such as "my-game:1" or "registry.example/team/my-game:1"',
)

/** Reads `rooms=10 bots=2`. */
export function readResources(what: 'counter' | 'list', text: string): Resource[] {
  const most = what === 'list' ? MOST_VALUES : MOST_COUNT
  const all = text.split(/[\s,]+/).filter((part) => part !== '')
  return all.map((part, index) => {
    const [, name = '', digits = ''] = /^([^=]*)=(\d{1,10})$/.exec(part) ?? []
    const capacity = Number(digits)
    if (!RESOURCE_NAME.test(name))
      return wrong(
        what,
        'a name of letters, digits and "-", "_" or ".", then "=" and a capacity, such as "rooms=10"',
        part,
      )
    if (capacity < 1 || capacity > most) return wrong(what, `${name} with a capacity from 1 to ${most}`, part)
    if (all.slice(0, index).some((other) => other.startsWith(`${name}=`)))
      throw new ChoiceError(`${what} must be given once for each name; got "${name}" twice`)
    return { name, capacity }
  })
}

/** Whether allocations and autoscalers can count places of the resource. */
export const hasPlaces = ({ name, capacity }: Resource): boolean =>
  RESOURCE_NAME.test(name) && capacity >= 1 && capacity <= MOST_COUNT

export function wrong(what: string, wanted: string, value: string): never {
  throw new ChoiceError(`${what} must be ${wanted}; got "${value.slice(0, 80)}"`)
}
