import { parseAllDocuments } from 'yaml'
import type { Choices } from '../../../src/deploy/init/choices.js'
import { renderFiles } from '../../../src/deploy/init/render.js'
import { managerOf, type Project } from '../../../src/deploy/init/project.js'

const project: Project = {
  folder: '.',
  kind: 'page',
  why: 'it has index.html',
  problem: undefined,
  runtime: 'node',
  name: 'star-arena',
  dir: 'dist',
  entry: 'server.mjs',
  version: '1.0.0',
  hasPackage: true,
  build: 'npm run build',
  ignored: ['node_modules', 'dist'],
  packages: ['gameserver-sidecar'],
  devPackages: [],
  manager: managerOf((lock) => lock === 'package-lock.json'),
  manifests: ['package.json', 'package-lock.json'],
  installNeedsSources: false,
}

const page: Choices = {
  kind: 'page',
  name: 'star-arena',
  dir: 'dist',
  entry: 'server.mjs',
  port: 7777,
  health: 15,
  image: 'star-arena:1',
  counters: [],
  lists: [],
  path: undefined,
  webgl: false,
  webrtc: false,
  metrics: false,
}

interface Variant {
  readonly name: string
  readonly choices: Choices
  readonly project: Project
  readonly files: ReadonlyMap<string, string>
}

function variant(name: string, choices: Partial<Choices> = {}, projectChanges: Partial<Project> = {}): Variant {
  const all = { choices: { ...page, ...choices }, project: { ...project, ...projectChanges } }
  return { name, ...all, files: renderFiles(all.choices, all.project) }
}

const rooms = { name: 'rooms', capacity: 10 }
const players = { name: 'players', capacity: 64 }

/** Every shape that the files have. */
export const variants: readonly Variant[] = [
  variant('a page'),
  variant('a page with counters', { counters: [rooms, players] }),
  variant('a page with lists', { lists: [players, { name: 'bots', capacity: 1000 }] }),
  variant('a page with both, a path, WebGL and UDP', {
    ...{ counters: [rooms], lists: [players], path: '/a.html?b=1&c=~,', webgl: true, webrtc: true, port: 9000 },
  }),
  variant('a page behind an edge', { edge: { host: 'play.example.com', nodes: ['10.0.0.0/8'], ports: [7000, 8000] } }),
  variant('a page without a build of its own', { dir: '.' }, { build: undefined, manifests: ['package*.json'] }),
  variant(
    'a page of a pnpm project',
    {},
    { manager: managerOf((lock) => lock === 'pnpm-lock.yaml'), manifests: ['package.json', 'pnpm-lock.yaml'] },
  ),
  variant('names that YAML could misread', {
    name: '007',
    image: 'registry.example:5000/team/game:1.0',
    counters: [
      { name: 'true', capacity: 1 },
      { name: '1e3', capacity: 2 ** 31 - 1 },
    ],
    lists: [{ name: '12', capacity: 1 }],
  }),
  variant(
    'a Node program with a postinstall script',
    { kind: 'node' },
    { installNeedsSources: true, build: undefined },
  ),
  variant('a Node program', { kind: 'node' }, { build: undefined }),
  variant('a Node program with a build', { kind: 'node', entry: 'dist/main.js', counters: [rooms] }),
]

/** The documents of a YAML file. */
export function documentsOf(text: string): unknown[] {
  const documents = parseAllDocuments(text, { prettyErrors: true })
  if (!Array.isArray(documents)) return []
  return documents.map((document) => {
    if (document.errors.length > 0) throw document.errors[0]!
    return document.toJS() as unknown
  })
}

/** The documents that stand in a file as comments, ready to be used. Each begins with `# ---`. */
export const commentedDocuments = (text: string): unknown[] =>
  [...text.matchAll(/^# ---\n((?:#.*\n)+)/gm)].flatMap(([, block]) => documentsOf(block!.replace(/^# ?/gm, '')))
