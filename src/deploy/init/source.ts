import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { SIDECAR } from './choices.js'

/** Follows links. */
export const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()

/** The text of a file; empty if it can't be read, such as a dangling link. */
export function textOf(path: string): string {
  try {
    return isFile(path) ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}

/** The lines of an ignore file without slashes at their ends: `/dist/` is `dist`. */
export const linesOf = (path: string): string[] =>
  textOf(path)
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^\/|\/$/g, ''))

/** The imports of a program, by its code. */
interface Imports {
  /** The first file that imports each package or part of one. */
  readonly importers: ReadonlyMap<string, string>
  /** The code of all its files, without comments. */
  readonly code: string
}

const MOST_FILES = 500
/** Extensions that an import may omit, and those that TypeScript writes as `.js`. */
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.tsx', '.jsx', '/index.js', '/index.ts']

const COMMENT = String.raw`\/\/.*|\/\*[^]*?\*\/`
const TYPES = String.raw`\b(?:im|ex)port\s+type\s[^'"]*(['"]).*?\1`
const IMPORT = String.raw`(?:\bfrom|\b(?:import|require)\s*\(|\bimport)\s*(['"])([^'"\n]+)\2`
const STRING = String.raw`(['"])(?:\\.|(?!\4)[^\\\n])*\4|` + '`(?:\\\\.|[^\\\\`])*`'
/** Strings and comments are tokens, so that an import within one doesn't count. */
const TOKEN = new RegExp([COMMENT, TYPES, IMPORT, STRING].join('|'), 'g')

/** Follows the relative imports of a program, or of its sources if a build makes it. */
export function importsOf(folder: string, entry: string): Imports {
  const importers = new Map<string, string>()
  const files = new Set([normalize(sourceOf(folder, entry))])
  let code = ''
  for (const file of files) {
    const text = textOf(join(folder, file))
    code += text.replace(TOKEN, (token) => (/^\/[/*]/.test(token) ? '' : token))
    for (const [, , , path] of text.matchAll(TOKEN)) {
      if (path === undefined) continue
      if (path.startsWith('.')) {
        const found = locate(folder, join(file, '..', path))
        if (found !== undefined && files.size < MOST_FILES && /\.[cm]?[jt]sx?$/.test(found)) files.add(found)
      } else if (!importers.has(path)) importers.set(path, file)
    }
  }
  return { importers, code }
}

function locate(folder: string, target: string): string | undefined {
  const bare = target.replace(/\.([cm]?)jsx?$/, '')
  const candidates = [target, bare].flatMap((one) => ENDINGS.map((ending) => one + ending))
  return candidates.find((path) => isFile(join(folder, path)))
}

/** The source of a program that a build makes, which may not be there: `dist/main.js` of `src/main.ts`. */
function sourceOf(folder: string, entry: string): string {
  const [, before = '', path = ''] = /^(?:(.*?)\/)?(?:dist|build|lib|out|bin)\/(.*)\.[cm]?js$/.exec(entry) ?? []
  const candidates = ['src', '.'].flatMap((dir) => ['ts', 'mts'].map((end) => join(before, dir, `${path}.${end}`)))
  return candidates.find((one) => path !== '' && isFile(join(folder, one))) ?? entry
}

/** Seats for players, as a program names them. */
export interface Seats {
  readonly what: 'counter' | 'list'
  readonly name: string
}

/** The counter or list that is named in a call of `trackPlayers()`, or in the option `players` of `attachServer()`. */
const NAMED =
  /\b(?:trackPlayers\s*\((?:(?!\btrack)[^]){0,300}?|players\s*:\s*\{[^}]*?)\b(list|counter)\s*:\s*(['"])([\w.-]+)\2/
const SEATING = ['ws', 'socket.io', 'colyseus', 'players'].map((entry) => `${SIDECAR}/${entry}`)

/** The seats that a program takes from its GameServer; undefined if it takes none. */
export function findSeats(folder: string, entry: string): Seats | undefined {
  const { importers, code } = importsOf(folder, entry)
  if (!SEATING.some((path) => importers.has(path))) return undefined
  const [, what, , name] = NAMED.exec(code) ?? []
  if (name !== undefined) return { what: what as Seats['what'], name }
  const isWithout = /\bplayers\s*:\s*false\b/.test(code) || !SEATING.slice(0, 3).some((path) => importers.has(path))
  return isWithout && !/\btrackPlayers\s*\(/.test(code) ? undefined : { what: 'list', name: 'players' }
}
