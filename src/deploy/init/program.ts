import { join, posix } from 'node:path'
import { isFile, textOf } from './source.js'

/** What runs a program. */
export type Runtime = 'node' | 'bun' | 'deno'

/** Scripts by their names; what is no text in package.json is left out. */
export type Scripts = Readonly<Record<string, string | undefined>>

/** The fields of package.json that tell whether a project is a server. */
export interface ServerSigns {
  readonly main?: unknown
  readonly module?: unknown
  readonly scripts?: Scripts
  readonly dependencies?: Scripts
  readonly devDependencies?: Scripts
}

/** The program of a project. */
export interface Program {
  readonly runtime: Runtime
  /** Undefined if no program is found. */
  readonly entry: string | undefined
  /** The end of a sentence: why the project is a server even if it has a page. */
  readonly why: string | undefined
  /** The start script if init finds no program in it. */
  readonly unclear: string | undefined
}

/** Usual paths of programs without their ending. Beside a page, such a file may be a tool of the page. */
const PROGRAMS = ['server', 'src/server', 'index', 'src/index', 'main', 'src/main']

/** Packages that only servers depend on. */
const SERVER_PACKAGE =
  /^(@colyseus\/(core|tools|\w+-transport)|colyseus|socket\.io|ws|uWebSockets\.js|express|koa|(@fastify\/.+|fastify)|@nestjs\/.+|hono|@hono\/.+|elysia|h3|@hapi\/hapi|boardgame\.io|@geckos\.io\/server)$/

/** The scripts that start a server, what a build makes first. */
const STARTS = ['start:prod', 'start', 'serve']

/** Looks for the program of a project: in the scripts that start it, then `main`, then the usual paths. */
export function findProgram(folder: string, signs: ServerSigns): Program {
  const { main, module, dependencies = {}, devDependencies = {} } = signs
  const tasks = denoTasks(folder)
  const scripts: Scripts = { ...tasks, ...signs.scripts }
  const hasBuild = typeof scripts['build'] === 'string'
  const at = (path: string): string | undefined => locate(folder, path, hasBuild)
  const runs = STARTS.flatMap((name) => {
    const run = runOf(scripts, name)
    return run === undefined ? [] : [{ ...run, name, entry: run.path === undefined ? undefined : at(run.path) }]
  })
  const isBun = Object.keys({ ...dependencies, ...devDependencies }).some((name) =>
    /^(@types\/bun|bun-types)$/.test(name),
  )
  const named = [main, ...(isBun ? [module] : [])].flatMap((one) => (typeof one === 'string' ? (at(one) ?? []) : []))[0]
  const isMade = hasBuild && named !== undefined && named.includes('/') && !isFile(join(folder, named))

  const release = runs.find((run) => run.entry !== undefined && !run.isForDevelopment)
  const anyRun = release ?? (isMade ? undefined : runs.find((run) => run.entry !== undefined))
  const unclear = anyRun === undefined ? runs.find((run) => run.isFramework) : undefined
  const usual = PROGRAMS.flatMap((path) => ['mjs', 'js', 'ts'].map((ending) => `${path}.${ending}`))
  const byName = usual.find((path) => isFile(join(folder, path)))
  const runtime = (anyRun ?? runs[0])?.runtime ?? (tasks === undefined ? (isBun ? 'bun' : 'node') : 'deno')
  const server = Object.keys(dependencies).find((name) => SERVER_PACKAGE.test(name))
  const isOfPage = named !== undefined && textOf(join(folder, 'index.html')).includes(posix.basename(named))
  return {
    runtime,
    entry: anyRun?.entry ?? (unclear === undefined ? (named ?? byName) : undefined),
    why:
      (anyRun?.name !== 'serve' &&
        anyRun &&
        `npm ${anyRun.name === 'start' ? '' : 'run '}${anyRun.name} runs ${anyRun.entry!}`) ||
      (server && `it depends on ${server}`) ||
      (runtime === 'node' ? undefined : `it is for ${runtime === 'bun' ? 'Bun' : 'Deno'}`) ||
      (named !== undefined && !isMade && !isOfPage ? `main of package.json is ${named}` : undefined),
    unclear: unclear?.script,
  }
}

/** A script as far as init understands it. */
interface Run {
  readonly runtime: Runtime
  readonly path: string | undefined
  readonly isForDevelopment: boolean
  /** Whether a framework starts the server, and the program isn't in the script. */
  readonly isFramework: boolean
  readonly script: string
}

