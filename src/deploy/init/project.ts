import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { INNER_PATH, ProjectError, SIDECAR, type Kind } from './choices.js'
import { findProgram, type PackageJson, type Program, type Runtime, type Texts } from './program.js'
import { linesOf, textOf } from './source.js'

/** How a project installs its packages. */
export interface PackageManager {
  readonly name: string
  readonly lock: string | undefined
  /** The command that adds a package. */
  readonly add: string
  readonly install: string
  /** What it takes to install no devDependencies. */
  readonly withoutDev: string
  /** Removes the devDependencies after a build. */
  readonly prune: string | undefined
}

const npm: PackageManager = {
  name: 'npm',
  lock: 'package-lock.json',
  add: 'npm install',
  install: 'npm ci',
  withoutDev: ' --omit=dev',
  prune: 'npm prune --omit=dev',
}
const BUN = 'bun install --frozen-lockfile'

/** The first one whose lock file is there counts. */
const MANAGERS: readonly PackageManager[] = [
  npm,
  { ...npm, lock: 'npm-shrinkwrap.json' },
  {
    name: 'pnpm',
    lock: 'pnpm-lock.yaml',
    add: 'pnpm add',
    install: 'corepack enable && pnpm install --frozen-lockfile',
    withoutDev: ' --prod',
    prune: 'pnpm prune --prod',
  },
  {
    name: 'yarn',
    lock: 'yarn.lock',
    add: 'yarn add',
    // Newer versions create node_modules only with this setting, and have no command to prune.
    install: 'corepack enable && YARN_NODE_LINKER=node-modules yarn install',
    withoutDev: '',
    prune: undefined,
  },
  {
    name: 'bun',
    lock: 'bun.lock',
    add: 'bun add',
    install: `npm install --global bun@1 && ${BUN}`,
    withoutDev: ' --production',
    prune: `rm -rf node_modules && ${BUN} --production`,
  },
  { ...npm, lock: undefined, install: 'npm install' },
]

/** The package manager whose lock file is there. */
export const managerOf = (hasLock: (lock: string) => boolean): PackageManager =>
  MANAGERS.find(({ lock }) => lock === undefined || hasLock(lock))!

/** What a folder's files say about the project. */
export interface Project {
  readonly folder: string
  /** Undefined if nothing says what the project is. */
  readonly kind: Kind | undefined
  /** The end of a sentence: why the project is of this kind. */
  readonly why: string
  /** Why init can't name a page or a program; undefined if it can. */
  readonly problem: string | undefined
  /** A DNS label. */
  readonly name: string
  readonly dir: string
  readonly entry: string | undefined
  readonly runtime: Runtime
  readonly version: string | undefined
  readonly hasPackage: boolean
  /** The command that builds the page or program. */
  readonly build: string | undefined
  /** The names in .gitignore: files that a build can recreate. */
  readonly ignored: readonly string[]
  /** The packages that package.json lists. */
  readonly packages: readonly string[]
  /** The devDependencies, which production images lack. */
  readonly devPackages: readonly string[]
  readonly manager: PackageManager
  /** The files that an install needs, package.json first. */
  readonly manifests: readonly string[]
  /** Whether an install may read more files: for install scripts, patches, or packages of the project's own. */
  readonly installNeedsSources: boolean
}

/** Whether Node needs tsx for a program: Node itself runs TypeScript only if erasing the types is enough. */
export const needsTsx = (entry: string, { runtime, packages }: Project): boolean =>
  runtime !== 'bun' && /\.[cm]?ts$/.test(entry) && packages.includes('tsx')

/** Usual folders of builds, the likeliest first. */
const BUILD_FOLDERS = ['dist', 'build', 'public', 'www']
/** Packages that make pages. */
const PAGE_BUNDLER = /^(vite|parcel|html-webpack-plugin|webpack-dev-server|react-scripts|@angular\/cli)$/
/** The pattern also matches the lock file, which the first `npm install` writes. */
const ANY_MANIFEST = 'package*.json'
/** Configuration files of package managers. */
const SETTINGS = ['.npmrc', '.yarnrc.yml', 'pnpm-workspace.yaml', 'bunfig.toml']
/** Folders that an install reads. */
const INSTALL_FOLDERS = ['patches', '.yarn']
/** Scripts that package managers run when they install. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare']

/**
 * Looks at a folder, with defaults for what is missing.
 *
 * @throws ProjectError for a package.json that is no JSON
 */
