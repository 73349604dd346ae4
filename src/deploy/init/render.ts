import { carryOver, type Existing } from './carry-over.js'
import {
  extraFlags,
  METRICS_PORT,
  MOST_COUNT,
  SIDECAR,
  WEBRTC,
  type Choices,
  type Edge,
  type Resource,
} from './choices.js'
import { routePattern } from './edge.js'
import { needsTsx, type Project } from './project.js'
import { text as ALLOCATION } from './templates/allocation.yaml?text'
import { text as DOCKERFILE } from './templates/Dockerfile?text'
import { text as DOCKERIGNORE } from './templates/dockerignore?text'
import { text as EDGE } from './templates/edge.yaml?text'
import { text as FLEET } from './templates/fleet.yaml?text'
import { text as AUTOSCALERS } from './templates/fleetautoscaler.yaml?text'
import { text as GAME_SERVER } from './templates/gameserver.yaml?text'
import { text as MATCHMAKER } from './templates/matchmaker.yaml?text'
import { text as NGINX_CONF } from './templates/nginx.conf?text'
import { text as AUTOSCALER } from './templates/policy.yaml?text'
import { text as RUN_NGINX } from './templates/run.sh?text'
import { text as SPEC } from './templates/spec.yaml?text'

/** The fewest and the most servers, or servers' worth of places. A Fleet begins with the fewest. */
const LEAST_SERVERS = 2
const MOST_SERVERS = 10
/** After this many periods without a beat, a server is Unhealthy. */
const FAILURES = 3

/** The content of each file by its name. */
export function renderFiles(choices: Choices, project: Project, existing?: Existing): ReadonlyMap<string, string> {
  const manifest = manifestValues(choices)
  const image = imageValues(choices, project)
  const fleet = fill(FLEET, manifest)
  return new Map([
    ['Dockerfile', fill(DOCKERFILE, image)],
    ['.dockerignore', fill(DOCKERIGNORE, image)],
    ['gameserver.yaml', fill(GAME_SERVER, manifest)],
    ['fleet.yaml', existing === undefined ? fleet : carryOver(fleet, existing)],
    ['fleetautoscaler.yaml', fill(AUTOSCALERS, autoscalerValues(choices))],
    ['allocation.yaml', fill(ALLOCATION, manifest)],
    ...(choices.edge === undefined ? [] : [['edge.yaml', edgeManifest(choices.edge)] as const]),
  ])
}

/** A name as a scalar of YAML: in quotes if YAML could read it as a number, a boolean or null. */
const scalar = (name: string): string =>
  /^[A-Za-z_][\w.-]*$/.test(name) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(name) ? name : `'${name}'`

function manifestValues(choices: Choices): Values {
  const { kind, name, webgl, webrtc, health, edge } = choices
  const page = kind === 'page'
  const withKeys = (all: readonly Resource[]): Values[] =>
    all.map(({ name, capacity }) => ({ key: scalar(name), capacity }))
  const [counters, lists] = [withKeys(choices.counters), withKeys(choices.lists)]
  const [first] = [
    ...counters.map((one) => ({ ...one, type: 'Counter' })),
    ...lists.map((one) => ({ ...one, type: 'List' })),
  ]
  const empty = { state: 'Ready', comment: first && 'Otherwise an empty one.' }
  const shared = {
    state: 'Allocated',
    comment: 'A server that is in use and has a place left, so that servers fill up.',
  }
  const values: Values = {
    ...choices,
    ...{ page, counters, lists, metricsPort: METRICS_PORT, edge: edge !== undefined, nodes: edge?.nodes.join(',') },
    name: scalar(name),
    hasCounters: counters.length > 0,
    hasLists: lists.length > 0,
    period: Math.ceil(health / FAILURES),
    flags: extraFlags(choices).map((flag) => ({ flag })),
    ...(page
      ? { beats: '--auto-health', delay: 30, grace: '--grace', memory: '320Mi', memoryLimit: '512Mi' }
      : {
          beats: 'autoHealth: true',
          delay: 10,
          grace: 'processSignals grants',
          memory: '128Mi',
          memoryLimit: '256Mi',
        }),
    protocol: webrtc ? 'TCPUDP' : 'TCP',
    cpu: page && webgl ? '750m' : '250m',
    states: first === undefined ? [empty] : [shared, empty],
    priority: first === undefined ? [] : [first],
    matchmaker: commentOut(fill(MATCHMAKER, { name })),
  }
  return { ...values, spec: fill(SPEC, values) }
}

