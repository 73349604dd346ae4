import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

/** What of package.json tells whether a project is a server. */
export interface ServerSigns {
  readonly main?: unknown
  readonly scripts?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, unknown>>
}

/** The program of a project. */
export interface Program {
  /** Undefined where none is found. */
  readonly entry: string | undefined
  /** Why the project is a server, even if there is a page in it, as the end of a sentence. */
  readonly why: string | undefined
}

/** Where programs usually are. Beside a page, one may be a tool of the page's, so it tells nothing. */
const PROGRAMS = ['server.mjs', 'server.js', 'src/server.mjs', 'src/server.js', 'index.mjs', 'index.js']

/** Packages that only servers depend on. */
const SERVER_PACKAGE =
  /^(@colyseus\/.+|colyseus|socket\.io|ws|uWebSockets\.js|express|fastify|koa|boardgame\.io|@geckos\.io\/server)$/

/** A program that a command starts: behind its flags, of which some have a value. */
const STARTED =
  /(?:^|\s)(?:node|nodemon|tsx|ts-node|ts-node-dev)\s+(?:watch\s+)?(?:(?:-r|--require|--import|--loader)\s+\S+\s+|-\S+\s+)*([^\s-]\S*)/

/** Looks for the program of a project: that of npm start, then the main file, then those that are usual. */
export function findProgram(folder: string, { main, scripts, dependencies }: ServerSigns): Program {
  const isThere = (path: string): boolean => isFile(join(folder, path))
  // A build may have to make it first.
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

/** The text of a file; what can't be read, such as a link that leads nowhere, holds nothing. */
export function textOf(path: string): string {
  try {
    return isFile(path) ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}
