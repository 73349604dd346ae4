import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The fields of package.json that tell whether a project is a server. */
export interface ServerSigns {
  readonly main?: unknown
  readonly scripts?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, unknown>>
}

/** The program of a project. */
export interface Program {
  /** Undefined if no program is found. */
  readonly entry: string | undefined
  /** The end of a sentence: why the project is a server even if it has a page. */
  readonly why: string | undefined
}

/** Usual paths of programs. Beside a page, such a file may be a tool of the page. */
const PROGRAMS = ['server.mjs', 'server.js', 'src/server.mjs', 'src/server.js', 'index.mjs', 'index.js']

/** Packages that only servers depend on. */
const SERVER_PACKAGE =
  /^(@colyseus\/.+|colyseus|socket\.io|ws|uWebSockets\.js|express|fastify|koa|boardgame\.io|@geckos\.io\/server)$/

/** Finds the program in a command, after flags with and without values. */
const STARTED =
  /(?:^|\s)(?:node|nodemon|tsx|ts-node|ts-node-dev)\s+(?:watch\s+)?(?:(?:-r|--require|--import|--loader)\s+\S+\s+|-\S+\s+)*([^\s-]\S*)/

/** Looks for the program of a project: in npm start, then `main`, then the usual paths. */
export function findProgram(folder: string, { main, scripts, dependencies }: ServerSigns): Program {
  const isThere = (path: string): boolean => isFile(join(folder, path))
  // The file may be missing until the build writes it.
  const isMade = (path: string): boolean =>
    typeof scripts?.['build'] === 'string' && /\.[cm]?[jt]s$/.test(path) && !existsSync(join(folder, path))
  const started = startedBy(scripts?.['start'])
  if (started !== undefined && (isThere(started) || isMade(started)))
    return { entry: started, why: `npm start runs ${started}` }
  const named = typeof main === 'string' ? inner(main) : undefined
  const server = Object.keys(dependencies ?? {}).find((name) => SERVER_PACKAGE.test(name))
  const byServer = server === undefined ? undefined : `it depends on ${server}`
  if (named === undefined || !isThere(named)) return { entry: PROGRAMS.find(isThere), why: byServer }
  const isOfPage = textOf(join(folder, 'index.html')).includes(basename(named))
  return { entry: named, why: byServer ?? (isOfPage ? undefined : `main of package.json is ${named}`) }
}

/** The path of the program in a script such as `cross-env PORT=1 tsx watch src/index.ts`. */
function startedBy(script: unknown): string | undefined {
  if (typeof script !== 'string') return undefined
  const path = script.split(/&&|[;|]/).flatMap((command) => STARTED.exec(command)?.[1] ?? [])[0]
  return path === undefined ? undefined : inner(path)
}

const inner = (path: string): string => path.replace(/^(\.\/)+/, '')

/** Follows links. */
export function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}

/** The text of a file; empty if it can't be read, such as a dangling link. */
export function textOf(path: string): string {
  try {
    return isFile(path) ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}