function autoscalerValues({ name, counters, lists }: Choices): Values {
  const byPlaces = (type: 'Counter' | 'List', { name: plain, capacity }: Resource): Values => {
    const field = type.toLowerCase()
    return {
      ...{ type, field, key: scalar(plain), what: 'Capacity' },
      why: `By the ${field} "${plain}": keeps the places of two servers free. Fits servers that several allocations share.`,
      bufferSize: Math.min(capacity * LEAST_SERVERS, MOST_COUNT),
      least: capacity * LEAST_SERVERS,
      most: capacity * MOST_SERVERS,
    }
  }
  const byServers: Values = {
    ...{ type: 'Buffer', field: 'buffer', what: 'Replicas' },
    why: 'By servers: keeps two Ready beside the Allocated ones. Fits one match a server.',
    ...{ bufferSize: LEAST_SERVERS, least: LEAST_SERVERS, most: MOST_SERVERS },
  }
  const all = [
    ...counters.map((one) => byPlaces('Counter', one)),
    ...lists.map((one) => byPlaces('List', one)),
    byServers,
  ]
  const policies = all.map((policy, index): Values => {
    const document = fill(AUTOSCALER, { name: scalar(name), ...policy })
    return index === 0
      ? { ...policy, or: '', document }
      : { ...policy, or: 'Or: ', document: commentOut(`---\n${document}`) }
  })
  return { policies, others: all.length > 1 }
}

/** The values of the Dockerfile and of .dockerignore. */
function imageValues(choices: Choices, project: Project): Values {
  const { kind, dir, entry, image, port, webrtc } = choices
  const page = kind === 'page'
  const { build, runtime, ignored } = project
  const built = build === undefined ? `${dir}/` : `--from=game /project/${dir}/`
  const hosting = webrtc ? [SIDECAR, WEBRTC] : [SIDECAR]
  const isBun = !page && runtime === 'bun'
  return {
    ...{ page, image, port, webrtc, entry, build, isBun },
    runtime: isBun ? 'bun' : 'node',
    Runtime: isBun ? 'Bun' : 'Node',
    megabytes: isBun ? 110 : 115,
    copy: copyManifests(project),
    copyAndInstall: copyAndInstall(project, !page && build === undefined),
    finish: buildAndPrune(project),
    hosting: hosting.map((name) => `'${name}'`).join(', '),
    copied: page ? `${built} /game/` : '--from=server /server/ /server/',
    nodeOptions: needsTsx(entry, project) ? ' NODE_OPTIONS="--import tsx"' : '',
    command: JSON.stringify(['--players-port', String(port), ...extraFlags(choices)]).replaceAll('","', '", "'),
    rebuilt: page && build !== undefined && ignored.includes(dir) ? dir : undefined,
  }
}

const copyManifests = ({ manifests }: Project): string => `COPY ${manifests.join(' ')} ./`

/** Packages are installed before the sources are copied, so that a change of sources installs nothing. */
function copyAndInstall(project: Project, isForProduction: boolean): string {
  const { install, withoutDev } = project.manager
  const command = `${install}${isForProduction ? withoutDev : ''}`
  return project.installNeedsSources
    ? `# Everything is copied first, since a script or patch of the installation may need it.\nCOPY . .\nRUN ${command}`
    : `${copyManifests(project)}\nRUN ${command}\nCOPY . .`
}

/** Builds a program, and removes the packages that only its build needs, and the registry's token. */
const buildAndPrune = ({ build, manager }: Project): string =>
  [build, build && manager.prune, 'rm -f .npmrc'].filter((command) => command !== undefined).join(' && ')

export function edgeManifest(edge: Edge): string {
  const { host, nodes, ports } = edge
  const route = routePattern(edge)
  const nginxConf = fill(NGINX_CONF, { host, nodes: nodes.join(', '), ports: ports.join(' to '), route })
  return fill(EDGE, { host, nginxConf, run: RUN_NGINX })
}

type Scalar = string | number | boolean | undefined

/** The values of a template's placeholders, by name. */
interface Values {
  readonly [name: string]: Scalar | readonly Values[]
}

const BLOCK = /^ *\{\{([#^])(\w+)\}\}\n([^]*?)^ *\{\{\/\2\}\}\n/gm

/**
 * Fills in a template. `{{name}}` is a value; one that stands alone takes the indentation of its line. The lines between
 * `{{#name}}` and `{{/name}}` stay if the value is true, and once for each element of an array; those between `{{^name}}`
 * and `{{/name}}` stay if it is not.
 */
function fill(template: string, values: Values): string {
  const textOf = (name: string): string => {
    const value = values[name]
    return typeof value === 'object' ? '' : String(value)
  }
  return keepBlocks(template, values)
    .replace(/^( *)\{\{(\w+)\}\}$/gm, (_, spaces: string, name: string) => indent(textOf(name).trimEnd(), spaces))
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => textOf(name))
}

const keepBlocks = (template: string, values: Values): string =>
  template.replace(BLOCK, (_, sign: string, name: string, lines: string) => {
    const value = values[name]
    const isList = Array.isArray(value)
    if (sign === '#' && isList)
      return (value as readonly Values[]).map((one) => fill(lines, { ...values, ...one })).join('')
    const isTrue = isList ? value.length > 0 : Boolean(value)
    return isTrue === (sign === '#') ? keepBlocks(lines, values) : ''
  })

/** Indents each non-empty line. */
const indent = (text: string, spaces: string): string => text.replace(/^(?=.)/gm, spaces)

/** Turns YAML into comments that become YAML again when "# " is removed. */
const commentOut = (yaml: string): string => yaml.replace(/^(.+)$/gm, '# $1')
