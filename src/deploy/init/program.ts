import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { isFile, textOf } from './source.js'

export type Texts = Readonly<Record<string, string>>

/** What is read of a package.json. What is of another type is left out. */
export interface PackageJson {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly main: string | undefined
  readonly scripts: Texts
  readonly dependencies: Texts
  readonly devDependencies: Texts
}

/** What runs a program. */
export type Runtime = 'node' | 'bun' | 'deno'

/** The program of a project. */
export interface Program {
  readonly runtime: Runtime
  /** Undefined if no program is found. */
  readonly entry: string | undefined
  /** The end of a sentence: why the project is a server even if it has a page. */
  readonly why: string | undefined
  /** The start script that names no program. */
  readonly unclear: string | undefined
}

/** Usual paths of programs. Beside a page, such a file may be a tool of the page. */
const PROGRAMS = ['server', 'src/server', 'index', 'src/index', 'main', 'src/main'].flatMap((path) =>
  ['mjs', 'js', 'ts'].map((ending) => `${path}.${ending}`),
)

/** Packages that only servers depend on. */
const SERVER_PACKAGE =
  /^(@colyseus\/(core|tools|\w+-transport)|colyseus|socket\.io|ws|uWebSockets\.js|express|koa|fastify|@fastify\/.+|@nestjs\/.+|hono|@hono\/.+|elysia|h3|@hapi\/hapi|boardgame\.io|@geckos\.io\/server)$/

/** npm scripts that start a server. The first of them runs the output of a build. */
const STARTS = ['start:prod', 'start']

/** Looks for the program of a project: in the scripts that start it, then `main`, then the usual paths. */
export function findProgram(folder: string, content: PackageJson): Program {
  const { main = '', scripts, dependencies, devDependencies } = content
  const hasBuild = 'build' in scripts
  const isThere = (path: string): boolean => isFile(join(folder, path))
  const at = (path: string): string | undefined => find(isThere, path) ?? (hasBuild ? built(path) : undefined)
  const named = at(main)
  const isMade = named !== undefined && !isThere(named)
  const isBun = ['@types/bun', 'bun-types'].some((name) => name in { ...dependencies, ...devDependencies })
  const isDeno = ['deno.json', 'deno.jsonc'].some((name) => existsSync(join(folder, name)))

  const runs = STARTS.flatMap((name) => {
    const command = commandOf(scripts, name)
    if (command === undefined) return []
    // `node .` starts the main file.
    const entry = command.words.map((word) => at(word === '.' ? main : word)).find(Boolean)
    return entry === undefined ? [] : [{ name, entry, runner: command.runner }]
  })
  // What a build makes is started in production, and its sources while somebody develops.
  const run = runs.find(({ entry }) => !isMade || !/\.[cm]?ts$/.test(entry))
  const runner = (run ?? runs[0])?.runner
  const runtime = runner === 'bun' || runner === 'deno' ? runner : isDeno ? 'deno' : isBun ? 'bun' : 'node'
  const server = Object.keys(dependencies).find((name) => SERVER_PACKAGE.test(name))
  const isOfPage = isMade || textOf(join(folder, 'index.html')).includes(posix.basename(named ?? ''))
  const reasons = [
    run && `npm ${run.name === 'start' ? '' : 'run '}${run.name} runs ${run.entry}`,
    server && `it depends on ${server}`,
    runtime !== 'node' && `it is for ${runtime === 'bun' ? 'Bun' : 'Deno'}`,
    named && !isOfPage && `main of package.json is ${named}`,
  ]
  const entry = run?.entry ?? (isMade || scripts['start'] === undefined ? (named ?? PROGRAMS.find(isThere)) : undefined)
  return {
    ...{ runtime, entry },
    why: reasons.find((reason) => typeof reason === 'string'),
    unclear: entry === undefined ? scripts['start'] : undefined,
  }
}

const RUNNER = /^(node|nodemon|tsx|ts-node|ts-node-dev|bun|deno|pm2|pm2-runtime)$/

/** The words behind a runner that may be its program: neither flags, nor their values, nor what it is told to do. */
const pathsIn = (runner: string, words: readonly string[]): string[] =>
  words.filter((word, at) => {
    const flag = words[at - 1] ?? ''
    const isValue = /^(-[reixP]|--(require|import|(experimental-)?loader|project|tsconfig|env-file|ext|exec|ignore))$/
    if (isValue.test(flag) || (runner === 'nodemon' && /^(-w|--watch)$/.test(flag))) return false
    return !(runner === 'node' ? /^-/ : /^(-.*|watch|run|start|serve)$/).test(word)
  })

/** What runs the program of a script, and the words that may be its path. Follows `npm run x`. */
function commandOf(
  scripts: PackageJson['scripts'],
  name: string,
  seen: readonly string[] = [],
): { readonly runner: string; readonly words: readonly string[] } | undefined {
  for (const command of (scripts[name] ?? '').split(/&&|\|\||[;|&]/)) {
    const [, next = ''] = /\b(?:npm|pnpm|yarn|bun) +(?:run +)?([\w:-]+) *$/.exec(command) ?? []
    const isFollowed = next in scripts && ![...seen, name].includes(next)
    const followed = isFollowed ? commandOf(scripts, next, [...seen, name]) : undefined
    if (followed !== undefined) return followed
    const words = command.split(/\s+/).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
    const at = words.findIndex((word) => RUNNER.test(word))
    // After `cd`, the program is another package's.
    if (words.includes('cd')) return undefined
    if (at >= 0) return { runner: words[at]!, words: pathsIn(words[at]!, words.slice(at + 1)) }
  }
  return undefined
}

/** A path in the project, without `./` before it. */
const inner = (path: string): string => path.replace(/^(\.\/)+/, '').replace(/\/$/, '')

/** The file that Node starts for a path. */
function find(isThere: (path: string) => boolean, given: string): string | undefined {
  const path = inner(given)
  if (/^(\.\.|\/)|\.html?$/.test(path)) return undefined
  return ['', '.js', '.mjs', '.cjs', '.ts', '/index.js'].map((ending) => path + ending).find(isThere)
}

/** The same for what a build will make: `build` is build/index.js, and `dist/main` is dist/main.js. */
function built(given: string): string | undefined {
  const path = inner(given)
  if (/^\.?$|^(\.\.|\/)/.test(path)) return undefined
  if (/\.\w+$/.test(path)) return /\.[cm]?[jt]s$/.test(path) ? path : undefined
  return path.includes('/') ? `${path}.js` : `${path}/index.js`
}
