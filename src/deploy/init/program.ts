import { join, posix } from 'node:path'
import { SIDECAR } from './choices.js'
import type { PackageJson } from './package-json.js'
import { isFile, textOf } from './source.js'

/** What runs a program. */
export type Runtime = 'node' | 'bun' | 'deno'

/** The program of a project. */
export interface Program {
  readonly runtime: Runtime
  /** Undefined if no program is found. */
  readonly entry: string | undefined
  /** The end of a sentence: why the project is a server even if it has a page. */
  readonly why: string | undefined
  /** The start script of a framework, which names no program. */
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
const STARTS = ['start:prod', 'start', 'serve']

/** Looks for the program of a package: in the scripts that start it, then `main`, then the usual paths. */
export function findProgram(folder: string, content: PackageJson): Program {
  const { main, module, scripts, dependencies, devDependencies, isDeno } = content
  const isThere = (path: string): boolean => isFile(join(folder, path))
  const at = (path = ''): string | undefined => locate(isThere, path, scripts['build'] !== undefined)
  const isBun = ['@types/bun', 'bun-types'].some((name) => name in { ...dependencies, ...devDependencies })
  const named = at(main) ?? (isBun ? at(module) : undefined)
  const isMade = named?.includes('/') === true && !isThere(named)

  const runs = STARTS.flatMap((name) => runOf(scripts, name).map((run) => ({ ...run, name, entry: at(run.path) })))
  const starting = runs.filter(({ entry }) => entry !== undefined)
  const run = starting.find(({ isForDevelopment }) => !isForDevelopment) ?? (isMade ? undefined : starting[0])
  const unclear = run === undefined ? runs.find(({ path }) => path === undefined)?.script : undefined
  const runtime = (run ?? runs[0])?.runtime ?? (isDeno ? 'deno' : isBun ? 'bun' : 'node')
  const server = Object.keys(dependencies).find((name) => SERVER_PACKAGE.test(name))
  const isOfPage = isMade || textOf(join(folder, 'index.html')).includes(posix.basename(named ?? ''))
  const reasons = [
    run && run.name !== 'serve' && `npm ${run.name === 'start' ? '' : 'run '}${run.name} runs ${run.entry!}`,
    server && `it depends on ${server}`,
    runtime !== 'node' && `it is for ${runtime === 'bun' ? 'Bun' : 'Deno'}`,
    named && !isOfPage && `main of package.json is ${named}`,
  ]
  return {
    ...{ runtime, unclear },
    entry: run?.entry ?? (unclear === undefined ? (named ?? PROGRAMS.find(isThere)) : undefined),
    why: reasons.find((reason) => typeof reason === 'string' && reason !== '') as string | undefined,
  }
}

/** A script that starts a server. */
interface Run {
  readonly runtime: Runtime
  /** Undefined where a framework starts the server, and the script names no program. */
  readonly path: string | undefined
  readonly isForDevelopment: boolean
  readonly script: string
}

/** Commands and settings that stand before the command that counts. */
const BEFORE = /^(\w+=.*|cross-env|env|exec|npx|bunx|dotenv|--)$/
const MANAGER = /^(npm|pnpm|yarn|bun|deno)$/
const RUNNER = /^(node|nodemon|tsx|ts-node|ts-node-dev|bun|deno|pm2|pm2-runtime)$/
const OF_OTHER_PACKAGE = /^(-w|--workspace.*|--prefix.*|-F|--filter.*)$/
const SUBCOMMAND = /^(watch|run|start|serve)$/
const FLAG_WITH_VALUE =
  /^(-r|--require|--import|--loader|--experimental-loader|-P|--project|--tsconfig|--env-file|-e|--ext|-x|--exec|-i|--ignore)$/

/** Follows `npm run x`, and skips the commands before and after the one that starts the program. */
function runOf(scripts: PackageJson['scripts'], name: string, seen: readonly string[] = []): Run[] {
  const script = seen.includes(name) ? '' : (scripts[name] ?? '')
  for (const command of script.split(/&&|\|\||[;|&]/)) {
    const words = (command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
    // `gameserver-sidecar exec -- node server.mjs` runs the program beside a local sidecar.
    if (words.includes(SIDECAR)) words.splice(0, words.indexOf('--') + 1)
    const [head = '', ...rest] = words.slice(words.findIndex((word) => !BEFORE.test(word)))
    // It starts a program of another package.
    if (head === 'cd') return []
    const followed = MANAGER.test(head) ? rest.find((word) => !/^(run|run-script|task|-.*)$/.test(word)) : undefined
    const isFollowed =
      followed !== undefined && followed in scripts && !rest.some((word) => OF_OTHER_PACKAGE.test(word))
    const runs = isFollowed ? runOf(scripts, followed, [...seen, name]) : readCommand(head, rest, script)
    if (runs.length > 0) return runs
  }
  return []
}

function readCommand(head: string, rest: readonly string[], script: string): Run[] {
  const run = { script, runtime: 'node' as Runtime, isForDevelopment: false }
  // It compiles the sources to this file.
  if (head === 'nest' && rest[0] === 'start') return [{ ...run, path: 'dist/main' }]
  if (head === 'fastify' && rest[0] === 'start') return [{ ...run, path: undefined }]
  if (!RUNNER.test(head)) return []
  const isForDevelopment =
    /^(nodemon|ts-node-dev)$/.test(head) || rest.some((word) => /^(watch|--watch|--hot)$/.test(word))
  const isValue = (flag = ''): boolean =>
    FLAG_WITH_VALUE.test(flag) || (head === 'nodemon' && /^(-w|--watch)$/.test(flag))
  const path = rest.find((word, index) => !/^-/.test(word) && !SUBCOMMAND.test(word) && !isValue(rest[index - 1]))
  const runtime = head === 'bun' || head === 'deno' ? head : 'node'
  return path === undefined ? [] : [{ ...run, path, runtime, isForDevelopment }]
}

/** The file that Node starts for a path. It may be missing until the build makes it. */
function locate(isThere: (path: string) => boolean, given: string, hasBuild: boolean): string | undefined {
  const path = given.replace(/^(\.\/)+/, '').replace(/\/$/, '')
  if (/^\.?$|^(\.\.|\/)|\.html?$/.test(path)) return undefined
  const found = ['', '.js', '.mjs', '.cjs', '.ts', '/index.js'].map((ending) => path + ending).find(isThere)
  if (found !== undefined || !hasBuild) return found
  if (/\.\w+$/.test(path)) return /\.[cm]?[jt]s$/.test(path) ? path : undefined
  // `node build` starts build/index.js, and `node dist/main` dist/main.js.
  return path.includes('/') ? `${path}.js` : `${path}/index.js`
}
