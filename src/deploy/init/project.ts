import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, isAbsolute, join, posix, relative, resolve } from 'node:path'
import { SIDECAR } from './choices.js'
import type { Kind } from './choices.js'
import { findProgram } from './program.js'
import type { Program, Runtime, Scripts, ServerSigns } from './program.js'
import { textOf } from './source.js'

/** How a project installs its packages. */
export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/** What a folder's files say about the project. */
export interface Project {
  readonly folder: string
  /** Undefined if nothing says what the project is. */
  readonly kind: Kind | undefined
  /** The end of a sentence: why the project is of this kind. */
  readonly why: string
  /** Why no program or page can be named, if so. */
  readonly problem: string | undefined
  /** A DNS label. */
  readonly name: string
  readonly dir: string
  readonly entry: string | undefined
  readonly runtime: Runtime
  readonly version: string | undefined
  readonly hasPackage: boolean
  /** The scripts of package.json. */
  readonly scripts: Scripts
  /** The command that builds the page or program, at the top of the project. */
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
  /** Whether an install may read more files: for install scripts, patches, or workspaces. */
  readonly installNeedsSources: boolean
  /** The path outside the project from which this package is installed; docker build can't read that path. */
  readonly outside: string | undefined
}

interface PackageJson extends ServerSigns {
  readonly name?: unknown
  readonly version?: unknown
  readonly workspaces?: unknown
}

/** Usual folders of builds, the likeliest first. */
const BUILD_FOLDERS = ['dist', 'build', 'public', 'www']
/** Packages that make pages. */
const PAGE_BUNDLER = /^(vite|parcel|html-webpack-plugin|webpack-dev-server|react-scripts|@angular\/cli)$/
const LOCK_FILES: readonly (readonly [string, PackageManager])[] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
]
/** Configuration files of package managers. */
const SETTINGS = ['.npmrc', '.yarnrc.yml', 'pnpm-workspace.yaml', 'bunfig.toml']
/** Scripts that package managers run when they install. */
export const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare']
/** Folders that an install reads. */
const INSTALL_FOLDERS = ['patches', '.yarn']

/** A project that init can't read. The message is one sentence. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
}

/**
 * Looks at a folder, with defaults for what is missing.
 *
 * @throws ProjectError for a package.json that is no JSON
 */
export function inspectProject(folder: string): Project {
  const has = (path: string): boolean => existsSync(join(folder, path))
  const description = readPackage(folder)
  const members = membersOf(folder, description)
  const all = [
    lookAt(folder, '', description),
    ...members.map((dir) => lookAt(folder, dir, readPackage(join(folder, dir)))),
  ]
  const { kind, part, why, problem } = judge(all, description.scripts?.['start'])
  const { scripts = {} } = part.description
  const dev = { ...description.devDependencies, ...part.description.devDependencies }
  const needed = { ...description.dependencies, ...part.description.dependencies }
  const packages = { ...dev, ...needed }
  const lock = LOCK_FILES.find(([file]) => has(file))
  const manager = lock?.[1] ?? 'npm'
  const source = packages[SIDECAR]
  const file = typeof source === 'string' && source.startsWith('file:') ? source.slice('file:'.length) : undefined
  const outside = file !== undefined && isOutside(folder, file) ? file : undefined
  return {
    ...{ folder, kind, why, problem, scripts, manager, outside },
    name: clusterName(description.name) ?? clusterName(basename(resolve(folder))) ?? 'game',
    dir: posix.join(part.dir, part.page.dir),
    entry: part.program.entry && posix.join(part.dir, part.program.entry),
    runtime: part.program.runtime,
    version: typeof description.version === 'string' ? description.version : undefined,
    hasPackage: has('package.json'),
    build: buildOf(description, part, manager),
    ignored: ignoredNames(join(folder, '.gitignore')),
    packages: Object.keys(packages),
    devPackages: Object.keys(dev).filter((name) => !(name in needed)),
    manifests: [
      // The pattern also matches the lock file, which the first `npm install` writes.
      lock === undefined ? 'package*.json' : 'package.json',
      ...(lock === undefined ? [] : [lock[0]]),
      ...SETTINGS.filter(has),
      // init asks the user to copy an outside package into the project.
      ...(file === undefined ? [] : [outside === undefined ? file : basename(file)]),
    ],
    installNeedsSources:
      INSTALL_SCRIPTS.some((name) => description.scripts?.[name] !== undefined) ||
      INSTALL_FOLDERS.some(has) ||
      Object.entries(packages).some(([name, version]) => name !== SIDECAR && /^(file|link):/.test(String(version))) ||
      workspacesOf(folder, description).length > 0,
  }
}

/** The project itself, or a package of its workspace. */
interface Part {
  /** Empty for the project itself. */
  readonly dir: string
  readonly description: PackageJson
  readonly program: Program
  readonly page: { readonly dir: string; readonly why: string | undefined }
}

function lookAt(folder: string, dir: string, description: PackageJson): Part {
  const has = (path: string): boolean => existsSync(join(folder, dir, path))
  const hasBuild = typeof description.scripts?.['build'] === 'string'
  // With a build, public/index.html is usually a source file.
  const folders = hasBuild ? BUILD_FOLDERS.filter((name) => name !== 'public') : BUILD_FOLDERS
  const built = folders.find((name) => has(`${name}/index.html`))
  const isSource = ['index.html', 'public/index.html', 'src/index.html'].find(has)
  const bundler =
    Object.keys({ ...description.devDependencies, ...description.dependencies }).find((name) =>
      PAGE_BUNDLER.test(name),
    ) ?? ['js', 'mjs', 'ts', 'mts'].map((ending) => `vite.config.${ending}`).find(has)
  return {
    ...{ dir, description, program: findProgram(join(folder, dir), description) },
    page: {
      // Without a build, a page at the top of the project is its own build.
      dir: built ?? (hasBuild || bundler !== undefined || !has('index.html') ? 'dist' : '.'),
      why:
        built !== undefined
          ? `it has ${built}/index.html`
          : (isSource ?? bundler) && `it has ${(isSource ?? bundler)!}`,
    },
  }
}