/** Commands and settings that stand before the command that counts. */
const BEFORE = /^(\w+=.*|cross-env|env|exec|npx|bunx|dotenv|--)$/
const MANAGER = /^(npm|pnpm|yarn|bun|deno)$/
const RUNNER = /^(node|nodemon|tsx|ts-node|ts-node-dev|bun|deno|pm2|pm2-runtime)$/
const SUBCOMMAND = /^(watch|run|start|serve)$/
const FLAG_WITH_VALUE =
  /^(-r|--require|--import|--loader|--experimental-loader|-P|--project|--tsconfig|--env-file|-e|--ext|-x|--exec|-i|--ignore)$/

/** Follows `npm run x`, and skips the commands before and after the one that starts the program. */
function runOf(scripts: Scripts, name: string, seen: readonly string[] = []): Run | undefined {
  const script = scripts[name]
  if (typeof script !== 'string' || seen.includes(name)) return undefined
  for (const command of script.split(/&&|\|\||[;|&]/)) {
    const words = (command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
    while (words.length > 0 && BEFORE.test(words[0]!)) words.shift()
    const [head = '', ...rest] = words
    // It starts a program of another package.
    if (head === 'cd') return undefined
    const followed = MANAGER.test(head) ? rest.find((word) => !/^(run|run-script|task|-.*)$/.test(word)) : undefined
    const run =
      followed !== undefined &&
      followed in scripts &&
      !rest.some((word) => /^(-w|--workspace.*|--prefix.*|-F|--filter.*)$/.test(word))
        ? runOf(scripts, followed, [...seen, name])
        : readCommand(head, rest, script)
    if (run !== undefined) return run
  }
  return undefined
}

function readCommand(head: string, rest: readonly string[], script: string): Run | undefined {
  const isForDevelopment =
    /^(nodemon|ts-node-dev)$/.test(head) || rest.some((word) => /^(watch|--watch|--hot)$/.test(word))
  const shared = { isForDevelopment, script, isFramework: false, runtime: 'node' as Runtime }
  if (head === 'nest' && rest[0] === 'start') return { ...shared, path: 'dist/main', isForDevelopment: false }
  if (head === 'fastify' && rest[0] === 'start') return { ...shared, path: undefined, isFramework: true }
  if (!RUNNER.test(head)) return undefined
  const runtime = head === 'bun' || head === 'deno' ? head : 'node'
  const isValue = (index: number): boolean =>
    FLAG_WITH_VALUE.test(rest[index - 1] ?? '') || (head === 'nodemon' && /^(-w|--watch)$/.test(rest[index - 1] ?? ''))
  const path = rest.find((word, index) => !word.startsWith('-') && !isValue(index) && !SUBCOMMAND.test(word))
  return path === undefined ? undefined : { ...shared, path, runtime }
}

/** The file that Node starts for a path, which may be missing until the build makes it. */
function locate(folder: string, given: string, hasBuild: boolean): string | undefined {
  const path = given.replace(/^(\.\/)+/, '').replace(/\/$/, '')
  if (path === '' || path === '.' || /^(\.\.|\/)|\.html?$/.test(path)) return undefined
  const found = ['', '.js', '.mjs', '.cjs', '.ts', '/index.js']
    .map((ending) => path + ending)
    .find((one) => isFile(join(folder, one)))
  if (found !== undefined || !hasBuild) return found
  if (/\.[cm]?[jt]s$/.test(path)) return path
  // `node build` starts build/index.js, and `node dist/main` dist/main.js.
  return /^[\w./-]+$/.test(path) && !/\.\w+$/.test(path)
    ? path.includes('/')
      ? `${path}.js`
      : `${path}/index.js`
    : undefined
}

/** The tasks of Deno's configuration; undefined without one. */
function denoTasks(folder: string): Scripts | undefined {
  const file = ['deno.json', 'deno.jsonc'].find((name) => isFile(join(folder, name)))
  if (file === undefined) return undefined
  try {
    const text = textOf(join(folder, file))
      .replace(/^\s*\/\/.*$/gm, '')
      .replace(/,(?=\s*[}\]])/g, '')
    return (JSON.parse(text) as { tasks?: Scripts }).tasks ?? {}
  } catch {
    return {}
  }
}