export function inspectProject(folder: string): Project {
  const has = (path: string): boolean => existsSync(join(folder, path))
  const json = readJson(join(folder, 'package.json'))
  const content = contentOf(json)
  const { dependencies, devDependencies, scripts, version } = content
  const all = { ...devDependencies, ...dependencies }
  const page = findPage(content, has)
  const program = findProgram(folder, content)
  const manager = managerOf(has)
  const file = /^file:(.*)$/s.exec(all[SIDECAR] ?? '')?.[1]
  const own = Object.entries(all).filter(([name, from]) => name !== SIDECAR && /^(file|link):/.test(from))
  return {
    ...{ folder, manager, version, dir: page.dir, entry: program.entry, runtime: program.runtime },
    ...judge(program, page.why),
    name: clusterName(content.name) || clusterName(basename(resolve(folder))) || 'game',
    hasPackage: has('package.json'),
    build: scripts['build'] === undefined ? undefined : `${manager.name} run build`,
    ignored: linesOf(join(folder, '.gitignore')),
    packages: Object.keys(all),
    devPackages: Object.keys(devDependencies).filter((name) => !(name in dependencies)),
    manifests: [
      ...(manager.lock === undefined ? [ANY_MANIFEST] : ['package.json', manager.lock]),
      ...SETTINGS.filter(has),
      ...(file !== undefined && INNER_PATH.test(file.replace(/^\.\//, '')) ? [file] : []),
    ],
    installNeedsSources:
      INSTALL_SCRIPTS.some((name) => name in scripts) ||
      INSTALL_FOLDERS.some(has) ||
      own.length > 0 ||
      'workspaces' in json ||
      /^packages:/m.test(textOf(join(folder, 'pnpm-workspace.yaml'))),
  }
}

type Json = Readonly<Record<string, unknown>>

function readJson(path: string): Json {
  if (!existsSync(path)) return {}
  try {
    // npm accepts a byte order mark.
    return { ...(JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, '')) as object) }
  } catch (error) {
    throw new ProjectError(`package.json can't be read: ${(error as Error).message}`, { cause: error })
  }
}

function contentOf(json: Json): PackageJson {
  const text = (name: string): string | undefined => (typeof json[name] === 'string' ? json[name] : undefined)
  const texts = (name: string): Texts => {
    const entries = Object.entries({ ...(json[name] as Json) })
    return Object.fromEntries(entries.flatMap(([key, one]) => (typeof one === 'string' ? [[key, one]] : [])))
  }
  return {
    ...{ name: text('name'), version: text('version'), main: text('main') },
    scripts: texts('scripts'),
    dependencies: texts('dependencies'),
    devDependencies: texts('devDependencies'),
  }
}

/** The folder of the page's build, and why there is a page. */
function findPage({ scripts, dependencies, devDependencies }: PackageJson, has: (path: string) => boolean) {
  const hasBuild = 'build' in scripts
  // With a build, public/index.html is usually a source file.
  const built = BUILD_FOLDERS.find((name) => has(`${name}/index.html`) && !(hasBuild && name === 'public'))
  const bundler =
    Object.keys({ ...devDependencies, ...dependencies }).find((name) => PAGE_BUNDLER.test(name)) ??
    ['js', 'mjs', 'ts', 'mts'].map((ending) => `vite.config.${ending}`).find(has)
  const sign = built === undefined ? (['index.html', 'public/index.html'].find(has) ?? bundler) : `${built}/index.html`
  // Without a build, a page at the top of the project is its own build.
  const isOpen = !hasBuild && bundler === undefined && has('index.html')
  return { dir: built ?? (isOpen ? '.' : 'dist'), why: sign && `it has ${sign}` }
}

const NOTHING =
  'nothing in the project is a page (index.html, a bundler of pages) or a program (a start script, main, a server package)'

/** Decides what a project is. The problem says why the program can't be named, or not be put into an image. */
function judge(program: Program, page: string | undefined): Pick<Project, 'kind' | 'why' | 'problem'> {
  const { entry, runtime, why, unclear } = program
  const isServer = why !== undefined && (page === undefined || entry !== undefined)
  if (!isServer && page !== undefined) return { kind: 'page', why: page, problem: undefined }
  if (why === undefined && entry === undefined && unclear === undefined) {
    return { kind: undefined, why: '', problem: NOTHING }
  }
  const reason = why ?? `it has ${entry ?? 'a start script'}`
  const problem =
    runtime === 'deno'
      ? `${entry ?? 'the program'} is for Deno, for which init writes no image`
      : unclear === undefined
        ? `the project is a server, since ${reason}, but no script starts a program that is there`
        : `npm start runs "${unclear}", which names no program for Node`
  return { kind: 'node', why: reason, problem: entry === undefined || runtime === 'deno' ? problem : undefined }
}

/** `@team/Pokémon Arena` becomes `pokemon-arena`. Empty if nothing of the name fits. */
const clusterName = (name = ''): string =>
  name
    .replace(/^@[^/]*\//, '')
    // Splits letters from their accents, which are then removed.
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')
