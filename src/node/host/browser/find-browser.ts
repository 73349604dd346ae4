import { HostError } from '../host-error.js'
import { installHint, knownPlaces, PROGRAM_NAMES, thisSystem, type System } from './system.js'

/** headless-shell is Chromium without a window: half the memory, and it starts twice as fast. */
export type BrowserKind = 'shell' | 'chromium'

export interface FoundBrowser {
  readonly path: string
  readonly kind: BrowserKind
  /** What the operator should know about it, in a sentence. */
  readonly warning?: string
}

/** Where the program is that a script at `path` starts, as distributions install them. */
const REAL_PROGRAMS: Readonly<Record<string, string>> = {
  'chromium-headless-shell': '/usr/lib/chromium/chromium-headless-shell',
  chromium: '/usr/lib/chromium/chromium',
  'google-chrome': '/opt/google/chrome/chrome',
  'google-chrome-stable': '/opt/google/chrome/chrome',
  'microsoft-edge': '/opt/microsoft/msedge/msedge',
  'microsoft-edge-stable': '/opt/microsoft/msedge/msedge',
}

/**
 * Finds the browser to run the page in: the one that is asked for, by option or by CHROMIUM, or the lightest one there is.
 *
 * @throws HostError NO_BROWSER
 */
export function findBrowser(asked: string | undefined, system: System = thisSystem): FoundBrowser {
  if (asked !== undefined) return givenBrowser(asked, '--browser', system)
  const named = system.env['CHROMIUM']
  if (named) return givenBrowser(named, 'CHROMIUM', system)
  for (const path of candidates(system)) {
    if (system.isProgram(path)) return describe(path, system)
  }
  throw new HostError(
    'NO_BROWSER',
    'No browser was found to run the page in.',
    `Install one: ${installHint(system)}\nOr name one that is there with --browser PATH.`,
  )
}

function givenBrowser(value: string, source: string, system: System): FoundBrowser {
  if (system.isProgram(value)) return describe(value, system)
  const inPath = /[/\\]/.test(value) ? undefined : onPath(value, system)
  if (inPath !== undefined) return describe(inPath, system)
  throw new HostError(
    'NO_BROWSER',
    `${source} must be the path of a program that this user may run; got ${JSON.stringify(value)}, which is ${system.describePath(value)}.`,
    `Leave it out to use the browser that is installed, or install one: ${installHint(system)}`,
  )
}

function* candidates(system: System): Generator<string> {
  const { shells, browsers } = knownPlaces(system)
  yield* shells
  yield* namesOnPath(PROGRAM_NAMES.shells, system)
  yield* browsers
  yield* namesOnPath(PROGRAM_NAMES.browsers, system)
}

function* namesOnPath(names: readonly string[], system: System): Generator<string> {
  for (const name of names) {
    const path = onPath(name, system)
    if (path !== undefined) yield path
  }
}

function onPath(name: string, system: System): string | undefined {
  const isWindows = system.platform === 'win32'
  const folders = (system.env['PATH'] ?? '').split(isWindows ? ';' : ':').filter((folder) => folder !== '')
  const file = isWindows && !name.endsWith('.exe') ? `${name}.exe` : name
  return folders.map((folder) => `${folder}${isWindows ? '\\' : '/'}${file}`).find((path) => system.isProgram(path))
}

const nameOf = (path: string): string => path.split(/[/\\]/).pop()!

const kindOf = (path: string): BrowserKind => (/headless.?shell/i.test(nameOf(path)) ? 'shell' : 'chromium')

/**
 * A script that stays as the browser's parent has the pid that we'd watch and end, while the browser lives on. So a known
 * script is replaced by the program that it starts.
 */
function describe(path: string, system: System): FoundBrowser {
  const kind = kindOf(path)
  const script = system.scriptAt(path)
  if (script === undefined) return { path, kind }
  const program = startedBy(script) ?? REAL_PROGRAMS[nameOf(path)]
  if (
    program !== undefined &&
    program !== path &&
    system.isProgram(program) &&
    system.scriptAt(program) === undefined
  ) {
    return { path: program, kind: kindOf(program) }
  }
  if (/^\s*exec\s/m.test(script)) return { path, kind }
  const warning = `${path} is a script that may stay as the browser's parent, so the end of the browser is noticed late; give the path of the browser itself with --browser.`
  return { path, kind, warning }
}

/** The program that a script of one command starts with its own arguments. */
function startedBy(script: string): string | undefined {
  const commands = script.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return commands.length === 1 ? /^\s*(?:exec\s+)?"?(\/[^\s"$]+)"?\s+"\$@"\s*$/.exec(commands[0]!)?.[1] : undefined
}
