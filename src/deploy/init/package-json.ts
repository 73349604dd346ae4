import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { ProjectError } from './choices.js'
import { textOf } from './source.js'

type Texts = Readonly<Record<string, string>>

/** What is read of a package.json, or of Deno's configuration. What is of another type is left out. */
export interface PackageJson {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly main: string | undefined
  readonly module: string | undefined
  readonly scripts: Texts
  readonly dependencies: Texts
  readonly devDependencies: Texts
  /** The patterns of the packages of its workspace. */
  readonly workspaces: readonly string[]
  readonly isDeno: boolean
}

/** @throws ProjectError for a package.json that is no JSON */
export function readPackage(folder: string): PackageJson {
  const deno = ['deno.json', 'deno.jsonc'].map((name) => textOf(join(folder, name))).find((text) => text !== '')
  const content = fieldsOf(readJson(join(folder, 'package.json')))
  const text = (name: string): string | undefined => (typeof content[name] === 'string' ? content[name] : undefined)
  const { workspaces } = content
  return {
    ...{ name: text('name'), version: text('version'), main: text('main'), module: text('module') },
    scripts: { ...tasksOf(deno), ...textsOf(content['scripts']) },
    dependencies: textsOf(content['dependencies']),
    devDependencies: textsOf(content['devDependencies']),
    workspaces: [
      ...Object.values(textsOf(Array.isArray(workspaces) ? workspaces : fieldsOf(workspaces)['packages'])),
      ...workspacesOfPnpm(folder),
    ],
    isDeno: deno !== undefined,
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => ({ ...(value as object | undefined) })

const textsOf = (value: unknown): Texts =>
  Object.fromEntries(
    Object.entries(fieldsOf(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )

function readJson(path: string): unknown {
  if (!existsSync(path)) return undefined
  try {
    // npm accepts a byte order mark.
    return JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    throw new ProjectError(`package.json can't be read: ${(error as Error).message}`, { cause: error })
  }
}

/** The tasks in Deno's configuration, as far as they stand on lines of their own. */
const tasksOf = (deno = ''): Texts =>
  Object.fromEntries(
    [...deno.matchAll(/^\s*(?:"tasks".*)?"([\w:-]+)"\s*:\s*"([^"]*)"/gm)].map(([, name, task]) => [name!, task!]),
  )

function workspacesOfPnpm(folder: string): string[] {
  const text = textOf(join(folder, 'pnpm-workspace.yaml'))
  const [, list = ''] = /^packages:\s*\n((?:\s+.*\n?|-.*\n?)*)/m.exec(text) ?? []
  return [...list.matchAll(/^\s*-\s*['"]?([^'"\s#]+)/gm)].map(([, pattern]) => pattern!)
}

/** The folders of a workspace's packages. A name that a Dockerfile would have to escape is left out. */
export function membersOf(folder: string, { workspaces }: PackageJson): string[] {
  const dirs = workspaces.flatMap((pattern) => {
    const [, parent = '', star] = /^(?:\.\/)?(.*?)(\/\*\*?)?\/?$/.exec(pattern) ?? []
    const path = join(folder, parent)
    return star === undefined || !existsSync(path) ? [parent] : readdirSync(path).map((name) => `${parent}/${name}`)
  })
  return [...new Set(dirs)].filter(
    (dir) => /^[\w.@/+-]+$/.test(dir) && !isOutside(folder, dir) && existsSync(join(folder, dir, 'package.json')),
  )
}

export function isOutside(folder: string, file: string): boolean {
  const path = relative(resolve(folder), resolve(folder, file))
  return path.startsWith('..') || isAbsolute(path)
}
