import { existsSync } from 'node:fs'
import { basename, join, posix, resolve } from 'node:path'
import { SIDECAR } from './choices.js'
import type { Kind } from './choices.js'
import { isOutside, membersOf, readPackage } from './package-json.js'
import type { PackageJson } from './package-json.js'
import { findProgram } from './program.js'
import type { Program, Runtime } from './program.js'
import { ignoredNames } from './source.js'

/** How a project installs its packages. */
export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/** What a folder's files say about the project. */
export interface Project {
  readonly folder: string
  /** Undefined if nothing says what the project is. */
  readonly kind: Kind | undefined
  /** The end of a sentence: why the project is of this kind. */
  readonly why: string
  /** Why init can't name a program or page; undefined if it can. */
  readonly problem: string | undefined
  /** A DNS label. */
  readonly name: string
  readonly dir: string
  readonly entry: string | undefined
  readonly runtime: Runtime
  readonly version: string | undefined
  readonly hasPackage: boolean
  /** The scripts of the page or program. */
  readonly scripts: PackageJson['scripts']
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
]
/** Configuration files of package managers. */
const SETTINGS = ['.npmrc', '.yarnrc.yml', 'pnpm-workspace.yaml', 'bunfig.toml']
/** Scripts that package managers run when they install. */
export const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare']
/** Folders that an install reads. */
const INSTALL_FOLDERS = ['patches', '.yarn']

/**
 * Looks at a folder, with defaults for what is missing.
 *
 * @throws ProjectError for a package.json that is no JSON
 */
export function inspectProject(folder: string): Project {
  const has = (path: string): boolean => existsSync(join(folder, path))
  const content = readPackage(folder)
  const parts = ['', ...membersOf(folder, content)].map((dir) => lookAt(folder, dir))
  const { kind, part, why, problem } = judge(parts)
  const { scripts } = part.content
  const dev = { ...content.devDependencies, ...part.content.devDependencies }
  const needed = { ...content.dependencies, ...part.content.dependencies }
  const packages = { ...dev, ...needed }
  const [lock, manager] = LOCK_FILES.find(([file]) => has(file)) ?? [undefined, 'npm']
  const file = /^file:(.*)$/s.exec(packages[SIDECAR] ?? '')?.[1]
  const outside = file !== undefined && isOutside(folder, file) ? file : undefined
  const ofPart = scripts['build'] === undefined ? undefined : `(cd ${part.dir} && ${manager} run build)`
  return {
    ...{ folder, kind, why, problem, scripts, manager, outside, version: content.version },
    name: clusterName(content.name) ?? clusterName(basename(resolve(folder))) ?? 'game',
    dir: posix.join(part.dir, part.page.dir),
    entry: part.program.entry && posix.join(part.dir, part.program.entry),
    runtime: part.program.runtime,
    hasPackage: has('package.json'),
    build: content.scripts['build'] === undefined ? ofPart : `${manager} run build`,
    ignored: ignoredNames(join(folder, '.gitignore')),
    packages: Object.keys(packages),
    devPackages: Object.keys(dev).filter((name) => !(name in needed)),
    manifests: [
      // The pattern also matches the lock file, which the first `npm install` writes.
      ...(lock === undefined ? ['package*.json'] : ['package.json', lock]),
      ...SETTINGS.filter(has),
      // init asks the user to copy an outside package into the project.
      ...(file === undefined ? [] : [outside === undefined ? file : basename(file)]),
    ],
    installNeedsSources:
      INSTALL_SCRIPTS.some((name) => name in content.scripts) ||
      INSTALL_FOLDERS.some(has) ||
      Object.entries(packages).some(([name, version]) => name !== SIDECAR && /^(file|link):/.test(version)) ||
      content.workspaces.length > 0,
  }
}

/** The project itself, or a package of its workspace. */
interface Part {
  /** Empty for the project itself. */
  readonly dir: string
  readonly content: PackageJson
  readonly program: Program
  readonly page: { readonly dir: string; readonly why: string | undefined }
}

