import { accessSync, closeSync, constants, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { HostError } from '../host-error.js'

/** The machine, as far as finding a browser needs it. */
export const thisSystem = {
  platform: process.platform,
  env: process.env,
  isRoot: process.getuid?.() === 0,
  /** Why this user can't run the file at a path; undefined if the user can. */
  problemWith(path: string): string | undefined {
    const found = attempt(() => statSync(path))
    if (found === undefined) return 'not there'
    if (!found.isFile()) return found.isDirectory() ? 'a folder' : 'no file'
    const mayRun = attempt(() => {
      accessSync(path, constants.X_OK)
      return true
    })
    return mayRun ? undefined : 'not executable'
  },
  /** The first bytes of a file, as text. */
  startOf: (path: string): string | undefined =>
    attempt(() => {
      const file = openSync(path, 'r')
      const start = Buffer.alloc(4096)
      const length = readSync(file, start)
      closeSync(file)
      return start.toString('utf8', 0, length)
    }),
  readText: (path: string): string | undefined => attempt(() => readFileSync(path, 'utf8')),
  /** Names in a folder; empty if the folder is missing. */
  list: (folder: string): readonly string[] => attempt(() => readdirSync(folder)) ?? [],
}

export type System = Readonly<typeof thisSystem>

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Names on the PATH, the best one first. headless-shell, without a window, takes half the memory and starts twice as fast. */
const SHELLS = ['chromium-headless-shell', 'chrome-headless-shell', 'headless_shell']
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge-stable']

/**
 * The path of the browser to run the page in: the one named by option or by CHROMIUM, or else the lightest installed one.
 *
 * @throws HostError NO_BROWSER
 */
export function findBrowser(asked: string | undefined, system: System = thisSystem): string {
  if (asked !== undefined) return givenBrowser(asked, '--browser', system)
  const named = system.env['CHROMIUM']
  if (named) return givenBrowser(named, 'CHROMIUM', system)
  for (const path of candidates(system)) {
    if (system.problemWith(path) === undefined) return behindScript(path, system)
  }
  throw new HostError(
    'NO_BROWSER',
    'No browser was found to run the page in.',
    `Install one: ${installHint(system)}\nOr name one that is there with --browser PATH.`,
  )
}

function givenBrowser(value: string, source: string, system: System): string {
  const problem = system.problemWith(value)
  if (problem === undefined) return behindScript(value, system)
  const inPath = /[/\\]/.test(value) ? undefined : onPath(value, system)
  if (inPath !== undefined) return behindScript(inPath, system)
  throw new HostError(
    'NO_BROWSER',
    `${source} must be the path of a program that this user may run; got ${JSON.stringify(value)}, which is ${problem}.`,
    `Leave it out to use the browser that is installed, or install one: ${installHint(system)}`,
  )
}

function* candidates(system: System): Generator<string> {
  const { shells, browsers } = knownPlaces(system)
  const named = (names: readonly string[]): string[] => names.flatMap((name) => onPath(name, system) ?? [])
  yield* shells
  yield* named(SHELLS)
  yield* browsers
  yield* named(BROWSERS)
}

function onPath(name: string, { platform, env, problemWith }: System): string | undefined {
  const [separator, slash, ending] = platform === 'win32' ? [';', '\\', '.exe'] : [':', '/', '']
  const file = name.endsWith(ending) ? name : name + ending
  const folders = (env['PATH'] ?? '').split(separator).filter((folder) => folder !== '')
  return folders.map((folder) => folder + slash + file).find((path) => problemWith(path) === undefined)
}

/**
 * Replaces a script that only starts the browser, as Debian's chromium-headless-shell does, by the browser itself: else the
 * host would watch and end the script's pid, and the browser would live on.
 */
function behindScript(path: string, { startOf, problemWith }: System): string {
  const text = startOf(path) ?? ''
  const commands = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  if (!text.startsWith('#!') || commands.length !== 1) return path
  const [, program] = /^\s*(?:exec\s+)?"?(\/[^\s"$]+)"?\s+"\$@"\s*$/.exec(commands[0]!) ?? []
  return program !== undefined && problemWith(program) === undefined ? program : path
}

