import { existsSync } from 'node:fs'

/**
 * Who may import whom in `src`; `npm run lint` checks it. Each folder of `src` is a room. What lies at its top is its face:
 * other rooms import only that, and its folders are its own. Arrows point down and never in a circle:
 *
 *   cli
 *   host
 *   deploy
 *   local
 *   dashboard
 *   platform   players   engines   frames
 *   client
 *   protocol
 */

/**
 * The rooms and entry files that each room may import besides itself, and the packages. One that isn't listed fails.
 * A folder within a room is listed only where it may import more than its room, or less.
 */
const allowed = {
  protocol: {},
  client: { areas: ['protocol'], packages: ['mitt'] },
  'client/node': { areas: ['client'], packages: ['isomorphic-ws'], node: true },
  frames: {},
  'frames/node-connect.ts': { areas: ['frames'], node: true },
  players: { areas: ['index.ts', 'protocol'] },
  engines: { areas: ['index.ts', 'index.node.ts'] },
  platform: { areas: ['protocol'], types: ['index.ts'], packages: ['valibot'] },
  dashboard: { areas: ['platform', 'protocol'], packages: ['preact'] },
  local: {
    areas: ['protocol', 'platform', 'dashboard'],
    packages: ['mrmime', 'ws', 'yaml'],
    node: true,
  },
  deploy: { areas: ['protocol', 'client', 'platform', 'local'], types: ['metrics.ts'], node: true },
  host: {
    areas: ['protocol', 'client', 'platform', 'local', 'deploy', 'index.node.ts'],
    packages: ['node-datachannel', 'ws'],
    node: true,
  },
  'host/page-script': { areas: ['host/wire'] },
  'host/player': { areas: ['host/wire', 'protocol'] },
  'host/wire': {},
  cli: {
    areas: ['protocol', 'client', 'platform', 'local', 'deploy', 'host', 'index.ts', 'index.node.ts'],
    packages: ['picocolors', 'ws'],
    node: true,
  },
  'exports.ts': { areas: ['client'], types: ['host', 'protocol'] },
  'index.ts': { areas: ['client', 'exports.ts'] },
  'index.browser.ts': { areas: ['client', 'exports.ts'] },
  'index.core.ts': { areas: ['client', 'exports.ts'] },
  'index.node.ts': { areas: ['client', 'exports.ts'] },
  'metrics.ts': { areas: ['protocol'], types: ['index.ts'] },
  'node.ts': { areas: ['local', 'deploy', 'host'], types: ['platform', 'protocol'] },
}

/** Folders of a room in the order in which they may build on each other: none imports anything of one that comes later. */
const floors = [
  ['platform/sidecar/state', 'platform/sidecar/calls', 'platform/sidecar/wire'],
  ['platform/allocation', 'platform/fleet', 'platform/schema'],
  ['platform/sidecar', 'platform/fleet', 'platform/schema'],
  ['platform/sidecar', 'platform/mock'],
  ['local/files', 'local/http', 'local/sidecar', 'local/game', 'local/fleet'],
  ['local/http', 'local/gateway', 'local/fleet', 'local/vite.ts'],
  ['host/browser', 'host/page', 'host/players'],
  ['local/gateway/files', 'local/gateway/forward'],
  ['local/gateway/forward', 'local/gateway/files'],
]

// A rule about what was moved or deleted would guard nothing.
for (const path of [
  ...Object.values(allowed).flatMap(({ areas = [], types = [] }) => [...areas, ...types]),
  ...floors.flat(),
]) {
  if (!existsSync(new URL(`../src/${path}`, import.meta.url))) throw new Error(`There is no src/${path} to guard`)
}

const escape = (name) => name.replaceAll('.', '\\.')
const pathsOf = (areas) => areas.map((area) => `^src/${escape(area)}${area.endsWith('.ts') ? '$' : '/'}`)
const packagesOf = (names) => names.map((name) => `(^|/)node_modules/(@types/)?${name}/`)

const boundaries = Object.entries(allowed).map(([area, { areas = [], types = [], packages = [], node = false }]) => ({
  name: `imports-of-${area}`,
  severity: 'error',
  comment: 'build/dependency-cruiser.config.mjs lists what each room of src may import',
  from: { path: pathsOf([area]), pathNot: pathsOf(Object.keys(allowed).filter((name) => name.startsWith(`${area}/`))) },
  to: {
    pathNot: [...pathsOf([area, ...areas, ...types]), ...packagesOf(packages)],
    ...(node ? { dependencyTypesNot: ['core'] } : {}),
  },
}))

const order = floors.flatMap((folders) =>
  folders.slice(0, -1).map((folder, index) => ({
    name: `${folder.replaceAll('/', '-')}-is-below`,
    severity: 'error',
    from: { path: pathsOf([folder]) },
    to: { path: pathsOf(folders.slice(index + 1)) },
  })),
)

const typesOnly = Object.entries(allowed)
  .filter(([, { types }]) => types !== undefined)
  .map(([area, { types }]) => ({
    name: `only-types-for-${area}`,
    severity: 'error',
    from: { path: pathsOf([area]) },
    to: { path: pathsOf(types), dependencyTypesNot: ['type-only'] },
  }))

/** What only some hosts need of the client, and who brings it. Others know its types, so that their hosts don't load it. */
const broughtBy = {
  'page/': ['index.ts', 'index.browser.ts'],
  'node/http': ['index.node.ts'],
  'node/process': ['index.node.ts', 'index.core.ts'],
}

const parts = Object.entries(broughtBy).map(([part, areas]) => ({
  name: `client-${part.replace(/\W/g, '-')}-is-brought-by-entries`,
  severity: 'error',
  from: { pathNot: [`^src/client/${part}`, ...pathsOf(areas)] },
  to: { path: `^src/client/${part}`, dependencyTypesNot: ['type-only'] },
}))

export default {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'room-is-listed',
      severity: 'error',
      comment: 'Each room and each entry file of src says in build/dependency-cruiser.config.mjs what it may import.',
      from: { path: '^src/', pathNot: pathsOf(Object.keys(allowed)) },
      to: {},
    },
    {
      name: 'only-the-face-of-a-room',
      severity: 'error',
      comment: 'The folders of a room are its own. Other rooms import what lies at its top.',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/[^/]+/[^/]+/', pathNot: ['^src/$1/', '\\.html$'] },
    },
    ...boundaries,
    ...parts,
    ...typesOnly,
    ...order,
    {
      name: 'page-reaches-no-node',
      severity: 'error',
      comment: 'A page or an engine loads these entries, so nothing behind them may need Node.',
      from: {
        path: [
          '^src/index\\.(browser\\.|core\\.)?ts$',
          '^src/(engines(?!/agones-sdk)|dashboard|platform|players)/',
          '^src/frames/index\\.ts$',
          '^src/host/(page-script|player|wire)/',
        ],
      },
      to: {
        path: ['^src/(local|deploy|cli|node)[/.]', '^(node:)?(fs|http|https|net|os|path|process|stream|tls|url)($|/)'],
        reachable: true,
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node'] },
  },
}