function lookAt(folder: string, dir: string): Part {
  const has = (path: string): boolean => existsSync(join(folder, dir, path))
  const content = readPackage(join(folder, dir))
  const hasBuild = 'build' in content.scripts
  // With a build, public/index.html is usually a source file.
  const built = BUILD_FOLDERS.find((name) => has(`${name}/index.html`) && !(hasBuild && name === 'public'))
  const bundler =
    Object.keys({ ...content.devDependencies, ...content.dependencies }).find((name) => PAGE_BUNDLER.test(name)) ??
    ['js', 'mjs', 'ts', 'mts'].map((ending) => `vite.config.${ending}`).find(has)
  const sign = built === undefined ? (['index.html', 'public/index.html'].find(has) ?? bundler) : `${built}/index.html`
  // Without a build, a page at the top of the project is its own build.
  const isOpen = !hasBuild && bundler === undefined && has('index.html')
  const page = { dir: built ?? (isOpen ? '.' : 'dist'), why: sign && `it has ${sign}` }
  return { dir, content, page, program: findProgram(join(folder, dir), content) }
}

interface Judgement extends Pick<Project, 'kind' | 'why' | 'problem'> {
  readonly part: Part
}

const NOTHING =
  'nothing in the project is a page (index.html, a bundler of pages) or a program (a start script, main, a server package)'

/** Decides what a project is, and which package of a workspace. */
function judge([root, ...members]: readonly Part[]): Judgement {
  const { program, content, page } = root!
  if (program.why !== undefined && program.entry !== undefined) return serverOf(root!)
  const servers = members.filter(({ program }) => program.why !== undefined && !program.why.startsWith('main'))
  const start = content.scripts['start'] ?? ''
  const meant = servers.filter(({ dir, content }) => start.includes(dir) || start.includes(content.name ?? dir))
  const server = servers.length === 1 ? servers[0] : meant.length === 1 ? meant[0] : undefined
  if (server !== undefined) return serverOf(server)
  const undecided = { kind: undefined, part: root!, why: '' }
  if (servers.length > 0) {
    const programs = servers.map(({ dir, program }) => posix.join(dir, program.entry ?? ''))
    return { ...undecided, problem: `the project has the servers ${programs.join(' and ')}` }
  }
  const paged = [root!, ...members].find(({ page }) => page.why !== undefined)
  const hasProgram = (program.entry ?? program.unclear) !== undefined
  if (program.why !== undefined || (paged === undefined && hasProgram)) return serverOf(root!)
  if (paged === undefined) return { ...undecided, problem: NOTHING }
  return { kind: 'page', part: paged, why: placed(paged, paged.page.why ?? page.why!), problem: undefined }
}

/** A reason with the folder of its package. */
const placed = ({ dir }: Part, why: string): string =>
  dir === '' ? why : why.replace(/^it|^npm/, (word) => (word === 'it' ? dir : `in ${dir}, npm`))

/** The problem says why the program can't be named, or not be put into an image. */
function serverOf(part: Part): Judgement {
  const { runtime, entry, unclear } = part.program
  const why = placed(part, part.program.why ?? `it has ${entry ?? 'a start script'}`)
  const problem =
    runtime === 'deno'
      ? `${entry ?? 'the program'} is for Deno, for which init writes no image`
      : unclear === undefined
        ? `the project is a server, since ${why}, but no script starts a program that is there`
        : `npm start runs "${unclear}", which names no program for Node`
  return { kind: 'node', part, why, problem: entry === undefined || runtime === 'deno' ? problem : undefined }
}

/** `@team/My Game` becomes `my-game`. */
function clusterName(name = ''): string | undefined {
  // Accents are removed.
  const plain = name
    .replace(/^@[^/]*\//, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
  const fit = plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')
  return fit === '' ? undefined : fit
}