interface Places {
  /** Of headless-shell. */
  readonly shells: readonly string[]
  readonly browsers: readonly string[]
}

/** Where distributions and installers put the programs themselves, rather than the scripts that start them. */
function knownPlaces(system: System): Places {
  const { platform, env } = system
  const home = env['HOME'] ?? ''
  if (platform === 'darwin') {
    const names = ['Chromium', 'Google Chrome', 'Microsoft Edge']
    return {
      shells: downloaded(system, `${home}/Library/Caches/ms-playwright`, `${home}/.cache`),
      browsers: names.map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
    }
  }
  if (platform === 'win32') {
    const programs = [
      String.raw`Chromium\Application\chrome.exe`,
      String.raw`Google\Chrome\Application\chrome.exe`,
      String.raw`Microsoft\Edge\Application\msedge.exe`,
    ]
    const folders = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) => env[name] || [])
    return {
      shells: downloaded(system, `${env['LOCALAPPDATA']}\\ms-playwright`, `${env['USERPROFILE']}\\.cache`),
      browsers: folders.flatMap((folder) => programs.map((program) => `${folder}\\${program}`)),
    }
  }
  return {
    shells: [
      '/usr/lib/chromium/chromium-headless-shell',
      '/usr/lib64/chromium-browser/headless_shell',
      ...downloaded(system, `${home}/.cache/ms-playwright`, `${home}/.cache`),
    ],
    browsers: ['/usr/lib/chromium/chromium', '/opt/google/chrome/chrome', '/opt/microsoft/msedge/msedge'],
  }
}

/** Where Playwright and Puppeteer put the headless-shell that they download, the newest first. */
function downloaded({ platform, env, list }: System, playwright: string, cache: string): string[] {
  const slash = platform === 'win32' ? '\\' : '/'
  const inside = (folder: string, pattern: RegExp): string[] =>
    list(folder)
      .filter((name) => pattern.test(name))
      .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
      .map((name) => folder + slash + name)
  const puppeteer = env['PUPPETEER_CACHE_DIR'] || `${cache}${slash}puppeteer`
  return [
    ...inside(env['PLAYWRIGHT_BROWSERS_PATH'] || playwright, /^chromium_headless_shell-\d/),
    ...inside(`${puppeteer}${slash}chrome-headless-shell`, /\d/),
  ]
    .flatMap((version) => inside(version, /^chrome-/))
    .flatMap((folder) => inside(folder, /^(chrome-headless-shell|headless_shell)(\.exe)?$/))
}

/** The command that installs a browser, by the ID of /etc/os-release. */
const BY_DISTRIBUTION: Readonly<Record<string, string>> = {
  debian: 'apt-get update && apt-get install --yes --no-install-recommends chromium-headless-shell fonts-dejavu-core',
  // Ubuntu's own package installs a snap, which needs a daemon that containers lack.
  ubuntu: 'npx --yes playwright install --with-deps --only-shell chromium',
  alpine: 'apk add chromium-headless-shell font-dejavu',
  fedora: 'dnf install -y chromium-headless dejavu-sans-fonts',
  arch: 'pacman -S --noconfirm chromium',
}

/** The one command with which this system gets a browser. */
function installHint({ platform, isRoot, readText }: System): string {
  if (platform === 'darwin') return 'brew install --cask google-chrome'
  if (platform === 'win32') return 'winget install --id Google.Chrome'
  const release = readText('/etc/os-release') ?? readText('/usr/lib/os-release') ?? ''
  const valueOf = (key: string): string =>
    new RegExp(`^${key}=["']?([^"'\\n]*)["']?\\s*$`, 'm').exec(release)?.[1]?.toLowerCase() ?? ''
  // The system's own ID, then the IDs of similar systems (`ID_LIKE`).
  const ids = `${valueOf('ID')} ${valueOf('ID_LIKE')}`.split(' ')
  const command = ids.flatMap((id) => BY_DISTRIBUTION[id] ?? [])[0] ?? BY_DISTRIBUTION['ubuntu']!
  return isRoot || command.startsWith('npx') ? command : `sudo ${command.replaceAll(' && ', ' && sudo ')}`
}
