/**
 * Who may import whom in `src`; `npm run lint` checks it. Arrows point down and never in a circle:
 *
 *   cli, vite > node > schema > sidecar > protocol
 *   node > fleet > sidecar
 *   adapters > players > index > client > protocol
 *   agones-sdk > index
 *   allocator > client > protocol
 *   node > frames
 *   node > host-page > relay, as a script
 *   player > relay, protocol
 */

/**
 * The folders and entry files of `src` that each one may import besides itself, and the packages. One that isn't listed
 * fails. A folder within another is apart from it.
 */
const allowed = {
  protocol: {},
  client: { areas: ['protocol'] },
  'client/node': { areas: ['client'], packages: ['isomorphic-ws'], node: true },
  frames: {},
  players: { areas: ['index.ts'] },
  adapters: { areas: ['index.ts', 'players', 'protocol'] },
  'agones-sdk': { areas: ['index.ts', 'index.node.ts'] },
  allocator: { areas: ['client', 'protocol'], types: ['sidecar'], node: true },
  relay: {},
  player: { areas: ['relay', 'protocol'] },
  'host-page': { areas: ['relay'] },
  sidecar: { areas: ['protocol'] },
  fleet: { areas: ['protocol', 'sidecar'] },
  schema: { areas: ['protocol', 'sidecar'], types: ['fleet'], packages: ['valibot'] },
  dashboard: { areas: ['fleet', 'protocol', 'sidecar'], packages: ['preact'] },
  mock: { areas: ['protocol', 'sidecar'], types: ['client', 'index.ts'] },
  node: {
    areas: [
      'protocol',
      'schema',
      'sidecar',
      'fleet',
      'client',
      'dashboard',
      'frames',
      'relay',
      'host-page',
      'index.ts',
      'index.node.ts',
    ],
    packages: ['@jridgewell/trace-mapping', 'mrmime', 'node-datachannel', 'ws', 'yaml'],
    node: true,
  },
  vite: { areas: ['node', 'schema'], node: true },
  init: { areas: ['node', 'protocol'], node: true },
  cli: {
    areas: ['client', 'protocol', 'schema', 'sidecar', 'node', 'frames', 'init', 'index.ts', 'index.node.ts'],
    packages: ['picocolors', 'ws'],
    node: true,
  },
  'exports.ts': { areas: ['client'], types: ['host-page', 'protocol'] },
  'index.ts': { areas: ['client', 'exports.ts'] },
  'index.browser.ts': { areas: ['client', 'exports.ts'] },
  'index.core.ts': { areas: ['client', 'exports.ts'] },
  'index.node.ts': { areas: ['client', 'exports.ts'] },
}

/** Folders in the order in which they may build on each other: none imports anything of a folder that comes later. */
const floors = [
  ['client/health', 'client/direct', 'client/page'],
  ['sidecar/model/state', 'sidecar/model/calls', 'sidecar/model/time', 'sidecar/control', 'sidecar/wire'],
  ['sidecar/model/calls', 'sidecar/allocation', 'sidecar/control', 'sidecar/wire'],
  ['sidecar/wire', 'sidecar/model/calls'],
  ['sidecar/wire', 'sidecar/model/time', 'sidecar/control'],
  ['node/http', 'node/local', 'node/exec', 'node/gateway', 'node/host'],
  ['node/local', 'node/fleet-dashboard'],
  ['node/host/browser', 'node/host/page', 'node/host/supervision'],
  ['node/gateway/files', 'node/gateway/forward'],
  ['node/gateway/forward', 'node/gateway/files'],
]

const escape = (name) => name.replace('.', '\\.')
const pathsOf = (areas) => areas.map((area) => `^src/${escape(area)}${area.endsWith('.ts') ? '$' : '/'}`)
const packagesOf = (names) => names.map((name) => `(^|/)node_modules/(@types/)?${name}/`)

const boundaries = Object.entries(allowed).map(([area, { areas = [], types = [], packages = [], node = false }]) => ({
  name: `imports-of-${area}`,
  severity: 'error',
  comment: 'build/dependency-cruiser.config.mjs lists what each folder of src may import',
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
  page: ['index.ts', 'index.browser.ts'],
  direct: ['client/page'],
  hosts: ['index.ts'],
  node: ['index.node.ts'],
}

const parts = Object.entries(broughtBy).map(([part, areas]) => ({
  name: `client-${part}-is-brought-by-entries`,
  severity: 'error',
  from: { pathNot: pathsOf([`client/${part}`, ...areas]) },
  to: { path: pathsOf([`client/${part}`]), dependencyTypesNot: ['type-only'] },
}))

export default {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'area-is-listed',
      severity: 'error',
      comment: 'Each folder and each entry file of src says in build/dependency-cruiser.config.mjs what it may import.',
      from: { path: '^src/', pathNot: pathsOf(Object.keys(allowed)) },
      to: {},
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
          '^src/(adapters|dashboard|fleet|frames|host-page|mock|player|players|relay|schema|sidecar)/',
        ],
      },
      to: {
        path: ['^src/(node|vite|cli)/', '^(node:)?(fs|http|https|net|os|path|process|stream|tls|url)($|/)'],
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