interface Judgement extends Pick<Project, 'kind' | 'why' | 'problem'> {
  readonly part: Part
}

/** Decides what a project is, and which package of a workspace. */
function judge([root, ...members]: readonly Part[], start: string): Judgement {
  const name = ({ dir }: Part, why = ''): string =>
    dir === '' ? why : why.replace(/^it|^npm/, (word) => (word === 'it' ? dir : `in ${dir}, npm`))
  const of = (kind: Kind, part: Part, why: string | undefined): Judgement => ({
    ...{ kind, part, why: name(part, why) },
    problem: kind === 'node' ? problemOf(part) : undefined,
  })
  const ofServer = (part: Part): Judgement =>
    of('node', part, part.program.why ?? `it has ${part.program.entry ?? 'a program'}`)
  if (root!.program.why !== undefined && root!.program.entry !== undefined) return ofServer(root!)

  const servers = members.filter(({ program }) => program.why !== undefined && !program.why.startsWith('main'))
  const meant =
    servers.length > 1
      ? servers.filter(({ dir, description }) => [dir, description.name].some((one) => start.includes(String(one))))
      : servers
  if (meant.length === 1) return ofServer(meant[0]!)
  if (servers.length > 1) {
    const what = `the servers ${servers.map(({ dir, program }) => posix.join(dir, program.entry ?? '')).join(' and ')}`
    return { kind: undefined, part: root!, why: '', problem: `the project has ${what}` }
  }
  if (root!.program.why !== undefined) return ofServer(root!)
  const page = [root!, ...members].find((part) => part.page.why !== undefined)
  if (page !== undefined) return of('page', page, page.page.why)
  if (root!.program.entry !== undefined || root!.program.unclear !== undefined) return ofServer(root!)
  return {
    ...{ kind: undefined, part: root!, why: '' },
    problem:
      'nothing in the project is a page (index.html, a bundler of pages) or a program (a start script, main, a server package)',
  }
}

/** Why the program of a server can't be named, or not be put into an image. */
function problemOf({ dir, program: { runtime, entry, unclear, why } }: Part): string | undefined {
  const where = dir === '' ? '' : ` in ${dir}`
  if (runtime === 'deno') return `${entry ?? 'the program'} is for Deno, for which init writes no image`
  if (entry !== undefined) return undefined
  if (unclear !== undefined) return `npm start${where} runs "${unclear}", which names no program for Node`
  return `the project is a server, since ${why ?? 'it has a start script'}, but no script starts a program that is there${where}`
}

/** The build script of the project, else that of the package. */
function buildOf({ scripts }: PackageJson, { dir, description }: Part, manager: PackageManager): string | undefined {
  const isThere = (all: PackageJson['scripts']): boolean => typeof all?.['build'] === 'string'
  if (isThere(scripts)) return `${manager} run build`
  return isThere(description.scripts) ? `(cd ${dir} && ${manager} run build)` : undefined
}

/** The patterns of a workspace's packages. */
function workspacesOf(folder: string, { workspaces }: PackageJson): string[] {
  const listed = Array.isArray(workspaces)
    ? workspaces
    : ((workspaces as { packages?: unknown } | undefined)?.packages ?? [])
  const [, ofPnpm = ''] =
    /^packages:\s*\n((?:\s+.*\n?|-.*\n?)*)/m.exec(textOf(join(folder, 'pnpm-workspace.yaml'))) ?? []
  const names = [...ofPnpm.matchAll(/^\s*-\s*['"]?([^'"\s#]+)/gm)].map(([, pattern]) => pattern!)
  return [...(Array.isArray(listed) ? listed.map(String) : []), ...names]
}

/** The folders of a workspace's packages. A name that a Dockerfile would have to escape is left out. */
function membersOf(folder: string, description: PackageJson): string[] {
  const dirs = workspacesOf(folder, description).flatMap((pattern) => {
    const [, parent, star] = /^(?:\.\/)?(.*?)(\/\*\*?)?\/?$/.exec(pattern) ?? []
    if (star === undefined) return [parent ?? '']
    const path = join(folder, parent!)
    return existsSync(path) ? readdirSync(path).map((name) => `${parent!}/${name}`) : []
  })
  return [...new Set(dirs)].filter(
    (dir) => /^[\w.@/+-]+$/.test(dir) && !isOutside(folder, dir) && existsSync(join(folder, dir, 'package.json')),
  )
}

function isOutside(folder: string, file: string): boolean {
  const path = relative(resolve(folder), resolve(folder, file))
  return path.startsWith('..') || isAbsolute(path)
}

function readPackage(folder: string): PackageJson {
  const path = join(folder, 'package.json')
  if (!existsSync(path)) return {}
  try {
    // npm accepts a byte order mark.
    const value: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''))
    return typeof value === 'object' && value !== null ? value : {}
  } catch (error) {
    throw new ProjectError(`package.json can't be read: ${(error as Error).message}`, { cause: error })
  }
}

/** The lines of an ignore file without slashes at their ends: `/dist/` is `dist`. */
export function ignoredNames(path: string): string[] {
  return textOf(path)
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^\/|\/$/g, ''))
}

/** `@team/My Game` becomes `my-game`. */
function clusterName(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  const fit = name
    .replace(/^@[^/]*\//, '')
    // Removes accents.
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')
  return fit === '' ? undefined : fit
}
