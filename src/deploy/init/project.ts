import { existsSync, readFileSync } from 'node:fs'
import { basename, isAbsolute, join, relative, resolve } from 'node:path'
import type { Kind } from './choices.js'
import { findProgram, textOf } from './program.js'
import type { ServerSigns } from './program.js'

/** How a project installs its packages. */
export type PackageManager = 'npm' | 'pnpm' | 'yarn'

/** What a folder's files say about the project. */
export interface Project {
  readonly kind: Kind
  /** The end of a sentence: why a project with a page is a program. */
  readonly whyNoPage: string | undefined
  /** A DNS label. */
  readonly name: string
  readonly dir: string
  readonly entry: string
  readonly version: string | undefined
  readonly hasPackage: boolean
  /** The scripts of package.json. */
  readonly scripts: Readonly<Record<string, unknown>>
  readonly hasBuild: boolean
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
  readonly devDependencies?: Readonly<Record<string, unknown>>
}

export const SIDECAR = 'gameserver-sidecar'
/** What the host needs for `--webrtc`, and the version that the tests run. */
export const WEBRTC = 'node-datachannel'
export const WEBRTC_VERSION = '0.33'
/** Usual folders of builds, the likeliest first. */
const BUILD_FOLDERS = ['dist', 'build', 'public', 'www']
const LOCK_FILES: readonly (readonly [string, PackageManager])[] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
]

/** A project that init can't read. The message is one sentence. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError'
}

/** Configuration files of package managers. */
const SETTINGS = ['.npmrc', '.yarnrc.yml', 'pnpm-workspace.yaml']
/** Scripts that package managers run when they install. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare']
/** Folders that an install reads. */
const INSTALL_FOLDERS = ['patches', '.yarn']

/**
 * Looks at a folder, with defaults for what is missing.
 *
 * @throws ProjectError for a package.json that is no JSON
 */
export function inspectProject(folder: string): Project {
  const has = (path: string): boolean => existsSync(join(folder, path))
  const description = readPackage(folder)
  const packages = { ...description.devDependencies, ...description.dependencies }
  const hasBuild = typeof description.scripts?.['build'] === 'string'
  // With a build, public/index.html is usually a source file.
  const folders = hasBuild ? BUILD_FOLDERS.filter((dir) => dir !== 'public') : BUILD_FOLDERS
  const built = folders.find((dir) => has(`${dir}/index.html`))
  const hasVite = ['js', 'mjs', 'ts', 'mts'].some((ending) => has(`vite.config.${ending}`)) || 'vite' in packages
  const { entry, why } = findProgram(folder, description)
  const hasPage = built !== undefined || hasVite || has('index.html')
  const lock = LOCK_FILES.find(([file]) => has(file))
  const source = packages[SIDECAR]
  const file = typeof source === 'string' && source.startsWith('file:') ? source.slice('file:'.length) : undefined
  const outside = file !== undefined && isOutside(folder, file) ? file : undefined
  return {
    kind: why !== undefined || (!hasPage && entry !== undefined) ? 'node' : 'page',
    whyNoPage: hasPage ? why : undefined,
    name: clusterName(description.name) ?? clusterName(basename(resolve(folder))) ?? 'game',
    // Without a build, a page at the top of the project is its own build.
    dir: built ?? (hasBuild || hasVite || !has('index.html') ? 'dist' : '.'),
    entry: entry ?? 'server.mjs',
    version: typeof description.version === 'string' ? description.version : undefined,
    hasPackage: has('package.json'),
    scripts: description.scripts ?? {},
    hasBuild,
    ignored: ignoredNames(join(folder, '.gitignore')),
    packages: Object.keys(packages),
    devPackages: Object.keys(description.devDependencies ?? {}).filter(
      (name) => !(name in (description.dependencies ?? {})),
    ),
    manager: lock?.[1] ?? 'npm',
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
      description.workspaces !== undefined ||
      (has('pnpm-workspace.yaml') && /^packages:/m.test(readFileSync(join(folder, 'pnpm-workspace.yaml'), 'utf8'))),
    outside,
  }
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
